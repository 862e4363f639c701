import { expect, test } from "vitest";
import { createSimulation } from "../../../src/lab/backtest/simulate.ts";
import { boundTry, tryRule } from "../../../src/lab/backtest/try-rule.ts";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { Query } from "../../../src/monitor/model/query.ts";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import { aMention } from "../../mention.ts";
import { toComms } from "./notify-config.ts";

const TO = Date.parse("2026-03-30T12:03:00Z");
const query = (queryId: string): Query => ({
  projectId: "7",
  queryId,
  name: `Q${queryId}`,
  projectName: "P",
  timezone: "UTC",
});
const QUERIES = [query("1"), query("2")];

/** Some every hour, nothing for four days, and a storm. */
const MENTIONS: readonly Mention[] = Array.from({ length: 900 }, (_, n) => {
  const addedAt = n < 600 ? TO - 30 * DAY + n * 0.9 * HOUR : TO - 3 * DAY + (n - 600) * 20_000;
  return aMention({
    queryId: n % 4 === 0 ? "2" : "1",
    resourceId: `m${n}`,
    addedAt,
    publishedAt: addedAt - 1000,
    sentiment: "negative",
    author: `a${n}`,
  });
});
async function* all() {
  yield* MENTIONS;
}
const rule = (text: string) => {
  const read = parseRule("a", "a.yaml", `description: x\nseverity: info\n${text}`);
  if ("faults" in read) throw new Error(read.faults[0]?.message);
  return read.rule;
};
const options = (text: string) => ({
  ...{ rule: rule(text), queries: QUERIES, mentions: all(), from: TO - 14 * DAY, to: TO },
  ...{ notifyConfig: toComms(), mostMs: 600_000, signal: new AbortController().signal },
});

test.each([
  "spike: { atLeast: 10 }",
  "volume: { atLeast: 30, within: 30m, count: authors }",
  "when: { sentiment: negative }\ngroupBy: author",
  "absence: { within: 12h, expected: 5 }",
])("time that passes in pieces changes nothing of what the simulation gives: %s", async (text) => {
  const trial = await tryRule(options(text));
  const whole = createSimulation({
    rules: [rule(text)],
    queries: QUERIES,
    notifyConfig: toComms(),
    from: TO - 14 * DAY,
  });
  for (const mention of MENTIONS) await whole.take(mention);
  const plain = await whole.finish(TO);
  const alertOf = ({ id: _, ...alert }: (typeof plain.alerts)[number]) => alert;
  expect(trial.simulated.alerts.map(alertOf)).toEqual(plain.alerts.map(alertOf));
  expect(trial.simulated.notifications.map(({ createdAt, reason }) => [createdAt, reason])).toEqual(
    plain.notifications.map(({ createdAt, reason }) => [createdAt, reason]),
  );
  expect(plain.alerts.length).toBeGreaterThan(0);
});

test("it counts the mentions of the days that match, and keeps the newest", async () => {
  const trial = await tryRule(options("when: { sentiment: negative }"));
  const shown = MENTIONS.filter(({ addedAt }) => addedAt >= TO - 14 * DAY);
  expect([trial.mentions, trial.matched, trial.until]).toEqual([shown.length, shown.length, TO]);
  expect(trial.examples.map(({ resourceId }) => resourceId)).toEqual(
    shown
      .slice(-10)
      .reverse()
      .map(({ resourceId }) => resourceId),
  );
});

test("a try whose time is over says up to where it looked, and one that is ended rejects", async () => {
  const cut = await tryRule({ ...options("spike: { atLeast: 10 }"), mostMs: -1 });
  expect(cut.until).toBeLessThan(TO);
  const ended = new AbortController();
  ended.abort(new Error("gone"));
  await expect(tryRule({ ...options("spike: { atLeast: 10 }"), signal: ended.signal })).rejects.toThrow(
    "gone",
  );
});

test("a try of too much learns from less first, then shows fewer days and fewer queries, and says so", () => {
  const day0 = TO - 42 * DAY;
  const arrivals = Array.from({ length: 43 }, (_, n) => ({
    queryId: "1",
    day: Math.floor((day0 + n * DAY) / DAY) * DAY,
    n: 100,
  }));
  const wanted = { learnFrom: day0, from: TO - 14 * DAY, to: TO };
  const bound = (mentions: number, queries = 5) => boundTry(QUERIES, arrivals, wanted, { mentions, queries });
  expect(bound(10_000)).toMatchObject({ learnFrom: day0, from: wanted.from, cut: [] });
  const less = bound(2_000);
  expect(less.from).toBe(wanted.from);
  expect(less.cut).toEqual([
    expect.stringMatching(
      /^It learned what is usual from \d days only: a try looks at 2,000 mentions at most\.$/,
    ),
  ]);
  const fewer = bound(500);
  expect(fewer.learnFrom).toBe(fewer.from);
  expect(fewer.cut).toEqual([expect.stringMatching(/^It covers \d days only/)]);
  expect(bound(1).from).toBe(TO - DAY);
  expect(bound(10_000, 1)).toMatchObject({
    queries: [{ queryId: "1" }],
    cut: ["It looks at the 1 busiest of 2 queries only."],
  });
});
