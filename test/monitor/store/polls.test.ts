import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { BUCKET_MS, JUDGED_AHEAD_MS } from "../../../src/monitor/model/judging.ts";
import { CLOCK_AHEAD_MS, type PollKey } from "../../../src/monitor/model/poll.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { dueWork } from "./due-work.ts";

// Queries 1 and 2 are in two projects, each with a poll for new mentions and one for changes; one of the eight is meant.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const { polls } = stores;
const [P, OTHER] = ["p", "other"];
const KEY: PollKey = { projectId: P, queryId: "1", poll: "added" };
const MINE = ["p 1 added"];
const nameOf = ({ projectId, queryId, poll }: PollKey) => `${projectId} ${queryId} ${poll}`;

beforeEach(async () => {
  for (const table of ["polls", "queries", "dead_letters", "arrival_rates", "latest_alerts"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  const queries = [P, OTHER].flatMap((projectId) =>
    ["1", "2"].map((queryId) => oddQuery({ projectId, queryId })),
  );
  await stores.queries.register(queries, NOON, NOON - DAY);
  await polls.ensure(NOON);
});

const changed = (work: () => Promise<unknown>) =>
  changedBy(database.db, "polls", ["project_id", "query_id", "poll"], work);
const change = (assignment: ReturnType<typeof sql>, where = sql`true`) =>
  sql`update earshot.polls set ${assignment} where ${where}`.execute(database.db);
const OWN = sql`project_id = ${P} and query_id = '1' and poll = 'added'`;

test("both polls of a watched query exist once, and those of no other", async () => {
  await change(sql`failures = 3`);
  await sql`delete from earshot.polls where ${OWN}`.execute(database.db);
  await sql`delete from earshot.polls where query_id = '2'`.execute(database.db);
  await sql`update earshot.queries set active = false where query_id = '2'`.execute(database.db);
  expect(await changed(() => polls.ensure(NOON))).toEqual(MINE);
});

test("a poll is claimed while it is due and free", async () => {
  const claims = async () => [(await polls.claim(KEY, NOON)) !== null, (await due()).includes("p 1 added")];
  const due = async () => (await dueWork(stores, NOON)).polls.map(nameOf);
  expect(await changed(() => polls.claim(KEY, NOON))).toEqual(MINE);
  expect(await claims()).toEqual([false, false]);
  expect(await due()).toHaveLength(7);
  for (const [assignment, isDue] of [
    [sql`leased_until_wall = now() - interval '1 s'`, true],
    [sql`leased_until_wall = null, next_at = next_at + interval '1 ms'`, false],
    [
      sql`leased_until_wall = null, retry_at_wall = now() + interval '1 min', next_at = ${new Date(NOON)}`,
      false,
    ],
    [sql`leased_until_wall = null, retry_at_wall = now() - interval '1 s'`, true],
  ] as const) {
    await change(assignment, OWN);
    expect([(await due()).includes("p 1 added"), (await polls.claim(KEY, NOON)) !== null]).toEqual([
      isDue,
      isDue,
    ]);
  }
  // A clock that was ahead has made it; and a plan leaves it to the job that is on its way.
  const ahead = (ms: number) => sql`leased_until_wall = null, next_at = ${new Date(NOON + DAY)},
    polled_at = ${new Date(NOON + CLOCK_AHEAD_MS + ms)}`;
  await change(ahead(0), OWN);
  expect(await claims()).toEqual([false, false]);
  await change(ahead(1), OWN);
  expect((await due()).includes("p 1 added")).toBe(true);
  await change(sql`planned_until_wall = now() + interval '1 min'`, OWN);
  expect((await due()).includes("p 1 added")).toBe(false);
  await change(sql`planned_until_wall = now() - interval '1 s'`, OWN);
  expect((await due()).includes("p 1 added")).toBe(true);
  await sql`update earshot.queries set active = false where project_id = ${P}`.execute(database.db);
  expect((await due()).length).toBe(4);
});

test("who holds a poll moves, keeps and ends it, and nobody else does", async () => {
  const lease = randomUUID();
  const hold = () => change(sql`lease = ${lease}::uuid, leased_until_wall = now() - interval '1 s'`);
  const end = { completeUntil: NOON, polledAt: NOON, nextAt: NOON + HOUR };
  for (const [work, isStrict] of [
    [(of: string) => polls.renew([{ key: KEY, lease: of }]), false],
    [(of: string) => polls.advance(KEY, of, { step: 1 }), true],
    [(of: string) => polls.finish(KEY, of, end), false],
    [(of: string) => polls.fail(KEY, of, "away", 1_000), false],
    [(of: string) => polls.postpone(KEY, of, 1_000), false],
  ] as const) {
    await hold();
    expect(await changed(() => work(lease))).toEqual(MINE);
    await hold();
    const late = () => work(randomUUID());
    expect(await changed(isStrict ? () => expect(late()).rejects.toThrow() : late)).toEqual([]);
  }
});

test("what was asked for while a poll ran is still to be done when it ends", async () => {
  const read = async () => {
    const { rows } = await sql<{ reread: Date | null; until: number }>`
      select reread_from as reread, complete_until as until from earshot.polls where ${OWN}`.execute(
      database.db,
    );
    return rows[0];
  };
  const finish = async (completeUntil: number, rereadFrom: number | null, polledAt = NOON) => {
    const lease = randomUUID();
    await change(sql`lease = ${lease}::uuid`, OWN);
    await polls.finish(KEY, lease, { completeUntil, polledAt, nextAt: NOON, rereadFrom });
    return read();
  };
  await change(sql`reread_from = ${new Date(NOON)}`);
  expect(await finish(NOON, NOON - 1)).toEqual({ reread: NOON, until: NOON });
  expect(await finish(NOON, NOON)).toEqual({ reread: null, until: NOON });
  // It is complete as far as before, unless a clock that was ahead has said so.
  expect((await finish(NOON - HOUR, null))?.until).toBe(NOON);
  const polledAt = NOON - JUDGED_AHEAD_MS;
  expect((await finish(NOON - HOUR, null, polledAt))?.until).toBe(NOON);
  expect((await finish(NOON - HOUR, null, polledAt - 1))?.until).toBe(NOON - HOUR);
});

test("announced mentions make the polls of their query due, where it is watched", async () => {
  await sql`update earshot.queries set active = false where project_id = ${OTHER}`.execute(database.db);
  await change(sql`next_at = ${new Date(NOON + HOUR)}`);
  const woken = () => polls.wake([KEY], NOON);
  expect(await changed(woken)).toEqual(MINE);
  expect((await woken()).map(nameOf)).toEqual(MINE);
});

const READ = JSON.stringify({ read: { revision: "r", at: NOON, version: "v" } });

test("a poll is skipped when it is due, free and has nothing to do but read what was written since", async () => {
  const found = async () => {
    const all = (await polls.dueAndRead(NOON, "account")).map(nameOf);
    const skip = () => polls.skip([{ ...KEY, nextAt: NOON + HOUR }], { polledAt: NOON, completeUntil: NOON });
    return [all.includes("p 1 added"), (await changed(skip)).length === 1, all.length];
  };
  const fresh = sql`state = ${READ}::jsonb, next_at = ${new Date(NOON)}, woken = false, failures = 0, reread_from = null,
    leased_until_wall = null, polled_at = null, complete_until = null`;
  await change(fresh);
  expect(
    await changed(() => polls.skip([{ ...KEY, nextAt: NOON }], { polledAt: NOON, completeUntil: NOON })),
  ).toEqual(MINE);
  await change(fresh);
  expect(await found()).toEqual([true, true, 8]);
  const not = [
    sql`next_at = ${new Date(NOON + 1)}`,
    sql`woken = true`,
    sql`failures = 1`,
    sql`reread_from = ${new Date(NOON)}`,
    sql`leased_until_wall = now() + interval '1 min'`,
    sql`state = '{}'`,
    sql`state = state || '{"running": {}}'`,
    sql`state = state || '{"gap": {}}'`,
  ];
  for (const assignment of not) {
    await change(fresh);
    await change(assignment, OWN);
    expect(await found()).toEqual([false, false, 7]);
  }
  await change(fresh);
  await change(sql`leased_until_wall = now() - interval '1 s'`, OWN);
  expect(await found()).toEqual([true, true, 8]);
  await change(fresh);
  await sql`update earshot.queries set active = false where project_id = ${OTHER}`.execute(database.db);
  expect(await found()).toEqual([true, true, 4]);
});

test("a poll is not skipped while it has dead letters to replay", async () => {
  await change(sql`state = ${READ}::jsonb`);
  expect(await polls.dueAndRead(NOON, "feeds")).toEqual([]);
  const letter = { projectId: P, queryId: "1", kind: "mention", reason: "x", tries: 1 } as const;
  await stores.deadLetters.add({ ...letter, resourceId: "m", body: { some: "mention" } }, NOON);
  const found = async () => (await polls.dueAndRead(NOON, "account")).length;
  expect(await found()).toBe(8);
  const [one] = await stores.deadLetters.open(1);
  await stores.deadLetters.replay([one?.id ?? ""], NOON);
  expect(await found()).toBe(6);
  await stores.deadLetters.settle(P, [one?.id ?? ""], NOON);
  expect(await found()).toBe(8);
});

test("a query is complete as far as its poll for new mentions, and several as far as the least complete", async () => {
  await change(sql`complete_until = ${new Date(NOON + DAY)}`);
  await change(sql`complete_until = ${new Date(NOON - 1)}`, sql`poll = 'updated'`);
  await change(sql`complete_until = ${new Date(NOON)}`, OWN);
  await change(
    sql`complete_until = ${new Date(NOON + 1)}`,
    sql`project_id = ${P} and query_id = '2' and poll = 'added'`,
  );
  expect(await polls.completeUntil(P, "1")).toBe(NOON);
  expect(await polls.completeUntil(OTHER, "1")).toBe(NOON + DAY);
  const query = (projectId: string, queryId: string) => ({ projectId, queryId });
  expect(await polls.completeUntilOf([query(P, "1"), query(P, "2")])).toBe(NOON);
  expect(await polls.completeUntilOf([query(P, "2"), query(OTHER, "2")])).toBe(NOON + 1);
  expect(await polls.completeUntilOf([query(OTHER, "2")])).toBe(NOON + DAY);
});

test("windows are due of watched queries with a complete bucket, judged by a clock ahead, or with alerts left open", async () => {
  const due = async () =>
    (await dueWork(stores, NOON)).windows.map((one) => `${one.projectId} ${one.queryId}`);
  const tickedUntil = (instant: number, where = sql`true`) =>
    sql`update earshot.queries set ticked_until = ${new Date(instant)} where ${where}`.execute(database.db);
  await tickedUntil(NOON);
  await change(sql`complete_until = ${new Date(NOON + BUCKET_MS)}`, sql`poll = 'updated'`);
  expect(await due()).toEqual([]);
  await change(sql`complete_until = ${new Date(NOON + BUCKET_MS)}`, OWN);
  expect(await due()).toEqual(["p 1"]);
  await tickedUntil(NOON + JUDGED_AHEAD_MS);
  await change(sql`complete_until = ${new Date(NOON)}`, OWN);
  expect(await due()).toEqual([]);
  await tickedUntil(NOON + JUDGED_AHEAD_MS + 1);
  expect(await due()).toEqual(["p 1"]);
  await change(sql`complete_until = ${new Date(NOON + 1)}`, OWN);
  expect(await due()).toEqual([]);
  await change(sql`complete_until = ${new Date(NOON)}`, OWN);
  await sql`update earshot.queries set active = false`.execute(database.db);
  expect(await due()).toEqual([]);
  const latest = (projectId: string, queryId: string, open: boolean) =>
    sql`insert into earshot.latest_alerts (project_id, fingerprint, query_id, alert_id, open)
      values (${projectId}, ${queryId}, ${queryId}, gen_random_uuid(), ${open})`.execute(database.db);
  await latest(P, "2", true);
  await latest(OTHER, "2", false);
  expect(await due()).toEqual(["p 2"]);
  await sql`update earshot.queries set active = true where query_id = '2'`.execute(database.db);
  expect(await due()).toEqual([]);
});

test("the planner sees polls that nobody holds, with their own arrival rates", async () => {
  const rate = (projectId: string, queryId: string, poll: string, hour: number, mentions: number) =>
    sql`insert into earshot.arrival_rates (project_id, query_id, poll, hour, mentions, ms, until_at)
      values (${projectId}, ${queryId}, ${poll}, ${hour}, ${mentions}, 1000, ${new Date(NOON)})`.execute(
      database.db,
    );
  let mentions = 0;
  for (const hour of [-1, -2, 5, 6])
    for (const [projectId, queryId, poll] of [
      [P, "1", "added"],
      [P, "1", "updated"],
      [P, "2", "added"],
      [OTHER, "1", "added"],
    ] as const)
      await rate(projectId, queryId, poll, hour, ++mentions);
  const all = () => polls.candidates(5, NOON);
  const own = async () => (await all()).find((one) => nameOf(one) === "p 1 added");
  expect(await all()).toHaveLength(8);
  expect(await own()).toMatchObject({ totalMentions: 1, recentMentions: 5, hourMentions: 9, alone: false });
  const alone = async (state: object) => {
    await change(sql`state = ${JSON.stringify(state)}::jsonb`, OWN);
    return (await own())?.alone;
  };
  expect(await alone({ running: { cursor: "c" } })).toBe(true);
  expect(await alone({ running: {} })).toBe(false);
  // A gap is polled again at once twice, and then at its moment.
  expect(await alone({ gap: { tries: 2, nextAt: NOON + 1 } })).toBe(true);
  expect(await alone({ gap: { tries: 3, nextAt: NOON + 1 } })).toBe(false);
  expect(await alone({ gap: { tries: 3, nextAt: NOON } })).toBe(true);
  expect(await alone({ gap: null })).toBe(false);
  for (const [assignment, isThere] of [
    [sql`leased_until_wall = now() + interval '1 min'`, false],
    [sql`leased_until_wall = now() - interval '1 s'`, true],
    [sql`retry_at_wall = now() + interval '1 min'`, false],
    [sql`retry_at_wall = now() - interval '1 s'`, true],
    [sql`planned_until_wall = now() + interval '1 min'`, false],
    [sql`planned_until_wall = now() - interval '1 s'`, true],
  ] as const) {
    await change(assignment, OWN);
    expect((await own()) !== undefined).toBe(isThere);
  }
  await sql`update earshot.queries set active = false where project_id = ${OTHER}`.execute(database.db);
  expect(await all()).toHaveLength(4);
  expect(await polls.candidates(5, NOON, "feeds")).toEqual([]);
});

test("a plan, a promise and a call of its own are of the polls that are named", async () => {
  await change(sql`next_at = ${new Date(NOON + HOUR)}`);
  expect(await changed(() => polls.plan([KEY], NOON))).toEqual(MINE);
  expect(await changed(() => polls.pollAlone([KEY]))).toEqual(MINE);
  expect(await changed(() => polls.promise([{ ...KEY, nextPollAt: NOON + MINUTE }]))).toEqual(MINE);
  expect(await changed(() => polls.promise([], "feeds"))).toEqual([]);
  expect(await changed(() => polls.promise([]))).toEqual(MINE);
});
