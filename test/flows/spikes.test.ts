import { expect, test } from "vitest";
import { onAnyEngine } from "./on-every-engine.ts";
import { CRISIS_SPIKE } from "./rules.ts";
import type { Story } from "./story.ts";

const SPIKE = `
description: Far more mentions than usual.
severity: warning
spike: { atLeast: 15 }
`;
const AUTHORS = `
description: Many different stories at once.
severity: warning
spike: { atLeast: 15, count: stories }
`;
const HASHTAG = `
description: A hashtag that nobody used before.
severity: info
new: { what: hashtag, atLeast: 4, learn: 6h }
`;

const HOURS = ["00", "01", "02", "03", "04", "05", "06", "07", "08", "09", "10", "11"];

/** A usual morning: six mentions an hour, none of them negative by default. */
function aMorning({ at }: Story, said: object = {}): void {
  for (const hour of HOURS) at(`${hour}:03`).mentions("Acme", { count: 6, every: "9m", ...said });
}

const wire = (time: string) => `2026-03-02T${time}:00.000+0000`;

onAnyEngine((begin) => {
  test("a spike is sent with its reasons, sent again when it has doubled, and resolved when it is calm", async () => {
    const story = await begin({
      from: "00:00",
      rules: { "crisis-spike": CRISIS_SPIKE },
      routes: [{ receivers: ["crisis", "on-call"] }],
    });
    const { at, until, posted, smtp, slack, query } = story;
    aMorning(story, { sentiment: "negative", snippet: "waiting for my order again" });
    at("12:00").mentions("Acme", { count: 40, every: "20s", sentiment: "negative", snippet: "no refund!" });
    at("12:15").mentions("Acme", { count: 200, every: "3s", sentiment: "negative", snippet: "boycott them" });
    await until("12:00", "12h");
    await until("12:30", "10m");
    const liveMessage = JSON.stringify((await slack.messages())[0]);
    await until("23:30", "2h30m");
    const messages = await posted("#crisis");
    expect(messages[0]).toMatch(/^CRITICAL Acme: \d+ negative mentions in /);
    expect(messages.slice(1, -1).length).toBeGreaterThan(0);
    for (const message of messages.slice(1, -1)) {
      // Both numbers with their times, and there are clearly more than when people were told before.
      const [, now, before] =
        /^↳ (?:Growing|Doubled|Tripled|\d+ times as many), Acme: (\d+) negative mentions in the 15 min to \d\d:\d\d, up from (\d+) \(\d+ min earlier\)/.exec(
          message,
        ) ?? [];
      expect(Number(now), message).toBeGreaterThanOrEqual(1.5 * Number(before));
    }
    const again = slack.calls.filter(({ fields }) => String(fields["reply_broadcast"]) === "true");
    expect(again).toHaveLength(messages.length - 2);
    expect(messages.at(-1)).toMatch(
      /^↳ Resolved: Acme, Crisis spike after \d+ h( \d+ min)?\. \d+ negative mentions from .* to .*; the most in one hour: \d+, until 1[23]:\d\d\./,
    );
    const last = smtp.mails.at(-1)?.parsed;
    expect(last?.text).toMatch(
      /^RESOLVED: Acme: Crisis spike\n(.*\n)?Resolved after .*; the most in one hour: \d+, /,
    );
    expect(last?.attachments.map(({ cid }) => cid)).toContain("chart@earshot");

    expect(liveMessage).toContain("expected at this hour");
    // Its history is too short for a claim about chance.
    expect(liveMessage).toMatch(/How sure: Judged on .* of history/);
    expect(liveMessage).not.toContain("chance");
    expect(liveMessage).toMatch(
      /(Negative mentions are|At the peak, negative mentions were) .* times what is normal on a Monday (morning|afternoon)\./,
    );
    expect(liveMessage).toContain("*How big:* more than usual since 12:0");
    expect(liveMessage).toContain("*Who:*");

    const [mail] = smtp.mails;
    const [chart] = mail?.parsed.attachments ?? [];
    expect(chart).toMatchObject({
      contentType: "image/png",
      cid: "chart@earshot",
      contentDisposition: "inline",
    });
    expect(chart?.content.subarray(1, 4).toString()).toBe("PNG");
    expect(mail?.parsed.html).toContain("Chart of the last day");

    const reasons = await query<{ reason: string }>(
      "select distinct reason from earshot.notifications order by reason",
    );
    expect(reasons.map(({ reason }) => reason)).toEqual(["Doubled", "FirstNotification", "Resolved"]);
  });

  test("an outage that flushes at once does not page, and neither does a backfill", async () => {
    const story = await begin({ from: "00:00", rules: { spike: SPIKE } });
    const { at, until, posted } = story;
    for (const hour of HOURS.slice(0, 10)) at(`${hour}:01`).mentions("Acme", { count: 30, every: "2m" });
    // From ten to twelve the source found nothing; at noon it finds all of it.
    for (let minute = 0; minute < 120; minute += 2) {
      const time = `${10 + Math.floor(minute / 60)}:${String(minute % 60).padStart(2, "0")}`;
      at("12:01").mention("Acme", { date: wire(time) });
    }
    at("12:00").mentions("Acme", { count: 60, every: "2m" });
    // And somebody backfills four weeks.
    for (let day = 1; day <= 28; day++) {
      const date = `2026-02-${String(day).padStart(2, "0")}T12:20:00.000+0000`;
      at("12:20").mentions("Acme", { count: 30, every: "1s", date });
    }
    await until("10:00", "10h");
    await until("14:00", "40m");
    expect(await posted("#alerts")).toEqual([]);
  });

  test("one text posted 120 times is one story, and 40 texts are a spike", async () => {
    const story = await begin({ from: "00:00", rules: { authors: AUTHORS } });
    const { at, until, posted } = story;
    for (const [i, hour] of HOURS.entries()) {
      for (let n = 0; n < 6; n++) {
        at(`${hour}:${String(n * 9 + 3).padStart(2, "0")}`).mention("Acme", {
          snippet: `usual story number ${i} ${n} about nothing at all`,
        });
      }
    }
    at("12:00").mentions("Acme", {
      count: 120,
      every: "10s",
      snippet: "RT @bot: this very text is reposted by everybody",
    });
    await until("12:00", "12h");
    await until("13:00", "30m");
    expect(await posted("#alerts")).toEqual([]);
    for (let n = 0; n < 40; n++)
      at("13:05").mention("Acme", { snippet: `${n} different people report ${n} different things ${n * 7}` });
    await until("13:30", "15m");
    expect((await posted("#alerts"))[0]).toMatch(/^WARNING Acme: “.+”, \d+ different stories in /);
  });

  test("a mention with a new category moves from one slice to the other once", async () => {
    const story = await begin({ from: "00:00", rules: { "crisis-spike": CRISIS_SPIKE } });
    const { at, until, query } = story;
    at("09:10").mention("Acme", { resourceId: "a", sentiment: "negative" });
    at("09:20").mention("Acme", { resourceId: "b", sentiment: "neutral" });
    at("09:40").change("a", { sentiment: "neutral" });
    at("09:50").change("b", { sentiment: "negative" });
    await until("11:00", "30m");
    const counts = await query<{ bucket: Date; n: string }>(
      "select bucket, sum(n) as n from earshot.counts group by bucket having sum(n) <> 0",
    );
    expect(counts.map(({ bucket, n }) => [bucket.toISOString().slice(11, 16), Number(n)])).toEqual([
      ["09:20", 1],
    ]);
  });

  test("a hashtag never seen before that is already large alerts once, by its name", async () => {
    const story = await begin({ from: "00:00", rules: { "new-hashtag": HASHTAG } });
    const { at, until, posted } = story;
    aMorning(story, { insightsHashtag: ["acme"] });
    const names = ["ann", "bo", "cy", "di", "ed", "flo"];
    for (const [i, author] of names.entries())
      at(`12:1${i}`).mention("Acme", { author, insightsHashtag: ["AcmeFail"] });
    at("12:30").mentions("Acme", { count: 20, every: "1s", author: "bot", insightsHashtag: ["buynow"] });
    await until("12:00", "12h");
    await until("13:00", "20m");
    expect(await posted("#alerts")).toEqual([
      "INFO Acme: a hashtag never seen here before: 4 authors in 5 min, #acmefail. Since Mon 2 Mar, 12:13 UTC.",
    ]);
  });
});
