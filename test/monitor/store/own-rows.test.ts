import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Notification, PendingNotification } from "../../../src/monitor/model/notification.ts";
import { FIRST_REPORT } from "../../../src/monitor/model/wording.ts";
import { createReceiverWaits } from "../../../src/monitor/notify/deliver/receiver-waits.ts";
import { slack } from "../../../src/monitor/notify/notifiers/slack.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { dueWork } from "./due-work.ts";
import { begun } from "./waiting.ts";

// The same ids are in two projects, each alert has receivers beside the one that is meant, and each receiver another alert.
// What is done to one of them changes and finds no other.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const [P, OTHER] = ["p", "other"];

beforeAll(() => ensurePartitions(database.db, NOON));

/** What `work` changes in a table, in the words of `names`. */
async function changedIn(
  table: keyof typeof KEYS,
  names: Record<string, string>,
  work: () => Promise<unknown>,
): Promise<string[]> {
  const changed = await changedBy(database.db, table, KEYS[table], work);
  return changed.map((key) => key.replaceAll(/\S{36}/g, (id) => names[id] ?? id)).sort();
}

const KEYS = {
  notifications: ["project_id", "id"],
  deliveries: ["project_id", "notification_id", "attempt"],
  alert_messages: ["project_id", "alert_id", "receiver"],
  alert_receivers: ["project_id", "alert_id", "receiver"],
  alerts: ["project_id", "id"],
  latest_alerts: ["project_id", "alert_id"],
  incident_alerts: ["project_id", "alert_id"],
} as const;

const BASE: Omit<Alert, "id" | "projectId" | "fingerprint"> = {
  ...{ rule: "negative", queryId: "1", queryName: "Acme", severity: "warning", state: "firing" },
  ...{ labels: { query: "Acme" }, openedAt: NOON, firedAt: NOON, lastSeenAt: NOON, resolvedAt: null },
  ...{ notifyCount: 1, renotifyReason: null, mentions: 1, because: "negative", windowFrom: NOON },
  ...{ windowTo: NOON, values: {}, handling: {}, progress: {} },
};

const RECEIVERS = ["on-call", "press"] as const;
type Key = { projectId: string; alertId: string; receiver: string };

interface World {
  readonly a: Alert;
  readonly b: Alert;
  /** By alert and receiver: the same id in both projects. */
  readonly ids: Readonly<Record<"a" | "b", Readonly<Record<(typeof RECEIVERS)[number], string>>>>;
  readonly names: Record<string, string>;
  readonly key: Key;
  find(id: string): Promise<Notification>;
}

/** Two alerts in two projects, with a notification of each to two receivers. */
async function aWorld(): Promise<World> {
  const [aId, bId] = [uuid7(NOON), uuid7(NOON)];
  for (const table of Object.keys(KEYS))
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  const alerts = [P, OTHER].flatMap((projectId) =>
    [aId, bId].map((id): Alert => ({ ...BASE, projectId, id, fingerprint: `negative ${id}` })),
  );
  for (const projectId of [P, OTHER])
    await stores.alerts.save(alerts.filter((one) => one.projectId === projectId));
  const [a, b] = alerts;
  if (a === undefined || b === undefined) throw new Error("there are four");
  const id = () => uuid7(NOON);
  const ids = { a: { "on-call": id(), press: id() }, b: { "on-call": id(), press: id() } };
  const names: Record<string, string> = { [aId]: "a", [bId]: "b" };
  for (const projectId of [P, OTHER])
    for (const [name, alert] of [
      ["a", a],
      ["b", b],
    ] as const)
      for (const receiver of RECEIVERS) {
        names[ids[name][receiver]] = `${name}-${receiver}`;
        await stores.notifications.addPending([
          {
            ...{
              id: ids[name][receiver],
              projectId,
              receiver,
              kind: "fired",
              alertId: alert.id,
              digest: null,
            },
            ...{ createdAt: NOON, reason: "FirstNotification" },
          },
        ]);
      }
  const find = async (id: string) => {
    const all = await Promise.all([a, b].map((alert) => stores.notifications.ofAlert(P, alert.id)));
    const found = all.flat().find((one) => one.id === id);
    if (found === undefined) throw new Error("it is not stored");
    return found;
  };
  return { a, b, ids, names, key: { projectId: P, alertId: aId, receiver: "on-call" }, find };
}

/** Whether every notification is due, sent or dead. */
const set = (state: string) => sql`update earshot.notifications set state = ${state}`.execute(database.db);
const lease = (fate: "held" | "over") =>
  sql`update earshot.notifications set leased_until_wall = now() + ${fate === "held" ? "1 min" : "-1 min"}::interval`.execute(
    database.db,
  );

test("a claim takes one notification, and holds it until its lease ends", async () => {
  const { ids, names } = await aWorld();
  const { claim, renew } = stores.notifications;
  const id = ids.a["on-call"];
  expect(await changedIn("notifications", names, () => claim(P, id))).toEqual(["p a-on-call"]);
  expect(await claim(P, id)).toBeNull();
  const claimed = await claim(OTHER, id);
  if (claimed === null) throw new Error("it is free in the other project");
  await sql`update earshot.notifications set attempts = 1`.execute(database.db);
  expect(await changedIn("notifications", names, () => renew({ ...claimed, projectId: P }))).toEqual([
    "p a-on-call",
  ]);
  expect(await renew({ ...claimed, attempts: 2 })).toBe(false);
  await lease("over");
  expect(await claim(P, id)).toMatchObject({ attempts: 2 });
  await set("sent");
  expect(await renew(claimed)).toBe(false);
  await lease("over");
  expect(await claim(P, id)).toBeNull();
  await set("due");
  await sql`update earshot.notifications set next_attempt_wall = now() + interval '1 min'`.execute(
    database.db,
  );
  expect(await claim(P, id)).toBeNull();
});

test("a notification waits for the one before it about the same alert to the same receiver, and for no other", async () => {
  const { a, b, ids } = await aWorld();
  const { addPending, claim, nextDue } = stores.notifications;
  const facts = { kind: "resolved", digest: null, createdAt: NOON, reason: "Resolved" } as const;
  // One of another project came earlier, and one of another alert, and one to another receiver: none is in the way.
  await sql`delete from earshot.notifications where project_id = ${P} and id = ${ids.a["on-call"]}::uuid`.execute(
    database.db,
  );
  const later = { ...facts, id: uuid7(NOON), projectId: P, receiver: "on-call", alertId: a.id };
  const last = { ...later, id: uuid7(NOON) };
  await addPending([later, last]);
  expect(await claim(P, last.id)).toBeNull();
  await lease("held");
  await sql`update earshot.notifications set leased_until_wall = null where id = ${later.id}::uuid`.execute(
    database.db,
  );
  // The first is held by nobody, but two others of its receiver are.
  expect([await claim(P, later.id), await nextDue(["press"])]).toEqual([null, null]);
  await sql`update earshot.notifications set leased_until_wall = null where receiver = 'on-call' and alert_id <> ${b.id}::uuid`.execute(
    database.db,
  );
  await sql`update earshot.notifications set state = 'sent' where alert_id = ${b.id}::uuid`.execute(
    database.db,
  );
  // What is sent holds no slot, whatever its lease says, and what another receiver holds is not counted either.
  expect(await claim(P, later.id)).toMatchObject({ id: later.id });
  await sql`update earshot.notifications set state = 'sent' where id = ${later.id}::uuid`.execute(
    database.db,
  );
  expect(await claim(P, last.id)).toMatchObject({ id: last.id });
});

test("the next one of some receivers is due, free, and the first about its alert", async () => {
  const { a, b, ids } = await aWorld();
  const { nextDue, addPending } = stores.notifications;
  const next = async () => (await nextDue(["on-call"]))?.notificationId ?? null;
  const of = (id: string) => sql`project_id = ${P} and id = ${id}::uuid`;
  const change = (assignments: ReturnType<typeof sql>, where = sql`true`) =>
    sql`update earshot.notifications set ${assignments} where ${where}`.execute(database.db);
  await change(sql`state = 'sent'`, sql`project_id = ${OTHER}`);
  expect(await next()).toBe(ids.a["on-call"]);
  await change(sql`next_attempt_wall = now() + interval '1 min'`, of(ids.a["on-call"]));
  expect(await next()).toBe(ids.b["on-call"]);
  // One behind it about the same alert waits with it, and one about another alert does not.
  const facts = { kind: "resolved", digest: null, createdAt: NOON, reason: "Resolved" } as const;
  await addPending([{ ...facts, id: uuid7(NOON), projectId: P, receiver: "on-call", alertId: a.id }]);
  await change(sql`leased_until_wall = now() + interval '1 min'`, of(ids.b["on-call"]));
  expect(await next()).toBeNull();
  await change(sql`leased_until_wall = now() - interval '1 min'`, of(ids.b["on-call"]));
  expect(await next()).toBe(ids.b["on-call"]);
  await change(sql`state = 'sent'`, sql`receiver = 'on-call'`);
  expect(await next()).toBeNull();
  // What waits at another receiver or in another project is in nobody's way, nor is what was sent.
  await change(sql`state = 'due'`, sql`project_id = ${OTHER} or receiver = 'press'`);
  const last = { ...facts, id: uuid7(NOON), projectId: P, receiver: "on-call", alertId: b.id };
  await addPending([last]);
  await change(
    sql`state = 'sent'`,
    sql`project_id = ${OTHER} and receiver = 'on-call' and alert_id <> ${b.id}::uuid`,
  );
  await change(sql`urgency = 1`, sql`id = ${last.id}::uuid`);
  expect(await next()).toBe(last.id);
});

test("a sent or failed notification is noted for itself, and what it covers with it", async () => {
  const { ids, names, find } = await aWorld();
  const { claim, markSent, markFailed } = stores.notifications;
  const id = ids.a["on-call"];
  const claimed = await claim(P, id);
  if (claimed === null) throw new Error("it is free");
  await sql`update earshot.notifications set attempts = 1`.execute(database.db);
  const fail = (attempts: number, retryAfterMs: number | null) => () =>
    markFailed({ ...claimed, attempts }, { code: "away", detail: "away" }, retryAfterMs);
  expect(await changedIn("notifications", names, fail(2, 0))).toEqual([]);
  expect(await changedIn("notifications", names, fail(1, 0))).toEqual(["p a-on-call"]);
  expect(await changedIn("notifications", names, fail(1, null))).toEqual(["p a-on-call"]);
  expect((await find(id)).state).toBe("dead");
  // It was given up: that is not undone by who is late.
  expect(await changedIn("notifications", names, fail(1, 0))).toEqual([]);
  const covered = [ids.b.press];
  const sent = () => markSent(claimed, NOON, { ts: "1" }, covered);
  expect(await changedIn("notifications", names, sent)).toEqual(["p a-on-call", "p b-press"]);
  expect(
    await changedIn("notifications", names, () => markSent(claimed, NOON, { ts: "2" }, covered)),
  ).toEqual([]);
  const { rows } = await sql<{ row: string }>`
    select concat_ws(' ', project_id, notification_id, attempt, outcome) as row from earshot.deliveries`.execute(
    database.db,
  );
  expect(rows.map(({ row }) => row.replace(/\S{36}/, (one) => names[one] ?? one)).sort()).toEqual([
    "p a-on-call 1 failed",
    "p b-press 0 sent",
  ]);
});

test("what waits behind a notification is later, due, and about the same alert to the same receiver", async () => {
  const { a, b, ids, find } = await aWorld();
  const add = async (facts: Partial<PendingNotification>) => {
    const id = uuid7(NOON);
    const why = { kind: "reminder", digest: null, createdAt: NOON, reason: "Reminder" } as const;
    await stores.notifications.addPending([
      { ...why, id, projectId: P, receiver: "on-call", alertId: a.id, ...facts },
    ]);
    return id;
  };
  const behind = await add({});
  for (const facts of [{ projectId: OTHER }, { alertId: b.id }, { receiver: "press" }]) await add(facts);
  const sent = await add({});
  await sql`update earshot.notifications set state = 'sent' where id = ${sent}::uuid`.execute(database.db);
  const waiting = async (id: string) =>
    (await stores.notifications.waitingBehind(await find(id))).map((one) => one.id);
  expect(await waiting(ids.a["on-call"])).toEqual([behind]);
  expect(await waiting(behind)).toEqual([]);
});

test("the message that replies go to is the newest sent one of that alert at that receiver", async () => {
  const { a, ids, names } = await aWorld();
  const refs = [P, OTHER].flatMap((projectId) =>
    Object.values(ids).flatMap((of) => Object.values(of).map((id) => ({ projectId, id }))),
  );
  for (const { projectId, id } of refs)
    await sql`update earshot.notifications set vendor_ref = ${JSON.stringify({ ts: `${projectId} ${names[id]}` })}::jsonb
      where project_id = ${projectId} and id = ${id}::uuid`.execute(database.db);
  expect(await stores.notifications.firstRef(P, a.id, "on-call")).toBeNull();
  await set("sent");
  expect(await stores.notifications.firstRef(P, a.id, "on-call")).toEqual({ ts: "p a-on-call" });
  expect(await stores.notifications.firstRef(OTHER, a.id, "press")).toEqual({ ts: "other a-press" });
  const why = { kind: "reminder", digest: null, createdAt: NOON, reason: "Reminder" } as const;
  const reply = { ...why, id: uuid7(NOON), projectId: P, receiver: "on-call", alertId: a.id };
  await stores.notifications.addPending([reply]);
  const claimed = await stores.notifications.claim(P, reply.id);
  if (claimed === null) throw new Error("it is free");
  await stores.notifications.markSent(claimed, NOON, { ts: "2", inThread: "1" });
  expect(await stores.notifications.firstRef(P, a.id, "on-call")).toEqual({ ts: "p a-on-call" });
  await sql`delete from earshot.notifications where id = ${reply.id}::uuid`.execute(database.db);
  expect((await stores.notifications.ofAlert(P, a.id)).map((one) => one.vendorRef)).toEqual([
    ...[{ ts: "p a-on-call" }, { ts: "p a-press" }],
  ]);
  await sql`update earshot.notifications set receiver = 'elsewhere' where project_id = ${OTHER}`.execute(
    database.db,
  );
  expect(await stores.notifications.receiverOf(P, ids.a.press)).toBe("press");
  expect(await stores.notifications.receiverOf(OTHER, ids.a.press)).toBe("elsewhere");
});

test("a waiting notification becomes as urgent as a later one about its alert, and never less", async () => {
  const { a, b, names } = await aWorld();
  // The twin of the alert and its neighbour are critical, which says nothing about it.
  await stores.alerts.save([
    { ...a, projectId: OTHER, severity: "critical" },
    { ...b, severity: "critical" },
  ]);
  const add = async (severity: Alert["severity"]) => {
    await stores.alerts.save([{ ...a, severity }]);
    const why = { kind: "reminder", digest: null, createdAt: NOON, reason: "Reminder" } as const;
    const one = { ...why, id: uuid7(NOON), projectId: P, receiver: "on-call", alertId: a.id };
    names[one.id] = severity;
    const changed = await changedIn("notifications", names, () => stores.notifications.addPending([one]));
    expect(await changedIn("notifications", names, () => stores.notifications.addPending([one]))).toEqual([]);
    await sql`delete from earshot.notifications where id = ${one.id}::uuid`.execute(database.db);
    return changed;
  };
  expect(await add("info")).toEqual(["p info"]);
  expect(await add("warning")).toEqual(["p warning"]);
  await set("sent");
  expect(await add("critical")).toEqual(["p critical"]);
  await set("due");
  expect(await add("critical")).toEqual(["p a-on-call", "p critical"]);
});

test("what was given up of a receiver is counted and retried, since a moment", async () => {
  const { ids, names } = await aWorld();
  const { redeliver, givenUp, givenUpLately, claim, markFailed } = stores.notifications;
  const giveUp = async (projectId: string, id: string) => {
    const claimed = await claim(projectId, id);
    if (claimed === null) throw new Error("it is free");
    await markFailed(claimed, { code: "gone", detail: `${projectId} ${names[id]}` }, null);
  };
  await giveUp(P, ids.a["on-call"]);
  await giveUp(P, ids.b.press);
  await giveUp(OTHER, ids.b.press);
  const counts = (all: readonly { receiver: string; n: number }[]) =>
    all.map(({ receiver, n }) => [receiver, n]);
  expect(await givenUp(NOON)).toMatchObject([{ receiver: "on-call", n: 1, error: "p a-on-call" }, { n: 2 }]);
  expect(await givenUp(NOON + 1)).toEqual([]);
  const lately = async () => counts(await givenUpLately(NOON + 7 * DAY));
  expect(await lately()).toEqual([
    ["on-call", 1],
    ["press", 2],
  ]);
  expect(await givenUpLately(NOON + 7 * DAY + 1)).toEqual([]);
  expect(await changedIn("notifications", names, () => redeliver("on-call", NOON + 1))).toEqual([]);
  expect(await changedIn("notifications", names, () => redeliver("on-call", NOON))).toEqual(["p a-on-call"]);
  // It is tried again: nothing of it is given up, and only once when it fails again.
  expect(await lately()).toEqual([["press", 2]]);
  await giveUp(P, ids.a["on-call"]);
  expect(await lately()).toEqual([
    ["on-call", 1],
    ["press", 2],
  ]);
  await sql`update earshot.deliveries set at_wall = now() - interval '25 hours'`.execute(database.db);
  expect(await lately()).toEqual([]);
});

test("notifications to send now are due, free, few of each receiver, and none of a receiver that takes nothing", async () => {
  const { ids } = await aWorld();
  const due = async (notTo: string[] = []) =>
    (await stores.notifications.due(100, notTo))
      .map((one) => `${one.projectId} ${one.notificationId}`)
      .sort();
  const all = (receiver: (typeof RECEIVERS)[number]) =>
    [P, OTHER].flatMap((project) => [ids.a, ids.b].map((of) => `${project} ${of[receiver]}`));
  expect(await due()).toEqual([...all("on-call"), ...all("press")].sort());
  expect(await due(["press"])).toEqual(all("on-call").sort());
  await sql`update earshot.notifications set state = 'sent' where project_id = ${P} and receiver = 'press'`.execute(
    database.db,
  );
  expect(await due(["on-call"])).toEqual(
    all("press")
      .filter((one) => one.startsWith(OTHER))
      .sort(),
  );
  await set("due");
  await lease("held");
  expect(await due()).toEqual([]);
  await lease("over");
  expect(await due(["on-call"])).toEqual(all("press").sort());
  await sql`update earshot.notifications set next_attempt_wall = now() + interval '1 min' where receiver = 'press'`.execute(
    database.db,
  );
  expect(await due()).toEqual(all("on-call").sort());
  expect(await stores.notifications.unsettled()).toBe(8);
  expect(await stores.notifications.waiting()).toEqual(
    new Map([
      ["on-call", 4],
      ["press", 4],
    ]),
  );
  // They take turns in one channel.
  const notifier = slack.config.parse({
    kind: "slack",
    channel: "#alerts",
    token: "xoxb-1",
    postEvery: "2s",
  });
  const waits = createReceiverWaits(stores, [
    ...RECEIVERS.map((name) => ({ name, notifier })),
    { name: "alone", notifier: { ...notifier, channel: "#quiet" } },
  ]);
  expect((await waits()).map(({ receiver, waiting, forMs }) => [receiver, waiting, forMs])).toEqual([
    ["on-call", 4, 16_000],
    ["press", 4, 16_000],
  ]);
  await lease("held");
  expect(await stores.notifications.waiting()).toEqual(new Map());
  await set("sent");
  await lease("over");
  expect([await due(), await stores.notifications.unsettled()]).toEqual([[], 0]);
  expect(await stores.notifications.waiting()).toEqual(new Map());
});

test("a live message is claimed, kept and edited by itself", async () => {
  const { a, b, ids, names, key } = await aWorld();
  const { claim, renew, shown, postpone, stale, wake } = stores.alertMessages;
  const keys = [P, OTHER].flatMap((projectId) =>
    Object.entries(names).flatMap(([alertId, name]) =>
      name.length > 1 ? [] : RECEIVERS.map((receiver) => ({ projectId, alertId, receiver })),
    ),
  );
  for (const one of keys) await stale(one);
  await set("sent");
  await sql`update earshot.notifications set vendor_ref = json_build_object('ts', project_id)`.execute(
    database.db,
  );
  // A reply, and one that was never sent.
  const why = { kind: "reminder", digest: null, createdAt: NOON, reason: "Reminder" } as const;
  for (const [state, ref] of [
    ["sent", `{"ts": "2", "inThread": "1"}`],
    ["dead", `{"ts": "3"}`],
  ]) {
    const id = uuid7(NOON);
    await stores.notifications.addPending([{ ...why, id, projectId: P, receiver: "on-call", alertId: a.id }]);
    await sql`update earshot.notifications set state = ${state}, vendor_ref = ${ref}::jsonb where id = ${id}::uuid`.execute(
      database.db,
    );
  }
  const change = (work: () => Promise<unknown>) => changedIn("alert_messages", names, work);
  const mine = ["p a on-call"];
  await sql`update earshot.alert_messages set attempts = 3`.execute(database.db);
  expect(await change(() => stale(key))).toEqual(mine);
  let lease = "";
  const take = async () => {
    const claimed = await claim(key);
    if (claimed === null) throw new Error("it is free");
    expect(claimed.root).toMatchObject({ notificationId: ids.a["on-call"], ref: { ts: P } });
    lease = claimed.lease;
    return claimed;
  };
  expect(await change(take)).toEqual(mine);
  expect(await claim(key)).toBeNull();
  // All have one lease, as if they were claimed at one moment.
  await sql`update earshot.alert_messages set leased_until_wall = ${lease}::timestamptz`.execute(database.db);
  const held = () => ({ ...key, lease });
  expect(
    await change(async () => {
      lease = (await renew(held())) ?? "";
    }),
  ).toEqual(mine);
  expect(await renew({ ...key, lease: "2026-03-02 12:00:00Z" })).toBeNull();
  const save = (claim: ReturnType<typeof held>) => () =>
    stores.alertMessages.saveRef(claim, ids.a["on-call"], { ts: P, more: "1" });
  expect(await changedIn("notifications", names, save({ ...held(), lease: "2026-03-02 12:00:00Z" }))).toEqual(
    [],
  );
  expect(await changedIn("notifications", names, save(held()))).toEqual(["p a-on-call"]);
  await sql`update earshot.alert_messages set leased_until_wall = ${lease}::timestamptz`.execute(database.db);
  expect(await change(() => postpone(held(), 0))).toEqual(mine);
  expect(await change(() => postpone(held(), 0))).toEqual([]);
  const { state } = await take();
  await sql`update earshot.alert_messages set leased_until_wall = ${lease}::timestamptz`.execute(database.db);
  expect(await change(() => shown(held(), state, { editEveryMs: 0, isOver: false }))).toEqual(mine);
  // It shows its alert: how its twin and its neighbour change is not shown.
  await stores.alerts.save([
    { ...a, projectId: OTHER, mentions: 99 },
    { ...b, mentions: 99 },
  ]);
  await sql`update earshot.alert_messages set leased_until_wall = null`.execute(database.db);
  const due = await stores.alertMessages.due(["on-call"], 10);
  expect([await claim(key), due.map((one) => `${one.projectId} ${names[one.alertId]}`).sort()]).toEqual([
    ...[null, ["other a", "other b", "p b"]],
  ]);
  await stores.alerts.save([{ ...a, mentions: 99 }]);
  await sql`update earshot.alert_messages set watched = false`.execute(database.db);
  expect(await claim(key)).toBeNull();
  expect(await change(() => wake(P, a.id))).toEqual(["p a on-call", "p a press"]);
});

test("a live message is not edited while a notification about its alert is being sent to its receiver", async () => {
  const { key, ids, a, b } = await aWorld();
  const { claim, stale } = stores.alertMessages;
  await sql`update earshot.notifications set vendor_ref = '{"ts": "1"}', state = 'sent'
    where project_id = ${P} and id = ${ids.a["on-call"]}::uuid`.execute(database.db);
  const reply = { ...aReply, id: uuid7(NOON), projectId: P, receiver: "on-call", alertId: a.id };
  await stale(key);
  const isClaimed = async () => {
    await sql`update earshot.alert_messages set leased_until_wall = null, watched = true`.execute(
      database.db,
    );
    return (await claim(key)) !== null;
  };
  // Those of another project, alert and receiver are on their way, and what was sent is not, whatever its lease says.
  await lease("held");
  expect(await isClaimed()).toBe(true);
  await stores.notifications.addPending([reply]);
  expect(await isClaimed()).toBe(true);
  await lease("held");
  expect(await isClaimed()).toBe(false);
  await sql`update earshot.notifications set state = 'sent' where id = ${ids.a.press}::uuid or alert_id = ${b.id}::uuid`.execute(
    database.db,
  );
  expect(await isClaimed()).toBe(false);
  await lease("over");
  expect(await isClaimed()).toBe(true);
});

test("an alert notifies its receiver soon while a notification waits, or a decision is due", async () => {
  const { key, ids, a, b } = await aWorld();
  const soon = () => stores.alertMessages.notifiesSoon(key, NOON);
  const sent = (id: string) =>
    sql`update earshot.notifications set state = 'sent' where project_id = ${P} and id = ${id}::uuid`.execute(
      database.db,
    );
  // Those of another project, alert and receiver wait, and so do decisions about them.
  await sent(ids.a["on-call"]);
  const decision = (nextAt: number, of: typeof key) =>
    sql`insert into earshot.alert_receivers (project_id, alert_id, receiver, entry, next_at)
      values (${of.projectId}, ${of.alertId}::uuid, ${of.receiver}, '{}', to_timestamp(${nextAt / 1000}::float8))
      on conflict (project_id, alert_id, receiver) do update set next_at = excluded.next_at`.execute(
      database.db,
    );
  for (const other of [{ projectId: OTHER }, { alertId: b.id }, { receiver: "press" }])
    await decision(NOON, { ...key, ...other });
  expect(await soon()).toBe(false);
  const reply = { ...aReply, id: uuid7(NOON), projectId: P, receiver: "on-call", alertId: a.id };
  await stores.notifications.addPending([reply]);
  expect(await soon()).toBe(true);
  await sent(reply.id);
  expect(await soon()).toBe(false);
  await decision(NOON + 1, key);
  expect(await soon()).toBe(false);
  await decision(NOON, key);
  expect(await soon()).toBe(true);
});

const aReply = { kind: "reminder", digest: null, createdAt: NOON, reason: "Reminder" } as const;

test("a live message that was never sent is watched no more, and the others are", async () => {
  const { key, names } = await aWorld();
  for (const projectId of [P, OTHER])
    for (const receiver of RECEIVERS)
      for (const [alertId, name] of Object.entries(names))
        if (name.length === 1) await stores.alertMessages.stale({ projectId, alertId, receiver });
  const claim = () => stores.alertMessages.claim(key);
  expect(await changedIn("alert_messages", names, claim)).toEqual(["p a on-call"]);
  const { rows } = await sql`select from earshot.alert_messages where not watched`.execute(database.db);
  expect(rows).toHaveLength(1);
  await sql`update earshot.alert_messages set watched = true, next_edit_wall = now() + interval '1 min'`.execute(
    database.db,
  );
  expect(await changedIn("alert_messages", names, claim)).toEqual([]);
});

test("edits that are due are of these receivers, watched, free, and show an old state", async () => {
  const { key, names } = await aWorld();
  const { due, stale } = stores.alertMessages;
  await stale(key);
  await stale({ ...key, receiver: "press" });
  const found = async () =>
    (await due(["on-call"], 10)).map((one) => `${one.projectId} ${names[one.alertId]} ${one.receiver}`);
  const change = (assignment: ReturnType<typeof sql>) =>
    sql`update earshot.alert_messages set ${assignment}`.execute(database.db);
  expect(await found()).toEqual(["p a on-call"]);
  await change(sql`next_edit_wall = now() + interval '1 min'`);
  expect(await found()).toEqual([]);
  await change(sql`next_edit_wall = now(), leased_until_wall = now() + interval '1 min'`);
  expect(await found()).toEqual([]);
  await change(sql`leased_until_wall = now() - interval '1 min'`);
  expect(await found()).toEqual(["p a on-call"]);
  await change(sql`watched = false`);
  expect(await found()).toEqual([]);
});

test("a live message is deleted a month after it was watched, once its alert is gone", async () => {
  const { key, a } = await aWorld();
  const { stale, forget } = stores.alertMessages;
  await stale(key);
  const left = async () => {
    await forget();
    return (await sql`select from earshot.alert_messages`.execute(database.db)).rows.length;
  };
  const change = (assignment: ReturnType<typeof sql>) =>
    sql`update earshot.alert_messages set ${assignment}`.execute(database.db);
  await change(sql`next_edit_wall = now() - interval '31 days', watched = false`);
  expect(await left()).toBe(1);
  // Only the alert of its own project counts.
  await sql`delete from earshot.alerts where project_id = ${P} and id = ${a.id}::uuid`.execute(database.db);
  await change(sql`watched = true`);
  expect(await left()).toBe(1);
  await change(sql`watched = false, next_edit_wall = now() - interval '29 days'`);
  expect(await left()).toBe(1);
  await change(sql`next_edit_wall = now() - interval '31 days'`);
  expect(await left()).toBe(0);
});

test("decisions about an alert are made due again in its project, and those held for a reason where they are held", async () => {
  const { a, b, names } = await aWorld();
  const { saveEntries, reconsider, wake, entries } = stores.notifications;
  const all = [P, OTHER].flatMap((projectId) =>
    [a, b].flatMap(({ id }) =>
      RECEIVERS.map((receiver) => ({
        ...{ projectId, alertId: id, receiver, nextAt: NOON + HOUR },
        entry: { last: receiver === "press" ? "Silenced" : "Inhibited", of: projectId },
      })),
    ),
  );
  await saveEntries(all.map((one) => ({ ...one, nextAt: null })));
  await saveEntries(all);
  for (const projectId of [P, OTHER])
    await stores.queries.register(
      [{ projectId, queryId: "1", name: "Acme", projectName: "Brands", timezone: "UTC" }],
      NOON,
      NOON,
    );
  expect(await entries(P, [a.id])).toEqual(all.filter((one) => one.projectId === P && one.alertId === a.id));
  const change = (work: () => Promise<unknown>) => changedIn("alert_receivers", names, work);
  expect(await change(() => reconsider(P, a.id, NOON))).toEqual(["p a on-call", "p a press"]);
  expect(await change(() => wake(P, "Silenced", NOON))).toEqual(["p b press"]);
  expect(await change(() => wake(null, "Inhibited", NOON + 1))).toEqual([
    "other a on-call",
    "other b on-call",
    "p b on-call",
  ]);
  expect(await wake(null, "Silenced", NOON + HOUR)).toBe(0);
});

test("insights, what people did and the newest alert of a fingerprint are of one alert of one project", async () => {
  const { a, b, names } = await aWorld();
  const change = (work: () => Promise<unknown>, table: "alerts" | "latest_alerts") =>
    changedIn(table, names, work);
  const explain = (version: number) => () => stores.alerts.explain(P, a.id, { some: "words" }, version);
  expect(await change(explain(1), "alerts")).toEqual([]);
  expect(await change(explain(0), "alerts")).toEqual(["p a"]);
  const closed = { ...a, state: "resolved", resolvedAt: NOON + HOUR } as const;
  let latest: string[] = [];
  const amend = async () => {
    latest = await change(() => stores.alerts.amend(closed), "latest_alerts");
  };
  expect([await change(amend, "alerts"), latest]).toEqual([["p a"], ["p a"]]);
  await stores.alerts.save([a, { ...b, fingerprint: a.fingerprint }]);
  // A newer one has its fingerprint: it stays open.
  expect(await change(() => stores.alerts.amend(closed), "latest_alerts")).toEqual([]);
  for (const projectId of [P, OTHER])
    await stores.alerts.addEvents(
      projectId,
      [a, b].map(({ id }) => ({ alertId: id, at: NOON, what: "Opened", detail: projectId })),
    );
  expect((await stores.alerts.events(P, a.id)).map(({ alertId, detail }) => [alertId, detail])).toEqual([
    [a.id, P],
  ]);
});

test("a match is found by its rule, mention and query, in its project", async () => {
  const { a } = await aWorld();
  const mention = aMention({ publishedAt: NOON });
  const others = [
    aMention({ publishedAt: NOON, queryId: "2" }),
    aMention({ publishedAt: NOON, resourceId: "other" }),
    aMention({ publishedAt: NOON - DAY }),
  ];
  const match = { rule: "negative", mention, alertId: a.id, at: NOON, because: "its words" };
  await sql`delete from earshot.matches`.execute(database.db);
  await stores.alerts.addMatches(OTHER, [match]);
  await stores.alerts.addMatches(P, [
    { ...match, rule: "other" },
    ...others.map((one) => ({ ...match, mention: one })),
  ]);
  const already = () =>
    stores.alerts.alreadyMatched(P, [{ rule: "negative", mention }]).then((all) => all.size);
  expect(await already()).toBe(0);
  await stores.alerts.addMatches(P, [match, match]);
  expect(await already()).toBe(1);
  await sql`delete from earshot.matches where day < '2026-03-02'`.execute(database.db);
  expect((await stores.alerts.matchesOf(P, mention)).map(({ rule }) => rule)).toEqual(["negative", "other"]);
});

test("notifications about Earshot itself that are due are about alerts of its project, free, and in time", async () => {
  const { ids, names } = await aWorld();
  const digest = { id: uuid7(NOON), projectId: P, receiver: "press", kind: "digest", alertId: null } as const;
  await stores.notifications.addPending([
    { ...digest, digest: { name: "d", localDate: "2026-03-02" }, createdAt: NOON, reason: "Digest" },
  ]);
  const due = async () =>
    (await stores.health.ownDue(P)).map(
      ({ projectId, notificationId: id }) => `${projectId} ${names[id] ?? id}`,
    );
  expect(await due()).toEqual(["p a-on-call", "p a-press", "p b-on-call", "p b-press"]);
  const change = (id: string, assignment: ReturnType<typeof sql>) =>
    sql`update earshot.notifications set ${assignment} where id = ${id}::uuid`.execute(database.db);
  await change(ids.a["on-call"], sql`leased_until_wall = now() + interval '1 min'`);
  await change(ids.a.press, sql`leased_until_wall = now() - interval '1 min'`);
  await change(ids.b["on-call"], sql`next_attempt_wall = now() + interval '1 min'`);
  await change(ids.b.press, sql`state = 'sent'`);
  expect(await due()).toEqual(["p a-press"]);
});

test("a bounce is found by its mail and noted once for it, and two at the same time are two", async () => {
  const { a, ids, names } = await aWorld();
  const { findMail, note } = stores.bounces;
  const mail = { projectId: P, id: ids.a.press, receiver: "press", alertId: a.id };
  await sql`update earshot.notifications set vendor_ref = '{"messageId": "<other>"}'`.execute(database.db);
  await sql`update earshot.notifications set vendor_ref = '{"messageId": "<a>"}'
    where project_id = ${P} and id = ${mail.id}::uuid`.execute(database.db);
  expect(await findMail({ notificationId: null, messageId: "<a>" })).toEqual(mail);
  expect(await findMail({ notificationId: null, messageId: "<none>" })).toBeNull();
  const noted = (work: () => Promise<boolean>) => changedIn("deliveries", names, work);
  const [first, second] = [FIRST_REPORT, FIRST_REPORT + 1];
  for (const other of [
    { ...mail, projectId: OTHER },
    { ...mail, id: ids.b.press },
  ])
    await note(other, "bounced", "no such user");
  expect(await noted(() => note(mail, "bounced", "no such user"))).toEqual([`p a-press ${first}`]);
  expect(await note(mail, "bounced", "no such user")).toBe(false);
  expect(await noted(() => note(mail, "bounced", "the mailbox is full"))).toEqual([`p a-press ${second}`]);
  expect(await note(mail, "delayed", "no such user")).toBe(true);

  const results = await stores.transaction(async (facts) => {
    expect(await facts.bounces.note(mail, "bounced", "one")).toBe(true);
    for (const other of [
      { ...mail, projectId: OTHER },
      { ...mail, id: ids.b.press },
    ])
      expect((await begun(database.db, () => note(other, "bounced", "one"))).waits).toBe(false);
    return begun(database.db, () => note(mail, "bounced", "two"));
  });
  expect([results.waits, await results.result]).toEqual([true, true]);
});

test("a receiver's mails come back since the last one that was delivered to it", async () => {
  const deliver = (projectId: string, id: string, outcome: string, hoursAgo = 0) =>
    sql`insert into earshot.deliveries (project_id, notification_id, attempt, at_wall, outcome, detail)
      values (${projectId}, ${id}::uuid, (random() * 1e9)::int, now() - make_interval(hours => ${hoursAgo}), ${outcome}, '')
    `.execute(database.db);
  /** The receivers whose mails come back, and how many, when the first mail to the press did and this happened. */
  const open = async (
    more: (ids: World["ids"]) => readonly (readonly [string, string, string, number?])[],
    bounced: "a" | "b" = "a",
    hoursAgo = 0,
  ) => {
    const { ids } = await aWorld();
    await sql`update earshot.notifications set vendor_ref = jsonb_build_object('to', project_id)`.execute(
      database.db,
    );
    await deliver(P, ids[bounced].press, "bounced", hoursAgo);
    // Other receivers get theirs.
    for (const name of ["a", "b"] as const) await deliver(P, ids[name]["on-call"], "sent", 2);
    for (const [projectId, id, outcome, ago] of more(ids)) await deliver(projectId, id, outcome, ago);
    return (await stores.bounces.open()).map(({ receiver, to, times }) => `${receiver} ${to} ${times}`);
  };
  const comesBack = ["press p 1"];
  expect(await open(() => [])).toEqual(comesBack);
  expect(await open(() => [], "a", 8 * 24)).toEqual([]);
  expect(await open(({ b }) => [[P, b.press, "sent", 2]])).toEqual([]);
  expect(await open(({ b }) => [[P, b.press, "sent", 0]])).toEqual(comesBack);
  expect(await open(({ b }) => [[P, b.press, "failed", 2]])).toEqual(comesBack);
  expect(await open(({ a }) => [[P, a.press, "sent", 2]], "b")).toEqual(comesBack);
  for (const [outcome, times] of [
    ["bounced", 2],
    ["expired", 1],
  ] as const)
    expect(
      await open(({ b }) => [
        [P, b.press, "sent", 2],
        [P, b.press, outcome],
      ]),
    ).toEqual([`press p ${times}`]);
  // What became of the mail with the same id in another project counts for that one.
  expect(
    await open(({ b }) => [
      [P, b.press, "sent", 2],
      [OTHER, b.press, "expired"],
    ]),
  ).toEqual([]);
  expect(
    await open(({ b }) => [
      [OTHER, b.press, "sent", 2],
      [OTHER, b.press, "expired"],
    ]),
  ).toEqual(comesBack);
});

test("unsettled is what is in hand or waits for its next try, of what is watched, due or possible", async () => {
  const { key, ids } = await aWorld();
  const queries = ["1", "2"].map((queryId) => oddQuery({ queryId }));
  await stores.queries.register(queries, NOON, NOON);
  await stores.polls.ensure(NOON);
  await stores.alertMessages.stale(key);
  await stores.alertMessages.stale({ ...key, receiver: "press" });
  const correct = (id: string, problem: string | null) =>
    sql`insert into earshot.corrections (project_id, notification_id, next_try_wall, problem)
      values (${P}, ${id}::uuid, now() - interval '1 min', ${problem})`.execute(database.db);
  await correct(ids.a["on-call"], null);
  await correct(ids.a.press, "no such channel");
  const set = (table: string, change: ReturnType<typeof sql>, where = sql`true`) =>
    sql`update ${sql.table(`earshot.${table}`)} set ${change} where ${where}`.execute(database.db);
  await set("queries", sql`active = false`, sql`query_id = '2'`);
  await set("alert_messages", sql`watched = false`, sql`receiver = 'press'`);
  await set("notifications", sql`state = 'sent'`, sql`receiver = 'press'`);
  const { unsettled } = stores.dueWork;
  expect(await unsettled()).toBe(0);
  const soon = sql`now() + interval '1 min'`;
  const steps: [string, ReturnType<typeof sql>, number][] = [
    ["polls", sql`leased_until_wall = ${soon}`, 2],
    ["polls", sql`leased_until_wall = null, retry_at_wall = ${soon}`, 2],
    ["alert_messages", sql`leased_until_wall = ${soon}`, 3],
    ["notifications", sql`leased_until_wall = ${soon}`, 7],
    ["corrections", sql`leased_until_wall = ${soon}`, 8],
    ["corrections", sql`leased_until_wall = null, next_try_wall = ${soon}`, 8],
  ];
  for (const [table, change, n] of steps) {
    await set(table, change);
    expect([table, await unsettled()]).toEqual([table, n]);
  }
  for (const table of ["polls", "queries", "corrections"])
    await sql`delete from ${sql.table(`earshot.${table}`)} where project_id = ${P}`.execute(database.db);
});

test("dead jobs are those that failed for good and were not freed since", async () => {
  const letter = { projectId: P, queryId: "1", reason: "x", tries: 1, body: {} } as const;
  for (const scope of ["one", "two"]) await stores.deadLetters.add({ ...letter, kind: "job", scope }, NOON);
  await stores.deadLetters.add({ ...letter, kind: "page", scope: "a page" }, NOON);
  const { rows } = await sql<{ id: string }>`select id from earshot.dead_letters where scope = 'one'`.execute(
    database.db,
  );
  await stores.deadLetters.replay(
    rows.map(({ id }) => id),
    NOON,
  );
  expect((await dueWork(stores, NOON)).deadJobs).toEqual(["two"]);
});
