import fc from "fast-check";
import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { composeDigest, type DigestFacts, type QueryFacts } from "../../../src/monitor/digest/compose.ts";
import { rankStories } from "../../../src/monitor/digest/insights.ts";
import { readinessOf } from "../../../src/monitor/digest/schedule.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { PeriodStory } from "../../../src/monitor/model/digest.ts";
import type { Mention } from "../../../src/monitor/model/mention.ts";
import { aMention } from "../../mention.ts";

/** Default values; published at 1 s, so that it is older than any period. */
const mentionOf = (given: Partial<Mention> = {}) =>
  aMention({ author: "someone", sentiment: "neutral", publishedAt: 1_000, ...given });

const PERIOD = { from: 10 * DAY, to: 11 * DAY };
const query = (given: Partial<QueryFacts> = {}): QueryFacts => ({
  queryId: "1",
  query: "United",
  mentions: 100,
  negative: 40,
  neutral: 40,
  positive: 20,
  previous: { mentions: 90, negative: 35 },
  earlier: [],
  ...given,
});
const factsOf = (given: Partial<DigestFacts> = {}): DigestFacts => ({
  name: "Morning read",
  timezone: "Europe/Berlin",
  language: "en",
  insights: { authors: [], hashtags: [] },
  volume: [],
  period: PERIOD,
  completeUntil: PERIOD.to,
  projects: ["Airlines"],
  queries: [query()],
  stories: [],
  alerts: [],
  incidents: [],
  unneeded: null,
  consoleUrl: null,
  ...given,
});
const story = (key: string, given: Partial<PeriodStory> = {}): PeriodStory => ({
  story: key,
  topMention: mentionOf({ resourceId: key, text: `text of ${key}` }),
  mentions: 1,
  negative: 0,
  distinctAuthors: given.mentions ?? 1,
  audience: 0,
  firstAt: 10 * DAY,
  ...given,
});
const alert = (given: Partial<Alert>): DigestFacts["alerts"][number] => ({
  consoleUrl: null,
  title: `Title of ${given.rule}`,
  alert: {
    id: "a",
    projectId: "p",
    rule: "crisis-spike",
    fingerprint: "f",
    queryId: "1",
    queryName: "United",
    severity: "warning",
    state: "resolved",
    labels: {},
    openedAt: PERIOD.from + HOUR,
    firedAt: PERIOD.from + HOUR,
    lastSeenAt: PERIOD.from + HOUR,
    resolvedAt: PERIOD.from + 2 * HOUR,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 62,
    because: "62 mentions in 30m",
    windowFrom: 0,
    windowTo: 0,
    values: {},
    ...given,
  },
});

test("totals add up the queries, the largest query first", () => {
  const small = query({ queryId: "2", query: "Delta", mentions: 10, negative: 1, neutral: 8, positive: 1 });
  const view = composeDigest(factsOf({ queries: [small, query()] }));
  expect(view.perQuery.map((row) => row.query)).toEqual(["United", "Delta"]);
  expect(view.totals).toEqual({
    mentions: 110,
    negative: 41,
    neutral: 48,
    positive: 21,
    previousMentions: 180,
    previousNegative: 70,
    usualMentions: null,
    usualNegative: null,
  });
});

test("what is usual is the median of the periods before, and not said of fewer than three", () => {
  const earlier = [90, 700, 80, 100].map((mentions) => ({ mentions, negative: mentions / 10 }));
  const view = composeDigest(factsOf({ queries: [query({ earlier })] }));
  expect(view.totals).toMatchObject({ usualMentions: 95, usualNegative: 10 });
  const young = query({ queryId: "2", query: "Delta", earlier: earlier.slice(0, 2) });
  const both = composeDigest(factsOf({ queries: [query({ earlier }), young] }));
  expect(both.totals.usualMentions).toBeNull();
  expect(new Map(both.perQuery.map(({ query, usualMentions }) => [query, usualMentions]))).toEqual(
    new Map([
      ["United", 95],
      ["Delta", null],
    ]),
  );
});

test("the first few authors and hashtags are listed, with shortened names", () => {
  const authors = Array.from({ length: 9 }, (_, i) => ({
    name: `${"x".repeat(300)}${i}`,
    mentions: 9,
    negative: 1,
  }));
  const hashtags = Array.from({ length: 12 }, (_, i) => ({ name: `tag${i}`, mentions: 12 - i }));
  const view = composeDigest(factsOf({ insights: { authors, hashtags } }));
  expect([view.topAuthors.length, view.topHashtags.length]).toEqual([5, 8]);
  expect(view.topAuthors[0]?.name).toHaveLength(50);
});

test("a total is not compared while one query has no history, though its siblings are", () => {
  const fresh = query({ queryId: "2", query: "Delta", previous: null });
  const view = composeDigest(factsOf({ queries: [query(), fresh] }));
  expect(view.totals.previousMentions).toBe(null);
  expect(view.perQuery.map(({ previousMentions }) => previousMentions)).toEqual([null, 90]);
});

test.each<[string, Partial<DigestFacts>, boolean]>([
  ["as usual", {}, true],
  [
    "nothing at all, as before",
    { queries: [query({ mentions: 0, negative: 0, previous: { mentions: 0, negative: 0 } })] },
    true,
  ],
  [
    "nothing at all, on the first day",
    { queries: [query({ mentions: 0, negative: 0, previous: null })] },
    true,
  ],
  ["mentions on the first day", { queries: [query({ previous: null })] }, false],
  [
    "two after one",
    { queries: [query({ mentions: 2, negative: 2, previous: { mentions: 1, negative: 0 } })] },
    true,
  ],
  ["twice as many", { queries: [query({ previous: { mentions: 50, negative: 40 } })] }, false],
  ["twice as negative", { queries: [query({ previous: { mentions: 100, negative: 20 } })] }, false],
  ["silence where there were many", { queries: [query({ mentions: 0, negative: 0 })] }, false],
  [
    "one lively query among calm ones",
    {
      queries: [
        query({ mentions: 1_000, previous: { mentions: 1_000, negative: 40 } }),
        query({ previous: { mentions: 10, negative: 40 } }),
      ],
    },
    false,
  ],
  ["an alert", { alerts: [alert({})] }, false],
  ["not read to the end", { completeUntil: PERIOD.to - 1 }, false],
])("a period is quiet or not: %s", (_name, given, quiet) => {
  expect(composeDigest(factsOf(given)).quiet).toBe(quiet);
});

test("a digest is complete up to its end at most", () => {
  expect(composeDigest(factsOf({ completeUntil: PERIOD.to + HOUR })).completeUntil).toBe(PERIOD.to);
  expect(composeDigest(factsOf({ completeUntil: PERIOD.to - HOUR })).completeUntil).toBe(PERIOD.to - HOUR);
  expect(composeDigest(factsOf({ completeUntil: 0 })).completeUntil).toBe(PERIOD.from);
});

test("alerts that were open in the period come most severe first, then oldest", () => {
  const rows = composeDigest(
    factsOf({
      alerts: [
        alert({ rule: "late", openedAt: PERIOD.from + 5 * HOUR, resolvedAt: null }),
        alert({ rule: "early" }),
        alert({
          rule: "severe",
          severity: "critical",
          openedAt: PERIOD.from - DAY,
          resolvedAt: PERIOD.from + 1,
        }),
        alert({ rule: "over before", openedAt: 0, resolvedAt: PERIOD.from }),
        alert({ rule: "after", openedAt: PERIOD.to, resolvedAt: null }),
        alert({ rule: "never fired", firedAt: null }),
      ],
    }),
  ).alerts;
  expect(rows.map(({ rule }) => rule)).toEqual(["severe", "early", "late"]);
});

test("stories are ranked by distinct authors, raised by negativity and reach", () => {
  const stories = [
    story("calm", { mentions: 10 }),
    story("angry", { mentions: 10, negative: 10 }),
    story("wide", { mentions: 10, audience: 1_000_000 }),
    story("one account repeating itself", { mentions: 500, distinctAuthors: 1, negative: 500 }),
    story("small", { mentions: 2 }),
  ];
  const ranked = rankStories(stories, PERIOD.from);
  expect(ranked.map((one) => one.story)).toEqual([
    "wide",
    "angry",
    "calm",
    "one account repeating itself",
    "small",
  ]);
});

test("mentions without followers are told from the busiest time, not from the morning", () => {
  const stories = [1, 9, 14, 20].map((hour) => story(`at ${hour}`, { firstAt: PERIOD.from + hour * HOUR }));
  const volume = [3, 15].map((hour) => ({
    ...{ step: hour, mentions: hour, negative: 0 },
  }));
  const view = composeDigest(factsOf({ name: "morning-read", stories, volume }));
  expect(view.topMentions.map(({ text }) => text)).toEqual(
    [14, 20, 9, 1].map((hour) => `text of at ${hour}`),
  );
  expect(view.name).toBe("Morning read");
});

test("a story needs three mentions, and none is shown among the mentions again", () => {
  const view = composeDigest(
    factsOf({ stories: [story("single"), story("shared", { mentions: 3 }), story("pair", { mentions: 2 })] }),
  );
  expect(view.topStories.map(({ text, mentions, query: name }) => [text, mentions, name])).toEqual([
    ["text of shared", 3, "United"],
  ]);
  expect(view.topMentions.map(({ text, copies }) => [text, copies])).toEqual([
    ["text of pair", 2],
    ["text of single", 1],
  ]);
});

test("five stories are listed, the sixth is shown among the mentions with its copies", () => {
  const stories = [9, 8, 7, 6, 5, 4].map((mentions) => story(`s${mentions}`, { mentions }));
  const view = composeDigest(factsOf({ stories }));
  expect(view.topStories.length).toBe(5);
  expect(view.topMentions.map(({ copies }) => copies)).toEqual([4]);
});

test("a story that two queries found is listed once", () => {
  const twice = [
    story("s", { mentions: 3 }),
    story("s", { mentions: 4, topMention: mentionOf({ queryId: "2" }) }),
  ];
  const view = composeDigest(
    factsOf({ stories: twice, queries: [query(), query({ queryId: "2", query: "Delta" })] }),
  );
  expect(view.topStories.map(({ query: name, mentions }) => [name, mentions])).toEqual([["Delta", 4]]);
});

test("the same stories in any order give the same view, also with numbers made to break it", () => {
  const counts = fc.constantFrom(0, 1, 5, 1e9);
  const stories = fc.uniqueArray(
    fc.record({
      key: fc.constantFrom("a", "b", "c", "__proto__"),
      topMention: fc.record({ resourceId: fc.uuid(), queryId: fc.constantFrom("1", "2") }),
      numbers: fc.record({
        mentions: counts,
        negative: counts,
        distinctAuthors: counts,
        audience: fc.constantFrom(0, 7, 1e15),
        firstAt: fc.constantFrom(0, PERIOD.from),
      }),
    }),
    { selector: ({ key, topMention }) => `${key} ${topMention.queryId}`, maxLength: 8 },
  );
  fc.assert(
    fc.property(stories, (given) => {
      const viewOf = (list: typeof given) =>
        composeDigest(
          factsOf({
            stories: list.map(({ key, topMention, numbers }) =>
              story(key, { ...numbers, topMention: mentionOf(topMention) }),
            ),
          }),
        );
      const view = viewOf(given);
      expect(viewOf(given.toReversed())).toEqual(view);
      const listed = view.topStories.reduce((sum, row) => sum + row.mentions, 0);
      expect(listed).toBeLessThanOrEqual(given.reduce((sum, { numbers }) => sum + numbers.mentions, 0));
    }),
  );
});

test.each([
  ["everything was read", PERIOD.to, PERIOD.to, { outcome: "Complete" }],
  ["a query lags behind", PERIOD.to - 1, PERIOD.to + 1, { outcome: "Waits", until: PERIOD.to + HOUR }],
  ["the wait is over", PERIOD.to - 5, PERIOD.to + HOUR, { outcome: "Incomplete" }],
  ["nothing was ever read", null, PERIOD.to + HOUR, { outcome: "Incomplete" }],
])("a digest whose time has come, when %s", (_name, completeUntil, now, expected) => {
  expect(readinessOf(PERIOD, completeUntil, now, HOUR)).toEqual(expected);
});

test("a storm lists the ten most severe alerts and counts the others; queries are limited to twenty", () => {
  const severities = ["info", "warning", "critical"] as const;
  const alerts = Array.from({ length: 400 }, (_, n) =>
    alert({
      id: String(n),
      severity: n < 9 ? "critical" : (severities[n % 2] ?? "info"),
      openedAt: PERIOD.from + n,
      queryName: n < 12 ? "United" : "Acme",
      rule: n < 12 ? "crisis-spike" : "negative",
    }),
  );
  const queries = Array.from({ length: 150 }, (_, n) =>
    query({ queryId: String(n), query: `Brand ${n}`, mentions: 1_000 - n }),
  );
  const view = composeDigest(factsOf({ alerts, queries }));
  expect(view.alerts.map(({ severity }) => severity)).toEqual([...Array(9).fill("critical"), "warning"]);
  expect(view.alertCount).toBe(400);
  expect(view.more.alerts).toBe(390);
  expect(view.more.common[0]).toEqual({
    count: 388,
    rule: "negative",
    title: "Title of negative",
    query: "Acme",
  });
  expect(view.perQuery).toHaveLength(20);
  expect(view.more.queries).toBe(130);
  const all = [...view.perQuery, { mentions: view.more.mentions }].reduce(
    (sum, one) => sum + one.mentions,
    0,
  );
  expect(all).toBe(view.totals.mentions);
});

test("an incident is one row, and none of its alerts is listed besides", () => {
  const row = {
    query: "United",
    title: "Wave of negative mentions",
    severity: "critical",
    status: "watching",
    openedAt: 10 * DAY + HOUR,
    endedAt: null,
    alerts: 2,
    summary: "40 negative mentions",
    consoleUrl: null,
  } as const;
  const open = { openedAt: 10 * DAY, firedAt: 10 * DAY };
  const view = composeDigest(
    factsOf({
      incidents: [{ row, alertIds: ["in-it", "in-it-too"] }],
      alerts: ["in-it", "in-it-too", "alone"].map((id) => alert({ id, rule: id, ...open })),
    }),
  );
  expect(view.incidents).toEqual([row]);
  expect(view.alerts.map(({ rule }) => rule)).toEqual(["alone"]);
  expect(view.alertCount).toBe(1);
  expect(composeDigest(factsOf({ incidents: [{ row, alertIds: [] }] })).quiet).toBe(false);
});
