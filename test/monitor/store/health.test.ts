import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { PollKey } from "../../../src/monitor/model/poll.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { untilWaiting } from "./waiting.ts";

const NOON = Date.parse("2026-03-12T12:00:00Z");
const { database, stores } = await useStores();

beforeAll(async () => {
  const query = oddQuery();
  await ensurePartitions(database.db, NOON - 20 * DAY);
  await stores.queries.register(
    [
      ...[query, { ...query, queryId: "2", name: "Bolt" }],
      ...[
        { ...query, queryId: "3", name: "Left" },
        { ...query, queryId: "4", name: "Long silent" },
      ],
      { ...query, projectId: "other", name: "Of another project" },
    ],
    NOON - 6 * DAY,
    NOON - 6 * DAY,
  );
  await stores.polls.ensure(NOON);
  await sql`update earshot.queries set active = false where query_id = '3'`.execute(database.db);
  await sql`update earshot.polls set complete_until = to_timestamp(${NOON / 1000})`.execute(database.db);
});

beforeEach(async () => {
  for (const table of ["pulses", "failures", "outages"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
});

async function polled(
  { projectId = "p", queryId = "1", poll = "added" }: Partial<PollKey>,
  startedAt: number,
  stored: number,
  span = 10 * MINUTE,
): Promise<void> {
  await stores.coverage.record({
    ...{ projectId, queryId, poll, startedAt, fromAt: startedAt - span, untilAt: startedAt },
    ...{ claimed: stored, seen: stored, stored, rejected: 0, gap: 0 },
  });
}

test("a silent query is found with the counts of the same hours on earlier days", async () => {
  // Five days of ten mentions an hour, two backfills, and two silent hours today.
  await polled({}, NOON - 2 * DAY - HOUR - MINUTE, 9_000, 14 * DAY);
  await polled({}, NOON - DAY - HOUR - MINUTE, 9_000, 6 * HOUR);
  for (let at = NOON - 5 * DAY - 2 * HOUR; at <= NOON; at += HOUR / 2) {
    await polled({}, at, at <= NOON - 2 * HOUR ? 5 : 0);
    await polled({ poll: "updated" }, at, 5);
    await polled({ queryId: "2" }, at, 5);
    await polled({ projectId: "other" }, at, 7);
  }
  // These are known for longer, and one has been silent for longer than anybody looks.
  for (const other of [{ poll: "updated" }, { queryId: "2" }, { projectId: "other" }] as const)
    await polled(other, NOON - 8 * DAY, 5);
  await polled({ queryId: "4" }, NOON - 20 * DAY, 5);
  const rhythms = await stores.health.rhythms(NOON, 2 * HOUR, 14);
  expect(rhythms.map(({ queryId }) => queryId).sort()).toEqual(["1", "4"]);
  expect(rhythms.find(({ queryId }) => queryId === "1")).toEqual({
    projectId: "p",
    queryId: "1",
    queryName: "Acme",
    silentSince: NOON - 2 * HOUR,
    completeUntil: NOON,
    before: [20, 20, 20, 20, 20],
  });
  expect(rhythms.find(({ queryId }) => queryId === "4")).toMatchObject({ silentSince: NOON - 15 * DAY });
  expect((await stores.health.progress()).map(({ queryName }) => queryName)).toEqual([
    ...["Acme", "Bolt", "Long silent", "Of another project"],
  ]);
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
  for (const other of [{ kind: "job" }, { scope: "press" }] as const)
    await stores.failures.note({ ...failure, ...other }, NOON);
  await stores.failures.noteCheck("comms", true);
  const open = async () =>
    (await stores.failures.open()).map(({ kind, scope, checkFailed }) => [kind, scope, checkFailed]);
  expect(await open()).toEqual([
    ["job", "comms", false],
    ["receiver", "comms", true],
    ["receiver", "press", false],
  ]);
  await stores.failures.clear("receiver", ["comms", "others"]);
  expect(await open()).toEqual([
    ["job", "comms", false],
    ["receiver", "press", false],
  ]);
});

test("outages of one engine that are half a minute apart are one, and others are not", async () => {
  const { note, endedAfter } = stores.outages;
  const outage = { engine: "queue", outcome: "Away", because: null } as const;
  const [from, to, apart] = [NOON, NOON + MINUTE, 30_000];
  await note({ ...outage, from, to });
  await note({ ...outage, engine: "database", from, to });
  await note({ ...outage, outcome: "Emptied", from, to });
  await note({ ...outage, from: from - apart - 2, to: from - apart - 1 });
  await note({ ...outage, from: to + apart + 1, to: to + apart + 2 });
  const all = async () =>
    (await endedAfter(NOON - HOUR)).map(
      ({ engine, outcome, from: began }) => `${engine} ${outcome} ${began - NOON}`,
    );
  expect((await all()).sort()).toEqual([
    ...["database Away 0", "queue Away -30002", "queue Away 0", "queue Away 90001", "queue Emptied 0"],
  ]);
  expect(await endedAfter(to + apart + 2)).toEqual([]);
  await note({ ...outage, engine: "earshot", from, to });
  await note({
    ...outage,
    engine: "earshot",
    from: from - apart - MINUTE,
    to: from - apart,
    because: "a start",
  });
  await note({ ...outage, engine: "earshot", from: to + apart, to: to + apart + 1 });
  expect((await endedAfter(NOON - HOUR)).filter(({ engine }) => engine === "earshot")).toEqual([
    { ...outage, engine: "earshot", from: from - apart - MINUTE, to: to + apart + 1, because: "a start" },
  ]);
});

test("two processes that note one outage at the same time note one", async () => {
  const outage = {
    engine: "queue",
    outcome: "Away",
    because: null,
    from: NOON + DAY,
    to: NOON + DAY + 1,
  } as const;
  const holder = await database.pool.connect();
  try {
    await holder.query("begin");
    await holder.query("lock table earshot.outages in share row exclusive mode");
    const both = Promise.all([stores.outages.note(outage), stores.outages.note(outage)]);
    await untilWaiting(database.db, 2);
    await holder.query("commit");
    await both;
  } finally {
    holder.release();
  }
  expect(await stores.outages.endedAfter(NOON + DAY)).toEqual([outage]);
});

test("a part of the pipeline works again and again", async () => {
  await stores.health.beat("part", NOON);
  await sql`update earshot.pulses set at_wall = now() - interval '1 hour'`.execute(database.db);
  await stores.health.beat("part", NOON);
  expect((await stores.health.pulses()).get("part")).toBeLessThan(HOUR);
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
  await sql`update earshot.polls set next_at = to_timestamp(0), retry_at_wall = null`.execute(database.db);
  expect(await stores.health.waiting(NOON)).toMatchObject({ polls: 8, deliveries: 0, lastPolledAt: null });
  await sql`update earshot.polls set retry_at_wall = now() + interval '1 hour'`.execute(database.db);
  expect(await stores.health.waiting(NOON)).toMatchObject({ polls: 0, oldestPollMs: 0 });
});
