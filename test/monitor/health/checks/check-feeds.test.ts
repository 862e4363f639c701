import { expect, test } from "vitest";
import { findProblems } from "../../../../src/monitor/health/checks.ts";
import type { PipelineHealth } from "../../../../src/monitor/health/pipeline-health.ts";
import type { FeedHealth } from "../../../../src/monitor/model/pipeline-facts.ts";
import { aLine, NOW, SETTINGS } from "../pipeline.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function aFeed(changes: Partial<FeedHealth> = {}): FeedHealth {
  return {
    ...{ key: "k1", name: "blog.example/feed", state: "failing", everyMs: 15 * MINUTE },
    why: "the server fails (status 502); failure 4 in a row",
    ...{ receivedAgoMs: 3 * HOUR, silentForMs: 3 * HOUR, gap: null },
    ...changes,
  };
}

const problems = (feeds: readonly FeedHealth[], changes: Partial<PipelineHealth> = {}) =>
  findProblems(aLine({ feeds, ...changes }), SETTINGS);
const labels = (...given: Parameters<typeof problems>) => problems(...given).map((one) => one.labels);

test("a silent feed is one problem that says since when, why, and what to do", () => {
  expect(problems([aFeed(), aFeed({ key: "k2", name: "other", silentForMs: null })])).toEqual([
    {
      rule: "feed-silent",
      labels: { feed: "blog.example/feed", feedId: "k1" },
      since: NOW - 3 * HOUR,
      because:
        "nothing comes from the feed blog.example/feed: last answer 3h ago, expected every 15m. The reason: the server fails (status 502); failure 4 in a row. Earshot goes on trying, and reads what the servers still have then. earshot feeds try asks its server now and prints the answer; if the address has changed, correct it in earshot.yaml",
      values: { feeds: 1, forMs: 3 * HOUR },
    },
  ]);
});

test.each<[string, Partial<FeedHealth>, string]>([
  [
    "a stream that is connected and sends nothing",
    {
      ...{ state: "listening", everyMs: null, receivedAgoMs: 11 * MINUTE, silentForMs: 11 * MINUTE },
      why: "it is open, and nothing came for 11m",
    },
    "last answer 11m ago. The reason: it is open, and nothing came for 11m. Earshot goes on trying, and reads what the servers still have then. If other feeds work, the fault is at the server: name another one under hosts",
  ],
  [
    "a feed that is gone",
    { state: "gone", why: "it says that it is gone; give it another address, or remove it" },
    "expected every 15m. The reason: it says that it is gone; give it another address, or remove it.",
  ],
  [
    "a stream that was never open",
    { everyMs: null, receivedAgoMs: null, why: null },
    "feed blog.example/feed: no answer since it was added 3h ago. Earshot goes on trying",
  ],
  [
    "a feed that was never heard",
    { receivedAgoMs: null, silentForMs: 40 * MINUTE },
    "no answer since it was added 40m ago, expected every 15m.",
  ],
  [
    "a feed that nobody fetches",
    { state: "late", why: "does a process with the role poll run?" },
    "Start one, or look at its log. Then Earshot reads what the server still has",
  ],
])("%s", (_name, changes, text) => {
  expect(problems([aFeed(changes)])[0]?.because).toContain(text);
});

test("no feed is reported in the first minutes after a start, or after the tables were away", () => {
  expect(labels([aFeed()], { upForMs: 14 * MINUTE })).toEqual([]);
  const back = { engine: "database", outcome: "Away", from: NOW - HOUR, to: NOW - 14 * MINUTE } as const;
  expect(labels([aFeed()], { outages: [{ ...back, because: null }] })).toEqual([]);
  expect(labels([aFeed()], { upForMs: 15 * MINUTE })).toHaveLength(1);
});

test("an alert that was open before a restart stays open", () => {
  expect(labels([aFeed()], { upForMs: MINUTE, silentFeeds: new Set(["k1"]) })).toHaveLength(1);
  expect(labels([aFeed()], { upForMs: MINUTE, silentFeeds: new Set(["k2"]) })).toEqual([]);
});

test("feeds that nobody fetches are explained by a queue that stands still", () => {
  const stuck = { lastJobAgoMs: 2 * MINUTE };
  const unfetched = aFeed({ state: "late" });
  expect(problems([unfetched], stuck).map(({ rule }) => rule)).toEqual(["queue-stands-still"]);
  expect(problems([aFeed()], stuck).map(({ rule }) => rule)).toEqual(["queue-stands-still", "feed-silent"]);
});

test("many silent feeds are one alert, beside those that have their own, which they keep", () => {
  const feeds = Array.from({ length: 7 }, (_, n) => aFeed({ key: `k${n}`, name: `feed ${n}` }));
  const many = { feed: "many", feedId: "many" };
  expect(labels(feeds.slice(0, 5))).toHaveLength(5);
  expect(labels(feeds)).toEqual([many]);
  expect(labels(feeds, { silentFeeds: new Set(["k0", "k1"]) })).toEqual([
    { feed: "feed 0", feedId: "k0" },
    { feed: "feed 1", feedId: "k1" },
    many,
  ]);
  expect(problems(feeds)[0]?.because).toBe(
    "nothing comes from 7 of 7 feeds: feed 0, feed 1, feed 2 and 4 more. The first fell silent 3h ago. One of them: the server fails (status 502); failure 4 in a row. So many at once have one cause: look whether this machine reaches the internet, and whether a process with the role poll runs. Earshot goes on trying, and reads what the servers still have then. earshot feeds shows each of them",
  );
});

test("the alert about many keeps taking in feeds after a restart, and counts those that are fetched", () => {
  const feeds = Array.from({ length: 7 }, (_, n) =>
    aFeed({ key: `k${n}`, name: `feed ${n}`, silentForMs: (n + 1) * HOUR }),
  );
  const opened = aFeed({ key: "stream", state: "open", silentForMs: null });
  const [problem, ...others] = problems([...feeds, opened], {
    upForMs: MINUTE,
    silentFeeds: new Set(["many"]),
  });
  expect(others).toEqual([]);
  expect(problem).toMatchObject({ values: { feeds: 7, forMs: 7 * HOUR }, since: NOW - 7 * HOUR });
  expect(problem?.because).toMatch(/^nothing comes from 7 of 7 feeds/);
});

test("feeds with an alert of their own are not many, however many they are", () => {
  const feeds = Array.from({ length: 7 }, (_, n) => aFeed({ key: `k${n}`, name: `feed ${n}` }));
  const own = new Set(feeds.map(({ key }) => key));
  expect(labels(feeds, { silentFeeds: own })).toHaveLength(7);
  // The sixth at once makes them many, also where it is the only new one.
  expect(labels(feeds.slice(0, 6), { silentFeeds: new Set(["k0", "k1", "k2", "k3", "k4"]) })[5]).toEqual({
    feed: "many",
    feedId: "many",
  });
});

test("a feed that waits for its process is explained as one that is late", () => {
  const stuck = { lastJobAgoMs: 2 * MINUTE };
  expect(problems([aFeed({ state: "waiting" })], stuck).map(({ rule }) => rule)).toEqual([
    "queue-stands-still",
  ]);
});

test("a gap is reported for an hour, and that it cannot be filled", () => {
  const gap = (noticedAgoMs: number, lostMs = 2 * HOUR) =>
    aFeed({
      silentForMs: null,
      gap: { from: NOW - 40 * HOUR, to: NOW - 40 * HOUR + lostMs, reason: "it has none", noticedAgoMs },
    });
  expect(problems([gap(HOUR)])).toEqual([
    {
      rule: "feed-gap",
      labels: { feed: "blog.example/feed", feedId: "k1" },
      since: NOW - HOUR,
      because:
        "posts of 2h are lost from the feed blog.example/feed, from 2026-02-28T20:00:00.000Z to 2026-02-28T22:00:00.000Z. The reason: it has none. Nothing brings them back, and no alert comes about them. The feed works again. Servers keep a stream for a day or two at most: look why Earshot or its network was away for so long",
      values: { lostMs: 2 * HOUR },
    },
  ]);
  expect(problems([gap(HOUR + 1)])).toEqual([]);
  expect(problems([gap(MINUTE, 1_000)])).toHaveLength(1);
  // A single event that was left out.
  expect(problems([gap(MINUTE, 999)])).toEqual([]);
});
