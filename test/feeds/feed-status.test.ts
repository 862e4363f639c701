import { expect, test } from "vitest";
import { feedStatus, gapText } from "../../src/feeds/run/feed-status.ts";
import { userAgent } from "../../src/feeds/run/user-agent.ts";
import type { FeedRow } from "../../src/feeds/store/feeds.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/lib/instant.ts";

const now = Date.UTC(2026, 10, 23, 12);
const feed: FeedRow = {
  ...{ key: "k", kind: "rss", name: "blog", host: "blog.example", everyMs: 15 * MINUTE },
  ...{ isConfigured: true, isFetchedNow: false, nextAt: now + MINUTE, failures: 0, problem: null },
  ...{ addedAt: now - 90 * DAY, triedAt: now - MINUTE, receivedAt: now - MINUTE, itemAt: now - DAY },
  ...{ itemsToday: 0, matchedToday: 0, gap: null, readings: 0, leftOut: null, notes: [] },
};
const problem = "the server fails (status 502)";
const stream = { kind: "bluesky", isFetchedNow: true };
const pushed = { kind: "push", everyMs: 0, nextAt: null };

test.each<[string, Partial<FeedRow>, string, string | null]>([
  ["answers", {}, "ok", null],
  [
    "was removed",
    { isConfigured: false, problem, nextAt: null },
    "not configured",
    "earshot.yaml has it no more; its mentions stay",
  ],
  [
    "waits for others to push",
    { ...pushed, itemAt: null },
    "open",
    "nothing was sent to it yet: POST to /feeds/push of the console",
  ],
  ["has been pushed to", pushed, "open", null],
  [
    "is gone for good",
    { problem, nextAt: null, failures: 9, readings: 2 },
    "gone",
    `${problem}; give it another address, or remove it. A restart tries it again`,
  ],
  [
    "cannot be read",
    { problem, readings: 1, failures: 9 },
    "failing",
    `${problem}; attempt 1, and each waits longer than the one before`,
  ],
  ["fails", { problem, failures: 5 }, "failing", `${problem}; failure 5 in a row`],
  [
    "fails for the sixth time",
    { problem, failures: 6 },
    "paused",
    `${problem}; 6 failures in a row, so it is tried seldom`,
  ],
  [
    "is a stream that fails often",
    { ...stream, problem, failures: 9 },
    "failing",
    `${problem}; failure 9 in a row`,
  ],
  ["has failed, and answers", { failures: 9 }, "ok", null],
  [
    "ended the process that read it",
    { readings: 1 },
    "failing",
    "its answer began to be read, and that did not end: the process ended meanwhile (attempt 1); it is tried again, later each time",
  ],
  ["is read at this moment", { readings: 1, isFetchedNow: true }, "fetching", null],
  [
    "was never fetched",
    { triedAt: null, receivedAt: null, itemAt: null },
    "waiting",
    "it was not fetched yet: does a process with the role poll run?",
  ],
  ["is fetched", { isFetchedNow: true, nextAt: now - DAY }, "fetching", null],
  ["is a stream that is not open", { ...stream, isFetchedNow: false }, "ok", null],
  ["is a stream, open", stream, "listening", null],
  [
    "is a stream, open for a minute without anything",
    { ...stream, receivedAt: now - MINUTE },
    "listening",
    null,
  ],
  [
    "is a stream, open for longer without anything",
    { ...stream, receivedAt: now - MINUTE - 1 },
    "listening",
    "it is open, and nothing came for 1m",
  ],
  [
    "is a stream, open, with nothing yet",
    { ...stream, receivedAt: null },
    "listening",
    "it is open, and nothing came yet",
  ],
  [
    "is a stream with a gap",
    { ...stream, gap: { from: now - HOUR, to: now, noticedAt: now, reason: "it was away" } },
    "listening",
    "gap from 2026-11-23T11:00:00.000Z to 2026-11-23T12:00:00.000Z (1h): it was away",
  ],
  ["is due since its interval", { nextAt: now - 15 * MINUTE }, "ok", null],
  [
    "is due for longer",
    { nextAt: now - 15 * MINUTE - 1 },
    "late",
    "it is due and nobody fetches it: does a process with the role poll run?",
  ],
  [
    "is fetched each minute, and is due since five",
    { everyMs: MINUTE, nextAt: now - 5 * MINUTE },
    "ok",
    null,
  ],
  [
    "is fetched each minute, and is due for longer",
    { everyMs: MINUTE, nextAt: now - 5 * MINUTE - 1 },
    "late",
    "it is due and nobody fetches it: does a process with the role poll run?",
  ],
  ["answers, and is not due any more", { nextAt: null }, "ok", null],
  ["has left something out", { leftOut: "3 older items", itemAt: null }, "ok", "3 older items"],
  ["has had nothing", { itemAt: null }, "quiet", "it answers, and has had no item yet that is recent enough"],
  [
    "has had nothing for long",
    { itemAt: now - 31 * DAY },
    "quiet",
    "it answers, and its newest item is from 31d ago",
  ],
  ["has an item, and no answer", { receivedAt: null, addedAt: now }, "ok", "it has not answered yet"],
])("a feed that %s", (_name, changes, state, why) => {
  expect(feedStatus({ ...feed, ...changes }, now)).toMatchObject({ state, why });
});

test("a feed of which nothing is known but its silence says how long that is", () => {
  const { why, silentSince } = feedStatus({ ...feed, receivedAt: now - HOUR, nextAt: null }, now);
  expect([why, silentSince]).toEqual(["nothing came for 1h", now - HOUR]);
});

test.each<[string, Partial<FeedRow>, number | null]>([
  ["was removed and is gone", { isConfigured: false, problem, nextAt: null }, null],
  ["was received in the moment in which it was added", { receivedAt: now - HOUR, addedAt: now - HOUR }, null],
  [
    "is fetched each hour, that was received as it was added",
    { everyMs: HOUR, problem, receivedAt: now - 2 * HOUR, addedAt: now - 2 * HOUR },
    null,
  ],
  ["has answered without a plan to ask it again", { nextAt: null }, null],
])("a feed that %s is silent since %s", (_name, changes, since) => {
  expect(feedStatus({ ...feed, ...changes }, now).silentSince).toBe(since);
});

test.each([
  [SECOND - 1, "less than a second"],
  [SECOND, "1s"],
  [90 * MINUTE, "1h 30m"],
])("a gap of %i ms is %s long", (ms, long) => {
  expect(gapText({ from: now - ms, to: now, reason: "it was away" })).toContain(`(${long}): it was away`);
});

test("owners of servers see the name of the program, and whom to write to", () => {
  expect(userAgent({ contact: "press@acme.example" })).toBe(
    "Earshot/0.1 (open mention monitor; contact: press@acme.example)",
  );
  expect(userAgent({})).toBe("Earshot/0.1 (open mention monitor; no contact given)");
});
