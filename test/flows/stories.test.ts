import { expect, test } from "vitest";
import { uuid7 } from "../../src/lib/uuid7.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { onAnyEngine, onEveryEngine } from "./on-every-engine.ts";
import { CRISIS_SPIKE, CROWD, NEGATIVE, VERIFIED } from "./rules.ts";
import { expectEveryMentionOnce } from "./story.ts";

onEveryEngine((begin) => {
  test("a verified author's complaint is one message, growth is none, and its end is in the thread", async () => {
    const story = await begin({ rules: { "verified-negative": VERIFIED } });
    const { at, until, posted, slack, earshot, clock } = story;
    const angry = { sentiment: "negative", twitterVerified: true };
    await earshot.stores.authorLists.put({
      ...{
        id: uuid7(clock.now()),
        list: "VIP <b>",
        author: "ann <b>",
        name: null,
        site: null,
        note: "Call her",
      },
      ...{ actor: { via: "page", login: "bo", typed: null }, at: clock.now() },
    });
    at("09:02").mention("Acme", { ...angry, fullname: "Ann <b>", snippet: "Never again & <!channel>" });
    at("09:11").mentions("Acme", { count: 5, ...angry });
    at("09:11").mentions("Acme", { count: 5, ...angry, twitterVerified: false });
    await until("09:05");
    const first =
      "WARNING Ann &lt;b&gt; (verified) is negative about Acme: “Never again &amp; &lt;!channel&gt;”. Since Mon 2 Mar, 09:02 UTC.";
    expect(await posted("#alerts")).toEqual([first]);
    const [message] = await slack.messages();
    expect(message?.blocks).toEqual([
      {
        type: "header",
        text: {
          type: "plain_text",
          text: "🟠 WARNING Ann <b> (verified) is negative about Acme: “Never again & <!channel>”",
          emoji: false,
        },
      },
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "Ann <b>", style: { bold: true } },
              { type: "text", text: " · verified · negative" },
            ],
          },
          // Rich text is never parsed, so here it may be unescaped.
          { type: "rich_text_quote", elements: [{ type: "text", text: "Never again & <!channel>" }] },
        ],
      },
      {
        type: "section",
        text: {
          type: "mrkdwn",
          text: "*On our lists:* Ann &lt;b&gt; (VIP &lt;b&gt;: Call her)",
          verbatim: true,
        },
      },
      {
        type: "context",
        elements: [{ type: "mrkdwn", text: "Nobody has taken it yet.", verbatim: true }],
      },
      {
        type: "context",
        elements: [{ type: "mrkdwn", text: "Why: Negative, by a verified author.", verbatim: true }],
      },
      {
        type: "context",
        elements: [{ type: "mrkdwn", text: "WARNING · Verified negative · Acme in Brands", verbatim: true }],
      },
    ]);
    await until("10:00", "15m");
    expect(await posted("#alerts")).toEqual([
      first,
      "↳ Resolved: Acme, Verified negative after 39 min: 6 mentions. Among them: “Never again &amp; &lt;!channel&gt;”.",
    ]);
    await expectEveryMentionOnce(story);
  });

  test("a crowd opens an alert, gets reminders while it goes on, and is resolved when it has gone", async () => {
    const { at, until, posted } = await begin({
      rules: { crowd: CROWD },
      routes: [{ receivers: ["alerts"], repeatEvery: "30m" }],
    });
    at("09:00").mentions("Acme", { count: 60, every: "1m" });
    await until("11:00", "15m");
    expect(await posted("#alerts")).toEqual([
      "WARNING Acme: 10 mentions in 15 min. Since Mon 2 Mar, 09:10 UTC.",
      "↳ Still going on, Acme: 15 mentions in 15 min now, 10 when the alert fired. Since Mon 2 Mar, 09:10 UTC.",
      "↳ Still going on, Acme: 0 mentions in 15 min now, 10 when the alert fired. Since Mon 2 Mar, 09:10 UTC.",
      "↳ Resolved: Acme, Crowd after 1 h 25 min: 60 mentions, peak 15 in 15 min at 09:15.",
    ]);
  });
});

onAnyEngine((begin) => {
  test("far more anger than usual is a crisis, until it is calm again", async () => {
    const story = await begin({
      rules: { "crisis-spike": CRISIS_SPIKE },
      routes: [{ match: { severity: "critical" }, receivers: ["crisis", "on-call"] }],
    });
    const { at, until, posted, mailed } = story;
    for (const hour of ["01", "02", "03", "04", "05", "06", "07", "08"]) {
      at(`${hour}:00`).mentions("Acme", { count: 4, every: "13m", sentiment: "negative" });
    }
    at("09:20").mentions("Acme", { count: 80, every: "15s", sentiment: "negative" });
    await until("13:00", "30m");
    // It has calmed down, and is watched before its end is said.
    expect(await posted("#crisis")).toHaveLength(1);
    await until("18:00", "1h");
    expect(await posted("#crisis")).toEqual([
      "CRITICAL Acme: 20 negative mentions in 5 min, 0.3 expected at this hour. Since Mon 2 Mar, 09:25 UTC.",
      "↳ Resolved: Acme, Crisis spike after 2 h 20 min. 80 negative mentions from Mon 2 Mar, 09:20 UTC to 11:45; the most in one hour: 80, until 09:40.",
    ]);
    expect(mailed("on-call@acme.example")).toEqual([
      "[CRITICAL] Acme: 20 negative mentions in 5 min, 0.3 expected at this hour",
      "[RESOLVED] Acme: Crisis spike",
    ]);
    await expectEveryMentionOnce(story);
  });

  test("a mention that cannot be stored becomes a dead letter with its reason, and blocks nothing", async () => {
    const story = await begin({ rules: { negative: NEGATIVE } });
    const { at, until, posted } = story;
    at("09:01").mention("Acme", { resourceId: "odd", unstorable: true });
    at("09:02").mention("Acme", { sentiment: "negative", fullname: "Ann" });
    await until("09:05");
    expect(await posted("#alerts")).toEqual(["INFO Ann is negative about Acme. Since Mon 2 Mar, 09:02 UTC."]);
    const shown = createConsoleStore(story.database.db);
    expect(await shown.deadLetters(10)).toMatchObject([
      { queryName: "Acme", resourceId: "odd", reason: "neither added nor date is a moment" },
    ]);
    expect(await shown.coverage(0)).toMatchObject([
      { poll: "added", gap: 0, seen: 2, rejected: 1 },
      { poll: "updated" },
    ]);
  });
});
