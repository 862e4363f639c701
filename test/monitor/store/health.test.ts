import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";

const NOON = Date.parse("2026-03-12T12:00:00Z");
const { database, stores } = await useStores();

beforeAll(async () => {
  const query = oddQuery();
  await stores.queries.register(
    [query, { ...query, queryId: "2", name: "Bolt" }],
    NOON - 6 * DAY,
    NOON - 6 * DAY,
  );
  await stores.polls.ensure(NOON);
  await sql`update earshot.polls set complete_until = to_timestamp(${NOON / 1000})`.execute(database.db);
});

async function polled(queryId: string, startedAt: number, stored: number, span = 10 * MINUTE): Promise<void> {
  await stores.coverage.record({
    projectId: "p",
    queryId,
    poll: "added",
    startedAt,
    fromAt: startedAt - span,
    untilAt: startedAt,
    claimed: stored,
    seen: stored,
    stored,
    rejected: 0,
    gap: 0,
  });
}

test("a silent query is found with the counts of the same hours on earlier days", async () => {
  // Five days of ten mentions an hour, a backfill at their beginning, and two silent hours today.
  await polled("1", NOON - 5 * DAY - 12 * HOUR, 9_000, 14 * DAY);
  for (let at = NOON - 5 * DAY - 11 * HOUR; at <= NOON; at += HOUR / 2) {
    await polled("1", at, at <= NOON - 2 * HOUR ? 5 : 0);
    await polled("2", at, 5);
  }
  const [rhythm, ...more] = await stores.health.rhythms(NOON, HOUR, 14);
  expect(more).toEqual([]);
  expect(rhythm).toEqual({
    projectId: "p",
    queryId: "1",
    queryName: "Acme",
    silentSince: NOON - 2 * HOUR,
    completeUntil: NOON,
    before: [20, 20, 20, 20, 20],
  });
});

test("failures keep their beginning while they go on, and go with a success", async () => {
  const failure = {
    kind: "receiver",
    scope: "comms",
    reason: "failing",
    message: "no",
    final: false,
  } as const;
  expect(await stores.failures.note(failure, NOON)).toBe(1);
  expect(await stores.failures.note({ ...failure, message: "still no" }, NOON + MINUTE)).toBe(2);
  expect(await stores.failures.open()).toMatchObject([{ since: NOON, times: 2, message: "still no" }]);
  await stores.failures.note({ ...failure, reason: "refused", final: true }, NOON + HOUR);
  expect(await stores.failures.open()).toMatchObject([{ since: NOON + HOUR, times: 3, final: true }]);
  await stores.failures.clear("receiver", ["comms", "others"]);
  expect(await stores.failures.open()).toEqual([]);
});

test("of many processes one takes the turn", async () => {
  const takes = await Promise.all(
    Array.from({ length: 5 }, () => stores.health.takeTurn("beat", 60_000, NOON)),
  );
  expect(takes.filter(Boolean)).toHaveLength(1);
});

test("whoever began before another one took the turn does not take it, too", async () => {
  await stores.transaction(async (facts) => {
    await facts.health.takeTurn("earlier", 60_000, NOON);
    expect(await stores.health.takeTurn("late beat", 60_000, NOON)).toBe(true);
    expect(await facts.health.takeTurn("late beat", 60_000, NOON)).toBe(false);
  });
});

test("polls that wait for a retry are not untaken work", async () => {
  await sql`update earshot.polls set next_at = to_timestamp(0)`.execute(database.db);
  expect(await stores.health.waiting(NOON)).toMatchObject({ polls: 4, deliveries: 0, lastPolledAt: null });
  await sql`update earshot.polls set retry_at_wall = now() + interval '1 hour'`.execute(database.db);
  expect(await stores.health.waiting(NOON)).toMatchObject({ polls: 0, oldestPollMs: 0 });
});
