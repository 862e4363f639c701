import { expect, test } from "vitest";
import { onAnyEngine, onEveryEngine } from "./on-every-engine.ts";
import { NEGATIVE } from "./rules.ts";
import type { Story } from "./story.ts";

const POSTED = "INFO Ann is negative about Acme. Since Mon 2 Mar, 09:01 UTC.";
const MAIL = "[INFO] Ann is negative about Acme";

async function complain(story: Story): Promise<void> {
  story.at("09:01").mention("Acme", { sentiment: "negative", fullname: "Ann" });
  await story.until("09:05");
}

/** Attempts and their outcomes, by receiver. */
function deliveries(story: Story) {
  return story.query<{ receiver: string; outcomes: string[] }>(
    `select n.receiver, array_agg(d.outcome order by d.attempt) as outcomes
      from earshot.notifications n join earshot.deliveries d
        on d.project_id = n.project_id and d.notification_id = n.id
      group by n.receiver order by n.receiver`,
  );
}

onEveryEngine((begin) => {
  test("a Slack that asks to wait gets its messages later, and no other receiver waits for it", async () => {
    const story = await begin({
      rules: { negative: NEGATIVE },
      routes: [{ receivers: ["alerts", "team"] }],
    });
    const busy = { status: 429, headers: { "retry-after": "1" }, body: "" };
    story.slack.faults.push({ method: "chat.postMessage", answer: busy });
    await complain(story);
    expect(await deliveries(story)).toEqual([
      { receiver: "alerts", outcomes: ["failed", "sent"] },
      { receiver: "team", outcomes: ["sent"] },
    ]);
    // As Slack sees it: rows of deliveries are written a moment after its answers.
    const [asked, again] = story.slack.calls.filter(({ method }) => method === "chat.postMessage");
    expect((again?.atMs ?? 0) - (asked?.atMs ?? 0)).toBeGreaterThanOrEqual(1_000);
    const [order] = await story.query<{ mailFirst: boolean }>(
      `select max(at_wall) filter (where receiver = 'team') < max(at_wall) filter (where outcome = 'sent' and receiver = 'alerts')
          as "mailFirst"
      from earshot.deliveries d join earshot.notifications n on n.id = d.notification_id`,
    );
    expect(order?.mailFirst).toBe(true);
    expect(await story.posted("#alerts")).toEqual([POSTED]);
    expect(story.mailed("team@acme.example")).toEqual([MAIL]);
  });

  test("a mail server that is not ready is asked again", async () => {
    const story = await begin({ rules: { negative: NEGATIVE }, routes: [{ receivers: ["team"] }] });
    story.smtp.faults.push(
      { at: "rcpt", code: 450, text: "greylisted" },
      { at: "data", code: 451, text: "try again" },
    );
    await complain(story);
    expect(story.mailed("team@acme.example")).toEqual([MAIL]);
    expect(await deliveries(story)).toEqual([{ receiver: "team", outcomes: ["failed", "failed", "sent"] }]);
  });
});

onAnyEngine((begin) => {
  test("a missing channel is given up with advice, and the other receivers get the alert", async () => {
    const story = await begin({
      rules: { negative: NEGATIVE },
      routes: [{ receivers: ["crisis", "alerts", "team"] }],
      channels: ["alerts"],
    });
    await complain(story);
    expect(await story.posted("#alerts")).toEqual([POSTED]);
    expect(story.mailed("team@acme.example")).toEqual([MAIL]);
    expect(
      await story.query("select receiver, last_error from earshot.notifications where state = 'dead'"),
    ).toEqual([
      {
        receiver: "crisis",
        last_error:
          "Slack refused the message: channel_not_found. Check the channel's name or id and invite the app to it (/invite).",
      },
    ]);
  });

  test("a message that Slack took without our knowing is recognised and not sent twice", async () => {
    const story = await begin({ rules: { negative: NEGATIVE } });
    story.slack.faults.push({ method: "chat.postMessage", drop: "after" });
    await complain(story);
    expect(await story.posted("#alerts")).toEqual([POSTED]);
    expect(await deliveries(story)).toEqual([{ receiver: "alerts", outcomes: ["failed", "sent"] }]);
    const [row] = await story.query<{ ref: { ts: string } }>(
      "select vendor_ref as ref from earshot.notifications",
    );
    expect(row?.ref.ts).toBe((await story.slack.messages())[0]?.ts);
  });
});
