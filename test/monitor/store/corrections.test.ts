import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { untilWaiting } from "./waiting.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();

beforeAll(() => ensurePartitions(database.db, NOON));

async function aSentMessage(projectId: string) {
  const notificationId = uuid7(NOON);
  await sql`insert into earshot.notifications (project_id, id, receiver, kind, created_at, reason, state, vendor_ref)
    values (${projectId}, ${notificationId}::uuid, 'hook', 'fired', ${new Date(NOON)}, 'Fired', 'sent', '{"status": "200"}')`.execute(
    database.db,
  );
  return { projectId, notificationId };
}

// A program takes posts with one Idempotency-Key for one: it would keep what somebody asked to forget.
test("corrections of a message count on after one was made, and have one number as often as they are tried", async () => {
  const { corrections, erasures } = stores;
  const key = await aSentMessage("p");
  const want = () => erasures.correct(sql`n.id = ${key.notificationId}::uuid`);
  const claim = async () => {
    const claimed = await corrections.claim(key);
    if (claimed === null) throw new Error("it is not due");
    return claimed.claim;
  };

  await want();
  const first = await claim();
  expect(first.version).toBe(1);
  await corrections.postpone(first, 0, null);
  const again = await claim();
  expect(again.version).toBe(1);
  await corrections.settle(again);

  await want();
  const second = await claim();
  expect(second.version).toBe(2);
  // It is wanted once more while it is made.
  await want();
  await corrections.settle(second);
  const third = await claim();
  expect(third.version).toBe(3);
  await corrections.settle(third);
  expect(await corrections.claim(key)).toBeNull();
});

test("a correction that is wanted anew in the moment in which it is settled is due at once", async () => {
  const { corrections, erasures } = stores;
  const key = await aSentMessage("t");
  const want = (through: Pick<typeof stores, "erasures">) =>
    through.erasures.correct(sql`n.id = ${key.notificationId}::uuid`);
  await want({ erasures });
  const first = await corrections.claim(key);
  if (first === null) throw new Error("it is not due");
  let settled: Promise<void> | undefined;
  await stores.transaction(async (facts) => {
    await want(facts);
    settled = corrections.settle(first.claim);
    await untilWaiting(database.db);
  });
  await settled;
  const second = await corrections.claim(key);
  if (second === null) throw new Error("it is not due");
  expect(second.claim.version).toBe(2);
  await corrections.settle(second.claim);
});

// Else a driver that waits for quiet goes on while Slack still shows what somebody asked to forget.
test("a correction that is being made, or waits for another try, is not settled", async () => {
  const { corrections, dueWork, erasures } = stores;
  const key = await aSentMessage("q");
  await erasures.correct(sql`n.id = ${key.notificationId}::uuid`);
  expect(await dueWork.unsettled()).toBe(0);
  const claimed = await corrections.claim(key);
  if (claimed === null) throw new Error("it is not due");
  expect(await dueWork.unsettled()).toBe(1);
  await corrections.postpone(claimed.claim, 60_000, null);
  expect(await dueWork.unsettled()).toBe(1);
  await corrections.postpone(claimed.claim, null, "no_permission");
  expect(await dueWork.unsettled()).toBe(0);
  expect(await corrections.claim(key)).toBeNull();
});

test("a correction waits for its message without a try, however often that is tried", async () => {
  const { corrections, dueWork } = stores;
  const key = await aSentMessage("o");
  const set = (state: string) =>
    sql`update earshot.notifications set state = ${state} where project_id = 'o'`.execute(database.db);
  await stores.erasures.correct(sql`n.id = ${key.notificationId}::uuid`);
  await set("due");
  for (let n = 0; n < 3; n++) expect(await corrections.claim(key)).toBeNull();
  expect(await dueWork.unsettled()).toBe(0);
  await set("sent");
  expect(await corrections.claim(key)).toMatchObject({ claim: { attempts: 1 } });
  await sql`delete from earshot.corrections where project_id = 'o'`.execute(database.db);
});

test("a correction that is not possible stays that while a try of a later day meets another failure", async () => {
  const { corrections } = stores;
  const key = await aSentMessage("s");
  await stores.erasures.correct(sql`n.id = ${key.notificationId}::uuid`);
  const stuck = async () =>
    (
      await sql`select from earshot.corrections where project_id = 's' and problem = 'locked'`.execute(
        database.db,
      )
    ).rows.length;
  for (const retryAfterMs of [null, 1_000]) {
    await sql`update earshot.corrections set next_try_wall = now() where project_id = 's'`.execute(
      database.db,
    );
    const claimed = await corrections.claim(key);
    if (claimed === null) throw new Error("it is not due");
    await corrections.postpone(claimed.claim, retryAfterMs, retryAfterMs === null ? "locked" : null);
    expect(await stuck()).toBe(1);
  }
});

test("a correction that is wanted anew while one is not possible is tried at once", async () => {
  const { corrections, erasures } = stores;
  const key = await aSentMessage("r");
  const want = () => erasures.correct(sql`n.id = ${key.notificationId}::uuid`);
  await want();
  const claimed = await corrections.claim(key);
  if (claimed === null) throw new Error("it is not due");
  await want();
  await corrections.postpone(claimed.claim, null, "no_permission");
  expect(await corrections.claim(key)).toMatchObject({ claim: { version: 2, attempts: 1 } });
});

test("a correction is claimed, settled and postponed by itself: not its twin of another project, nor another message's", async () => {
  const { corrections, erasures } = stores;
  for (const table of ["corrections", "notifications"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  const [key, beside] = [await aSentMessage("u"), await aSentMessage("u")];
  const twin = { projectId: "v", notificationId: key.notificationId };
  await sql`insert into earshot.notifications select * from jsonb_populate_recordset(null::earshot.notifications, (
    select jsonb_agg(to_jsonb(n) || '{"project_id": "v"}') from earshot.notifications n where project_id = 'u'))
    on conflict do nothing`.execute(database.db);
  await erasures.correct(sql`n.project_id in ('u', 'v')`);
  const names = new Map([
    [key.notificationId, "own"],
    [beside.notificationId, "beside"],
  ]);
  const changed = async (
    table: "corrections" | "notifications",
    id: string,
    work: () => Promise<unknown>,
  ) => {
    const keys = await changedBy(database.db, table, ["project_id", id], work);
    return keys.map((one) => one.replace(/\S{36}/, (found) => names.get(found) ?? found));
  };
  const inCorrections = (work: () => Promise<unknown>) => changed("corrections", "notification_id", work);
  const free = () =>
    sql`update earshot.corrections set leased_until_wall = null, next_try_wall = now()`.execute(database.db);
  expect(await inCorrections(() => corrections.claim(key))).toEqual(["u own"]);
  expect(await corrections.claim(key)).toBeNull();
  await sql`update earshot.corrections set leased_until_wall = now() - interval '1 s'`.execute(database.db);
  const claimed = await corrections.claim(key);
  if (claimed === null) throw new Error("its lease is over");
  expect(claimed.notification.projectId).toBe("u");
  expect(await inCorrections(() => corrections.postpone(claimed.claim, 60_000, null))).toEqual(["u own"]);
  expect(await corrections.claim(key)).toBeNull();
  await free();
  // A message that is still being sent is waited for; one that never was needs no correction.
  const set = (state: string) =>
    sql`update earshot.notifications set state = ${state} where project_id = 'u' and id = ${key.notificationId}::uuid`.execute(
      database.db,
    );
  await set("due");
  expect(await corrections.claim(key)).toBeNull();
  await set("sent");
  await sql`update earshot.corrections set version = 2, leased_until_wall = now() + interval '1 min'`.execute(
    database.db,
  );
  // It was wanted anew, and is free for the next claim; the others are still held.
  expect(await inCorrections(() => corrections.settle(claimed.claim))).toEqual(["u own"]);
  await sql`update earshot.notifications set vendor_ref = '{"status": "200"}'`.execute(database.db);
  const settle = () => corrections.settle({ ...claimed.claim, version: 2 });
  expect(await changed("notifications", "id", settle)).toEqual(["u own"]);
  expect((await sql`select from earshot.corrections`.execute(database.db)).rows).toHaveLength(3);
  await free();
  await sql`update earshot.notifications set state = 'dead' where project_id = 'v'`.execute(database.db);
  expect(await inCorrections(() => corrections.claim(twin))).toEqual(["v own"]);
  expect((await sql`select from earshot.corrections`.execute(database.db)).rows).toHaveLength(2);
});

test("messages that could not be corrected are counted by receiver, the others are not", async () => {
  const { corrections, erasures } = stores;
  for (const table of ["corrections", "notifications"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  for (const projectId of ["w", "x"])
    await erasures.correct(sql`n.id = ${(await aSentMessage(projectId)).notificationId}`);
  expect(await corrections.notPossible()).toEqual([]);
  await sql`update earshot.corrections set problem = 'locked' where project_id = 'w'`.execute(database.db);
  expect(await corrections.notPossible()).toMatchObject([{ receiver: "hook", n: 1, error: "locked" }]);
  // Four of one alert: the newest three are named. A message and an alert elsewhere have the same ids.
  const alertId = uuid7(NOON);
  for (const [projectId, rule] of [
    ["y", "own"],
    ["z", "twin"],
  ])
    await sql`insert into earshot.alerts (project_id, id, rule, fingerprint, query_id, query_name, severity, state, labels, opened_at,
        last_seen_at, mentions, because, window_from, window_to, "values")
      select ${projectId}, id, case id when ${alertId}::uuid then ${rule} else 'beside' end, id::text, '1', 'Acme', 'info', 'firing', '{}',
        now(), now(), 1, '', now(), now(), '{}'
      from unnest(array[${alertId}, gen_random_uuid()]::uuid[]) id`.execute(database.db);
  for (let n = 0; n < 4; n++) await erasures.correct(sql`n.id = ${(await aSentMessage("y")).notificationId}`);
  await sql`update earshot.notifications set alert_id = ${alertId}::uuid where project_id = 'y'`.execute(
    database.db,
  );
  await sql`insert into earshot.notifications select * from jsonb_populate_recordset(null::earshot.notifications, (
    select jsonb_agg(to_jsonb(n) || '{"project_id": "z"}') from earshot.notifications n where project_id = 'y'))`.execute(
    database.db,
  );
  await sql`update earshot.corrections set problem = 'locked' where project_id = 'y'`.execute(database.db);
  await sql`delete from earshot.corrections where project_id <> 'y'`.execute(database.db);
  const own = { rule: "own" };
  expect(await corrections.notPossible()).toMatchObject([{ n: 4, newest: [own, own, own] }]);
  expect((await corrections.notPossible())[0]?.newest).toHaveLength(3);
  await sql`delete from earshot.notifications where project_id in ('y', 'z')`.execute(database.db);
  await sql`delete from earshot.alerts where project_id in ('y', 'z')`.execute(database.db);
});
