import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { DAY, MINUTE } from "../../../src/lib/instant.ts";
import { BUCKET_MS } from "../../../src/monitor/model/judging.ts";
import type { Notification } from "../../../src/monitor/model/notification.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { createStores, type Stores } from "../../../src/monitor/store/stores.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { dueWork } from "./due-work.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const KEY = { projectId: "p", queryId: "1", poll: "added" } as const;

beforeAll(async () => {
  await ensurePartitions(database.db, NOON);
  const query = oddQuery();
  await stores.queries.register(
    ["p", "other"].map((projectId) => ({ ...query, projectId })),
    NOON,
    NOON - DAY,
  );
  await stores.polls.ensure(NOON);
});

test("a writer of a query waits for its other writers, and not for another project's query of that id", async () => {
  const order: string[] = [];
  let second: Promise<unknown> = Promise.resolve();
  await stores.transaction(async (mine) => {
    await mine.queries.lock("p", "1");
    second = stores.transaction(async (others) => {
      await others.queries.lock("p", "1");
      order.push("second");
    });
    await stores.transaction((others) => others.queries.lock("other", "1"));
    // A transaction that does not wait has its lock by the time that a statement of a later one is answered.
    for (let i = 0; i < 5; i++) await stores.transaction((others) => others.queries.lock("other", "1"));
    order.push("first");
  });
  await second;
  expect(order).toEqual(["first", "second"]);
});

/** A page of the query that could not be stored. */
async function replayAll(): Promise<void> {
  const { add, replay } = stores.deadLetters;
  await add({ projectId: "p", queryId: "1", kind: "page", reason: "broken", tries: 1, body: { a: 1 } }, NOON);
  await replay("all", NOON);
}

async function loseGroup(): Promise<void> {
  const { replace } = stores.queryGroups;
  await replace("p", [{ queryGroupId: "7", name: "All", queryIds: ["1"] }], NOON);
  await replace("p", [], NOON);
}

const BOTH = (["updated", "added"] as const).map((poll) => ({ projectId: "p", queryId: "1", poll }));

test.each<[string, () => Promise<unknown>]>([
  ["made due", () => stores.polls.wake(BOTH, NOON)],
  ["claimed", () => stores.polls.claimAll(BOTH, NOON + DAY)],
  ["planned", () => stores.polls.plan(BOTH, NOON)],
  ["given calls of their own", () => stores.polls.pollAlone(BOTH)],
  ["left without a plan", () => stores.polls.promise([])],
  ["made due for a replay", replayAll],
  ["read again because their group is gone", loseGroup],
])(
  "polls that are %s together are locked in one order, so that two workers never wait for each other",
  async (_how, work) => {
    let done: Promise<unknown> = Promise.resolve();
    await stores.polls.promise(BOTH.map((key) => ({ ...key, nextPollAt: NOON })));
    // Its newest version stands behind the other row: who reads the table from its begin meets that one first.
    await sql`update earshot.polls set failures = failures where poll = 'added'`.execute(database.db);
    await database.db.transaction().execute(async (transaction) => {
      await sql`select from earshot.polls where (project_id, query_id, poll) = ('p', '1', 'updated') for update`.execute(
        transaction,
      );
      done = work();
      await expect
        .poll(async () => {
          const free =
            await sql`select from earshot.polls where (project_id, query_id, poll) = ('p', '1', 'added')
          for update skip locked`.execute(database.db);
          return free.rows.length;
        })
        .toBe(0);
    });
    await done;
    await sql`update earshot.polls set lease = null, leased_until_wall = null, planned_until_wall = null`.execute(
      database.db,
    );
  },
);

test("of two transactions that wait for each other one is repeated, and both are done", async () => {
  let tries = 0;
  const holding = new Set<string>();
  let bothHold = (): void => {};
  const crossed = new Promise<void>((resolve) => {
    bothHold = resolve;
  });
  const both = (first: string, second: string): Promise<string> =>
    stores.transaction(async ({ queries }) => {
      tries += 1;
      await queries.lock(first, "1");
      if (holding.add(first).size === 2) bothHold();
      // The first tries cross each other; the last one finds nobody.
      await crossed;
      await queries.lock(second, "1");
      return first;
    });
  expect(await Promise.allSettled([both("p", "other"), both("other", "p")])).toEqual([
    { status: "fulfilled", value: "p" },
    { status: "fulfilled", value: "other" },
  ]);
  expect(tries).toBeGreaterThan(2);
});

test("all that a snapshot reads is of one moment, whatever others commit meanwhile", async () => {
  await stores.snapshot(async ({ queries }) => {
    const before = await queries.active();
    await stores.queries.setTickedUntil("p", "1", NOON + DAY);
    expect(await queries.active()).toEqual(before);
  });
  expect(await stores.queries.find("p", "1")).toMatchObject({ tickedUntil: NOON + DAY });
});

test("a channel that asked for a long wait stays closed when a shorter wait follows", async () => {
  const pace = { key: "slack #alerts", everyMs: 0, burst: 1 };
  await stores.channelLimits.close(pace.key, 60 * MINUTE, "wait an hour");
  await stores.channelLimits.close(pace.key, 0, "wait a moment");
  expect(await stores.channelLimits.take(pace)).toBeNull();
});

test("a window is due at the very moment at which its last bucket is complete, in its own project only", async () => {
  await stores.queries.setTickedUntil("p", "1", NOON);
  await stores.queries.setTickedUntil("other", "1", NOON);
  const finish = async (completeUntil: number) => {
    const claimed = await stores.polls.claim(KEY, NOON);
    if (claimed === null) throw new Error("the poll cannot be claimed");
    await stores.polls.finish(KEY, claimed.lease, { completeUntil, polledAt: NOON, nextAt: NOON });
  };
  await finish(NOON + BUCKET_MS - 1);
  expect((await dueWork(stores, NOON)).windows).toEqual([]);
  await finish(NOON + BUCKET_MS);
  expect((await dueWork(stores, NOON)).windows).toEqual([{ projectId: "p", queryId: "1" }]);
  // Earlier completeness stays, even if a later poll claims less.
  await finish(NOON);
  expect(await stores.polls.completeUntil("p", "1")).toBe(NOON + BUCKET_MS);
  expect(await stores.polls.completeUntil("other", "1")).toBeNull();
});

const A_NOTIFICATION: Notification = {
  ...{ id: randomUUID(), projectId: "p", receiver: "r", kind: "fired", alertId: null, digest: null },
  ...{
    createdAt: NOON,
    state: "due",
    reason: "",
    attempts: 1,
    attemptsBefore: 0,
    lastError: null,
    vendorRef: null,
  },
};

/** What a crash of the server may take with it: leases and limits, which then end early, and nothing else. */
test.each<[string, "on" | "off", (stores: Stores) => Promise<unknown>]>([
  ["a poll that is made due", "off", ({ polls }) => polls.wake([{ queryId: "1", poll: "added" }], NOON)],
  [
    "the end of a poll that needs no call",
    "off",
    ({ polls }) => polls.skip([{ ...KEY, nextAt: NOON }], { polledAt: NOON, completeUntil: NOON }),
  ],
  ["the lease of a poll", "off", ({ polls }) => polls.claim(KEY, NOON)],
  ["its renewal", "off", ({ polls }) => polls.renew([{ key: KEY, lease: randomUUID() }])],
  [
    "a slot of a channel",
    "off",
    ({ channelLimits }) => channelLimits.take({ key: "k", everyMs: 0, burst: 1 }),
  ],
  ["the attempt to send a message", "on", ({ notifications }) => notifications.claim("p", randomUUID())],
  ["the renewal of the attempt", "off", ({ notifications }) => notifications.renew(A_NOTIFICATION)],
  ["the watermark", "on", ({ polls }) => polls.advance(KEY, randomUUID(), {}).catch(() => {})],
])("%s is committed with synchronous_commit %s", async (_, expected, work) => {
  await database.db.connection().execute(async (connection) => {
    await sql`begin`.execute(connection);
    await sql`set local synchronous_commit = on`.execute(connection);
    await work(createStores(connection));
    const { rows } = await sql`show synchronous_commit`.execute(connection);
    await sql`rollback`.execute(connection);
    expect(rows).toEqual([{ synchronous_commit: expected }]);
  });
});
