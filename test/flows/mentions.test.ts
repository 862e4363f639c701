import { expect, test } from "vitest";
import { onAnyEngine } from "./on-every-engine.ts";
import { CROWD, NEGATIVE } from "./rules.ts";
import { expectEveryMentionOnce } from "./story.ts";

onAnyEngine((begin) => {
  test("a mention whose sentiment changes is judged again, and alerts once", async () => {
    const story = await begin({ rules: { negative: NEGATIVE } });
    const { at, until, posted, slack } = story;
    at("09:01").mention("Acme", { resourceId: "m", sentiment: "neutral", fullname: "Bo" });
    at("09:12").change("m", { sentiment: "negative" });
    at("09:17").change("m", { sentiment: "positive" });
    at("09:22").change("m", { sentiment: "negative" });
    await until("09:15");
    expect(JSON.stringify((await slack.messages()).map(({ blocks }) => blocks))).toContain(
      "its sentiment changed from neutral to negative after it was seen",
    );
    await until("10:00", "15m");
    // The end of one mention on which nobody acted is no message of its own; the message shows it.
    expect(await posted("#alerts")).toEqual(["INFO Bo is negative about Acme. Since Mon 2 Mar, 09:12 UTC."]);
    expect((await slack.messages())[0]?.text).toMatch(/^Resolved: Acme, Negative after 20 min/);
    await expectEveryMentionOnce(story);
  });

  test("mentions that are indexed late, dated long ago or without a date are stored once and counted in their bucket", async () => {
    const story = await begin({ rules: { crowd: CROWD, negative: NEGATIVE } });
    const { at, until, posted } = story;
    at("09:03").mention("Acme", { fullname: "In time" });
    at("09:01").mention("Acme", { indexedAfter: "6m", sentiment: "negative", fullname: "Late" });
    at("09:06").mentions("Acme", { count: 30, date: "2026-02-20T10:00:00Z" });
    at("09:07").mention("Acme", { date: null, sentiment: "negative", fullname: "Undated" });
    await until("09:40");
    expect(await posted("#alerts")).toEqual([
      "INFO Acme: Late and 1 more mention. Since Mon 2 Mar, 09:01 UTC.",
      "↳ Resolved: Acme, Negative after 26 min: 2 mentions.",
    ]);
    await expectEveryMentionOnce(story);
  });

  test("a message says how often its largest story is shared, who began it and who was heard most", async () => {
    const story = await begin({ rules: { crowd: CROWD }, routes: [{ receivers: ["alerts", "on-call"] }] });
    const shared = { snippet: "their truck burns on the bridge and nobody is there to help" };
    story.at("09:00").mention("Acme", { ...shared, fullname: "Ann" });
    story.at("09:01").mentions("Acme", { ...shared, count: 9, every: "10s" });
    story.at("09:03").mention("Acme", { ...shared, fullname: "Bo", twitterFollowers: 184_000 });
    await story.until("09:20");
    const text = "shared 11 times; first by Ann, 09:00; furthest by Bo, 184k followers";
    const [message] = await story.slack.messages();
    expect(JSON.stringify(message?.blocks)).toContain(`*Story:* ${text}`);
    const mail = story.smtp.mails.find(({ to }) => to.includes("on-call@acme.example"));
    expect(mail?.parsed.text).toContain(`Story: ${text}`);
    expect(mail?.parsed.html).toContain(text);
  });
});
