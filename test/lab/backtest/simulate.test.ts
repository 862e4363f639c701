import { expect, test } from "vitest";
import { formatBacktest } from "../../../src/cli/backtest/format-backtest.ts";
import { compareSimulations } from "../../../src/lab/backtest/compare.ts";
import { createDueQueue } from "../../../src/lab/backtest/due-queue.ts";
import { reportOf } from "../../../src/lab/backtest/report.ts";
import { renderReport } from "../../../src/lab/backtest/report-html.ts";
import { DAY, HOUR, type Instant, MINUTE, SECOND, toIso } from "../../../src/lib/instant.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import type { NotifyConfig } from "../../../src/monitor/notify/decide/decide-notifications.ts";
import { QuietHours } from "../../../src/monitor/notify/decide/quiet-hours.ts";
import { compileRule } from "../../../src/monitor/rules/compile-rule.ts";
import { aMention } from "../../mention.ts";
import { NOBODY, toComms } from "./notify-config.ts";
import { simulate } from "./simulate.ts";

const FROM = Date.parse("2026-03-02T08:00:00Z");
const ACME = { projectId: "1", queryId: "1", name: "Acme", projectName: "P", timezone: "UTC" };
const QUERIES = [ACME];
const BUSY = { description: "Busy.", severity: "warning", volume: { atLeast: 12, within: "30m" } };
const RECALL = { description: "Recall.", severity: "critical", when: { keyword: ["recall"] } };

function ruleOf(name: string, content: unknown) {
  const faults: string[] = [];
  const rule = compileRule(name, content, ({ message }) => faults.push(message));
  if (rule === undefined) throw new Error(faults.join("; "));
  return rule;
}

let ids = 0;
function mentionsAt(...times: readonly Instant[]): Mention[] {
  return times.map((addedAt) => aMention({ resourceId: `m${ids++}`, addedAt }));
}

function every(ms: number, from: Instant, count: number): Instant[] {
  return Array.from({ length: count }, (_, index) => from + index * ms);
}

function run(
  rules: Readonly<Record<string, unknown>>,
  mentions: readonly Mention[],
  notifyConfig: NotifyConfig = NOBODY,
) {
  return simulate({
    rules: Object.entries(rules).map(([name, content]) => ruleOf(name, content)),
    queries: QUERIES,
    mentions,
    notifyConfig,
    from: FROM,
    to: FROM + DAY,
  });
}

test("an alert opens when the bucket that fills the window closes, and resolves after quiet", async () => {
  const { alerts } = await run({ busy: BUSY }, mentionsAt(...every(2 * MINUTE, FROM, 20)));
  expect(
    alerts.map(({ openedAt, resolvedAt, rule }) => [rule, openedAt - FROM, (resolvedAt ?? 0) - FROM]),
  ).toEqual([["busy", 25 * MINUTE, 75 * MINUTE]]);
});

test("mentions of before the range teach and do not alert", async () => {
  const before = mentionsAt(...every(MINUTE, FROM - 2 * HOUR, 60));
  expect((await run({ busy: BUSY, recall: RECALL }, before)).alerts).toEqual([]);
  expect((await run({ busy: BUSY }, before)).firstAt).toBe(FROM - 2 * HOUR);
});

test("mentions of other queries are ignored", async () => {
  const others = mentionsAt(...every(MINUTE, FROM, 60)).map((one) => ({ ...one, queryId: "2" }));
  expect(await run({ busy: BUSY }, others)).toMatchObject({ alerts: [], mentions: 0 });
});

test("a receiver hears of an alert, of its repeat with new evidence, and of its end", async () => {
  const recall = { ...RECALL, over: { after: "6h" } };
  const mentions = mentionsAt(FROM, FROM + 5 * HOUR).map((one) => ({ ...one, text: "a recall" }));
  const { notifications, withheld } = await run({ recall }, mentions, toComms());
  expect(notifications.map(({ reason, createdAt }) => [reason, createdAt - FROM])).toEqual([
    ["FirstNotification", MINUTE],
    ["RepeatIntervalElapsed", 5 * HOUR + MINUTE],
    ["Resolved", 11 * HOUR + 5 * MINUTE],
  ]);
  expect(withheld).toEqual([]);
});

test("alerts about one thing are one incident, with one message and one end", async () => {
  const text = "They sold the addresses of all their customers, says the paper of the town";
  const mentions = mentionsAt(...every(MINUTE, FROM + HOUR, 60)).map((one) => ({ ...one, text }));
  const rules = { busy: BUSY, busier: { ...BUSY, volume: { atLeast: 30, within: "1h" } } };
  const apart = { busy: { ...BUSY, incident: "never" }, busier: { ...rules.busier, incident: "never" } };
  const joined = await run(rules, mentions, toComms());
  expect(joined.notifications.map(({ reason }) => reason)).toEqual(["FirstNotification", "Resolved"]);
  const alone = await run(apart, mentions, toComms());
  expect(alone.notifications).toHaveLength(4);

  const report = reportOf(joined, { from: FROM, to: FROM + DAY, timezone: "UTC" });
  expect(report.incidents).toEqual([
    expect.objectContaining({ rule: "busy", query: "Acme", status: "over", alerts: 2, messages: 2 }),
  ]);
  expect(report.receivers[0]).toMatchObject({ receiver: "comms", messages: 2, alerts: 1 });
  expect(renderReport(report, null)).toContain("<h2>Incidents</h2>");
  expect(compareSimulations(alone, joined, { before: new Map(), after: new Map() }).incidents).toEqual({
    before: 0,
    after: 1,
  });
});

test("an alert that was open before an incident joins it for words that are not the brand's everyday ones", async () => {
  const saying = (text: (index: number) => string, ...times: readonly Instant[]) =>
    mentionsAt(...times).map((one, index) => ({ ...one, text: text(index) }));
  const usual = saying(
    (n) => `a lovely ${n}. day with your brand`,
    ...every(30 * MINUTE, FROM - 2 * DAY, 97),
  );
  const wave = saying((n) => `your brand with a lottery, ticket ${n}`, ...every(MINUTE, FROM + HOUR, 40));
  const sizeWith = async (recall: string) => {
    const early = saying(() => recall, FROM + HOUR / 2);
    const { incidents } = await run({ busy: BUSY, recall: RECALL }, [...usual, ...early, ...wave]);
    return incidents.map(({ alerts }) => alerts);
  };
  expect(await sizeWith("a recall of the seats with your brand")).toEqual([1]);
  expect(await sizeWith("a recall of the lottery ticket")).toEqual([2]);
});

test("quiet hours hold a message until they end", async () => {
  const quiet = QuietHours.parse({ from: "07:00", to: "10:00", timezone: "UTC", breakThrough: "nothing" });
  const config = {
    ...toComms(),
    receiver: (name: string) => ({ name, quietHours: [quiet], throttle: null }),
  };
  const mentions = mentionsAt(FROM + 30 * SECOND).map((one) => ({ ...one, text: "a recall" }));
  const { notifications, withheld } = await run({ recall: RECALL }, mentions, config);
  expect(notifications[0]).toMatchObject({ reason: "FirstNotification", createdAt: FROM + 2 * HOUR });
  expect(withheld[0]).toMatchObject({ at: FROM + MINUTE, reason: "HeldByQuietHours", receiver: "comms" });
});

test("the throttle's share and what people said of real alerts are reported", async () => {
  const throttle = { atMost: 1, perMs: HOUR, breakThrough: "nothing" as const };
  const byAuthor = { ...RECALL, groupBy: "author", over: { after: "1h" } };
  const mentions = mentionsAt(...every(2 * MINUTE, FROM, 5)).map((one, index) => ({
    ...one,
    text: "recall",
    author: `<b>author ${index}</b>`,
  }));
  const simulated = await run({ recall: byAuthor }, mentions, toComms({ throttle }));
  const judged = simulated.alerts.map((alert, index) => ({ ...alert, handling: { relevant: index > 0 } }));
  const report = reportOf(simulated, { from: FROM, to: FROM + 7 * DAY, timezone: "UTC" }, judged);
  expect(report.receivers).toEqual([
    {
      receiver: "comms",
      messages: simulated.notifications.length,
      alerts: 5,
      alertsAWeek: 5,
      throttled: expect.any(Number),
      throttleShare: expect.any(Number),
      withheld: {},
    },
  ]);
  expect(report.receivers[0]?.throttled).toBeGreaterThanOrEqual(4);
  expect(report.days[0]).toMatchObject({ date: "2026-03-02", rule: "recall", alerts: 5 });
  expect(report.loudest).toHaveLength(5);
  // All five were open at the same time: each author's alert has the opinion on that author.
  expect(report.precision).toEqual([{ rule: "recall", relevant: 4, notRelevant: 1, share: 0.8 }]);
  const html = renderReport(report, null);
  expect(html).toContain("&lt;b&gt;author 0&lt;/b&gt;");
  expect(html).not.toContain("<b>author");
});

test("a story is named in words, not by its key", async () => {
  const text = "The recall of the whole collection is because of sharp edges, says the maker";
  const mentions = mentionsAt(...every(MINUTE, FROM, 3)).map((one) => ({ ...one, text }));
  const simulated = await run({ recall: { ...RECALL, groupBy: "story" } }, mentions, toComms());
  const key = simulated.alerts[0]?.labels["story"] ?? "";
  expect(key).toHaveLength(16);
  const report = reportOf(simulated, { from: FROM, to: FROM + DAY, timezone: "UTC" });
  const page = renderReport(report, null);
  const lines = formatBacktest(report).join("\n");
  for (const shown of [page, lines]) {
    expect(shown).toContain("one story");
    expect(shown).not.toContain(key);
  }
});

test("one changed number changes exactly the alerts that it decides", async () => {
  const times = [...every(2 * MINUTE, FROM, 15), ...every(MINUTE, FROM + 5 * HOUR, 40)];
  const mentions = mentionsAt(...times);
  const old = { busy: BUSY, all: { ...BUSY, volume: { atLeast: 3, within: "30m" } } };
  const fresh = { ...old, busy: { ...BUSY, volume: { atLeast: 20, within: "30m" } } };
  const comparison = compareSimulations(await run(old, mentions), await run(fresh, mentions), {
    before: new Map(Object.entries(old)),
    after: new Map(Object.entries(fresh)),
  });
  expect(comparison.alerts).toEqual({ before: 4, after: 3 });
  expect(comparison.same).toBe(2);
  expect(
    comparison.differences.map(({ kinds, rule, before, after }) => ({
      kinds,
      rule,
      before: before?.openedAt,
      after: after?.openedAt,
    })),
  ).toEqual([
    { kinds: ["gone"], rule: "busy", before: toIso(FROM + 25 * MINUTE), after: undefined },
    {
      kinds: ["later"],
      rule: "busy",
      before: toIso(FROM + 5 * HOUR + 15 * MINUTE),
      after: toIso(FROM + 5 * HOUR + 20 * MINUTE),
    },
  ]);
  expect(comparison.differences[0]?.reason).toContain("volume.atLeast: 12 → 20");
  expect(comparison.differences[0]?.reason).toContain("(limit 12)");
});

test("another severity, a new rule and a rule that is gone are told apart", async () => {
  const mentions = mentionsAt(...every(MINUTE, FROM, 30));
  const old = { busy: BUSY, left: BUSY };
  const fresh = { busy: { ...BUSY, severity: "critical" }, added: BUSY };
  const { differences } = compareSimulations(await run(old, mentions), await run(fresh, mentions), {
    before: new Map(Object.entries(old)),
    after: new Map(Object.entries(fresh)),
  });
  expect(
    Object.fromEntries(
      differences.map(({ rule, kinds, reason }) => [rule, [kinds[0], reason.split(";")[0]]]),
    ),
  ).toEqual({
    busy: ["other severity", "severity: warning → critical"],
    left: ["gone", "the rule is gone"],
    added: ["new", "the rule is new"],
  });
});

test("the same rules over the same mentions differ in nothing", async () => {
  const mentions = mentionsAt(...every(MINUTE, FROM, 60));
  const contents = new Map(Object.entries({ busy: BUSY }));
  const { differences, same } = compareSimulations(
    await run({ busy: BUSY }, mentions),
    await run({ busy: BUSY }, mentions),
    {
      before: contents,
      after: contents,
    },
  );
  expect([differences, same]).toEqual([[], 1]);
});

test("what is due comes in order of time, and what is no longer valid does not come", () => {
  const gone = new Set([3]);
  const queue = createDueQueue<number>((value) => !gone.has(value));
  for (const at of [5, 3, 9, 1, 7, 3]) queue.add(at, at);
  expect(queue.nextAt()).toBe(1);
  expect(queue.take(6)).toEqual([1, 5]);
  expect(queue.take(6)).toEqual([]);
  expect(queue.nextAt()).toBe(7);
  expect(queue.take(100)).toEqual([7, 9]);
  expect(queue.nextAt()).toBeNull();
});
