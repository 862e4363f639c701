import { sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { DAY, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { PendingNotification } from "../../../src/monitor/model/notification.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { dueWork } from "./due-work.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
let queries = 0;

beforeAll(async () => {
  await ensurePartitions(database.db, NOON);
});

async function aQuery(): Promise<string> {
  const queryId = String(++queries);
  const query = oddQuery({ queryId });
  await stores.queries.register([query], NOON, NOON - DAY);
  await stores.polls.ensure(NOON);
  return queryId;
}

function anAlert(queryId: string): Alert {
  return {
    id: uuid7(NOON),
    projectId: "p",
    rule: "negative",
    fingerprint: `negative ${queryId}`,
    queryId,
    queryName: "Acme",
    severity: "warning",
    state: "firing",
    labels: { query: "Acme" },
    openedAt: NOON,
    firedAt: NOON,
    lastSeenAt: NOON,
    resolvedAt: null,
    notifyCount: 1,
    renotifyReason: null,
    mentions: 1,
    because: "negative",
    windowFrom: NOON,
    windowTo: NOON,
    values: {},
    handling: {},
    progress: {},
  };
}

function pending(alert: Alert, kind: PendingNotification["kind"]): PendingNotification {
  const { projectId, id: alertId } = alert;
  const why = { createdAt: NOON, reason: "FirstNotification" };
  return { id: uuid7(NOON), projectId, receiver: "alerts", kind, alertId, digest: null, ...why };
}

test("a poll is claimed by one worker, is free when its lease has expired, and is then another's", async () => {
  const key = { projectId: "p", queryId: await aQuery(), poll: "added" } as const;
  const claims = await Promise.all([1, 2, 3].map(() => stores.polls.claim(key, NOON)));
  const [claim] = claims.filter((one) => one !== null);
  expect(claims.filter((one) => one !== null)).toHaveLength(1);
  const lease = claim?.lease ?? "";
  expect((await dueWork(stores, NOON)).polls).not.toContainEqual(key);
  await sql`update earshot.polls set leased_until_wall = now() - interval '1 s' where query_id = ${key.queryId}`.execute(
    database.db,
  );
  const next = await stores.polls.claim(key, NOON);
  expect(next).not.toBeNull();
  await expect(stores.polls.advance(key, lease, {})).rejects.toThrow("the poll added of query");
  await stores.polls.advance(key, next?.lease ?? "", { step: 2 });
  await stores.polls.fail(key, lease, "too late to say so", 0);
  await stores.polls.finish(key, lease, { completeUntil: NOON, polledAt: NOON, nextAt: NOON + DAY });
  expect(await stores.polls.completeUntil("p", key.queryId)).toBeNull();
  const { rows } = await sql<{ state: unknown; error: string | null }>`
    select state, last_error as error from earshot.polls where query_id = ${key.queryId} and poll = 'added'
  `.execute(database.db);
  expect(rows).toEqual([{ state: { step: 2 }, error: null }]);
});

test("a poll is not due before its time, nor while it waits for a retry", async () => {
  const key = { projectId: "p", queryId: await aQuery(), poll: "added" } as const;
  expect(await stores.polls.claim(key, NOON - 1)).toBeNull();
  const claim = await stores.polls.claim(key, NOON);
  await stores.polls.fail(key, claim?.lease ?? "", "away", 60_000);
  expect(await stores.polls.claim(key, NOON + HOUR)).toBeNull();
  expect((await dueWork(stores, NOON + HOUR)).polls).not.toContainEqual(key);
});

test("counts of one bucket add up, and come back in order of arrival", async () => {
  const queryId = await aQuery();
  const change = { series: "s", arrived: NOON, bucket: NOON - 5 * MINUTE, n: 2 };
  await Promise.all([1, 2, 3].map(() => stores.counts.add("p", queryId, [change])));
  await stores.counts.add("p", queryId, [{ ...change, arrived: NOON + 5 * MINUTE, n: -1 }]);
  await stores.counts.add("p", queryId, [{ ...change, arrived: NOON + 10 * MINUTE, n: 9 }]);
  expect(await stores.counts.arrivals("p", queryId, NOON, NOON + 10 * MINUTE)).toEqual([
    { ...change, n: 6 },
    { ...change, arrived: NOON + 5 * MINUTE, n: -1 },
  ]);
});

test("an alert comes back as it was written, and as the newest of its fingerprint", async () => {
  const alert = anAlert(await aQuery());
  await stores.alerts.save([alert]);
  expect(await stores.alerts.find("p", alert.id)).toEqual(alert);
  expect(await stores.alerts.openOfQuery("p", alert.queryId)).toEqual([alert]);
  const over = { ...alert, state: "resolved" as const, resolvedAt: NOON + HOUR };
  await stores.alerts.save([over]);
  expect(await stores.alerts.openOfQuery("p", alert.queryId)).toEqual([]);
  expect(await stores.alerts.latest("p", [alert.fingerprint])).toEqual([over]);
  // It fires again within `reopenWithin`: the same alert is open, is listed, and can end.
  await stores.alerts.save([alert]);
  expect(await stores.alerts.openOfQuery("p", alert.queryId)).toEqual([alert]);
});

test("a notification is taken by one, after those before it about the same alert, and settled once", async () => {
  const alert = anAlert(await aQuery());
  await stores.alerts.save([alert]);
  const [first, second] = [pending(alert, "fired"), pending(alert, "resolved")];
  await stores.notifications.addPending([first, second]);
  await stores.notifications.addPending([first]);
  expect(await stores.notifications.claim("p", second.id)).toBeNull();
  const claims = await Promise.all([1, 2, 3].map(() => stores.notifications.claim("p", first.id)));
  const [claimed] = claims.filter((one) => one !== null);
  expect(claims.filter((one) => one !== null)).toHaveLength(1);
  if (claimed === undefined || claimed === null) throw new Error("nobody has claimed it");
  expect(claimed.attempts).toBe(1);
  await stores.notifications.markSent(claimed, NOON, { ts: "1" });
  await stores.notifications.markFailed(claimed, { code: "failed", detail: "too late to say so" }, 0);
  expect(await stores.notifications.claim("p", first.id)).toBeNull();
  expect(await stores.notifications.firstRef("p", alert.id, "alerts")).toEqual({ ts: "1" });
  expect(await stores.notifications.claim("p", second.id)).toMatchObject({ kind: "resolved", attempts: 1 });
});

test("a message covers what waits behind it, but not a message that carries other alerts", async () => {
  const alert = anAlert(await aQuery());
  const [first, alone, carrying] = [
    pending(alert, "fired"),
    pending(alert, "reminder"),
    pending(alert, "wave"),
  ];
  await stores.notifications.addPending([first, alone, { ...carrying, also: [uuid7(NOON)] }]);
  const claimed = await stores.notifications.claim("p", first.id);
  if (claimed === null) throw new Error("it cannot be claimed");
  expect(await stores.notifications.waitingBehind(claimed)).toEqual([{ id: alone.id, kind: "reminder" }]);
});

test("a live message is not edited while a reply to it is being posted", async () => {
  const alert = anAlert(await aQuery());
  await stores.alerts.save([alert]);
  const key = { projectId: "p", alertId: alert.id, receiver: "live" };
  const [first, reply] = [pending(alert, "fired"), pending(alert, "reminder")].map((one) => ({
    ...one,
    receiver: "live",
  }));
  if (first === undefined || reply === undefined) throw new Error("there are two");
  await stores.notifications.addPending([first]);
  const posted = await stores.notifications.claim("p", first.id);
  if (posted === null) throw new Error("it cannot be claimed");
  await stores.alertMessages.stale(key);
  await stores.notifications.markSent(posted, NOON, { ts: "1" });
  await stores.notifications.addPending([reply]);
  const claimed = await stores.notifications.claim("p", reply.id);
  expect(await stores.alertMessages.claim(key)).toBeNull();
  if (claimed === null) throw new Error("it cannot be claimed");
  await stores.notifications.markSent(claimed, NOON, { ts: "2", inThread: "1" });
  expect(await stores.alertMessages.claim(key)).toMatchObject({ root: { notificationId: first.id } });
});

test.each([
  {
    what: "a person acts",
    ask: (alert: Alert) => stores.alertMessages.wake("p", alert.id),
  },
  {
    what: "one of its mentions is deleted",
    ask: (alert: Alert) =>
      stores.erasures.saveAlert("p", { ...alert, explanation: null }, { matched: 1, forgotten: 1 }),
  },
])("a live message is edited again at once when $what while it is being edited", async ({ what, ask }) => {
  const alert = anAlert(await aQuery());
  await stores.alerts.save([alert]);
  const key = { projectId: "p", alertId: alert.id, receiver: what };
  const first = { ...pending(alert, "fired"), receiver: what };
  await stores.notifications.addPending([first]);
  const posted = await stores.notifications.claim("p", first.id);
  if (posted === null) throw new Error("it cannot be claimed");
  await stores.alertMessages.stale(key);
  await stores.notifications.markSent(posted, NOON, { ts: "1" });
  const edit = await stores.alertMessages.claim(key);
  if (edit === null) throw new Error("it is not due");
  await ask(alert);
  await stores.alertMessages.shown({ ...key, lease: edit.lease }, edit.state, {
    editEveryMs: HOUR,
    isOver: true,
  });
  const next = await stores.alertMessages.claim(key);
  expect(next).toMatchObject({ attempts: 1 });
  await stores.alertMessages.shown({ ...key, lease: next?.lease ?? "" }, next?.state ?? "", {
    editEveryMs: HOUR,
    isOver: true,
  });
  expect(await stores.alertMessages.claim(key)).toBeNull();
});

test("a receiver that hangs holds two of the slots that all receivers share", async () => {
  const waiting = [1, 2, 3].map(() => ({
    ...pending({ ...anAlert("hangs"), id: uuid7(NOON) }, "fired"),
    receiver: "hangs",
  }));
  await stores.notifications.addPending(waiting);
  const claims: boolean[] = [];
  for (const { id } of waiting) claims.push((await stores.notifications.claim("p", id)) !== null);
  expect(claims).toEqual([true, true, false]);
});

test("a replay makes a poll due at once, also one that failed and waits", async () => {
  const key = { projectId: "p", queryId: await aQuery(), poll: "added" } as const;
  const letter = { projectId: "p", queryId: key.queryId, kind: "mention", reason: "x", tries: 1 } as const;
  await stores.deadLetters.add({ ...letter, resourceId: "m", body: { some: "mention" } }, NOON);
  const claim = await stores.polls.claim(key, NOON);
  await stores.polls.fail(key, claim?.lease ?? "", "away", 60_000);
  expect(await stores.polls.claim(key, NOON)).toBeNull();
  await stores.deadLetters.replay("all", NOON);
  expect(await stores.polls.claim(key, NOON)).not.toBeNull();
});

test("totals of two periods side by side count each mention once, and one without sentiment as one without", async () => {
  const queryId = await aQuery();
  const moments = [NOON - DAY, NOON - 1, NOON, NOON + DAY - 1, NOON + DAY];
  const page = moments.map((at, index) => ({
    mention: aMention({
      queryId,
      resourceId: `b${index}`,
      publishedAt: at,
      addedAt: at,
      updatedAt: at,
      sentiment: null,
    }),
    eventAt: at,
    story: String(index),
  }));
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  const query = { projectId: "p", queryId };
  for (const [from, mentions] of [
    [NOON - DAY, 2],
    [NOON, 2],
    [NOON + DAY, 1],
  ] as const) {
    const period = { from, to: from + DAY };
    const totals = (await stores.digests.sentiments(period)).filter((one) => one.queryId === queryId);
    expect(totals).toEqual([{ queryId, sentiment: null, n: mentions }]);
    const hours = await stores.digests.volume([query], period, { step: "hour", timezone: "Asia/Kolkata" });
    expect(hours.reduce((sum, hour) => sum + hour.mentions, 0)).toBe(mentions);
    const stories = await stores.digests.stories([query], period);
    expect(stories.reduce((sum, story) => sum + story.mentions, 0)).toBe(mentions);
  }
});

test("a decision waits while its query is about to be read, and not while the source is away", async () => {
  const queryId = await aQuery();
  const key = { projectId: "p", queryId, poll: "added" } as const;
  const alert = anAlert(queryId);
  await stores.alerts.save([alert]);
  const entry = { projectId: "p", alertId: alert.id, receiver: "alerts", entry: {}, nextAt: NOON };
  await stores.notifications.saveEntries([entry]);
  const due = async () => (await dueWork(stores, NOON)).decisions.map((one) => one.queryId);
  expect(await due()).not.toContain(queryId);
  const claim = await stores.polls.claim(key, NOON);
  expect(await due()).not.toContain(queryId);
  await stores.polls.fail(key, claim?.lease ?? "", "away", 60_000);
  expect(await due()).toContain(queryId);
});

test("a decision waits for one poll, though the next is due already", async () => {
  const queryId = await aQuery();
  const key = { projectId: "p", queryId, poll: "added" } as const;
  const alert = anAlert(queryId);
  await stores.alerts.save([alert]);
  const entry = { projectId: "p", alertId: alert.id, receiver: "alerts", entry: {}, nextAt: NOON };
  await stores.notifications.saveEntries([entry]);
  const pollAt = async (polledAt: Instant) => {
    const claim = await stores.polls.claim(key, NOON);
    const ended = { completeUntil: polledAt, polledAt, nextAt: polledAt + 1, rereadFrom: null };
    await stores.polls.finish(key, claim?.lease ?? "", ended);
  };
  const due = async () => (await dueWork(stores, NOON + MINUTE)).decisions.map((one) => one.queryId);
  await pollAt(NOON - 1);
  expect(await due()).not.toContain(queryId);
  await pollAt(NOON);
  expect(await due()).toContain(queryId);
});

test("a mention that cannot be stored becomes one dead letter, however often it is read", async () => {
  const queryId = await aQuery();
  const odd = { resourceId: "odd", reason: "it has no time" };
  for (const when of [NOON, NOON + MINUTE]) {
    await stores.coverage.deadLetters("p", queryId, when, [
      odd,
      odd,
      { resourceId: null, reason: "it is no object" },
    ]);
  }
  const { rows } = await sql`
    select resource_id as "resourceId", reason from earshot.dead_letters where query_id = ${queryId} order by reason
  `.execute(database.db);
  expect(rows).toEqual([odd, { resourceId: null, reason: "it is no object" }].sort(byReason));
});

function byReason(a: { reason: string }, b: { reason: string }): number {
  return a.reason < b.reason ? -1 : 1;
}

test("an edition of a digest is announced once and built by one", async () => {
  const period = { from: NOON - DAY, to: NOON };
  const before = { from: NOON - 2 * DAY, to: NOON - DAY };
  const edition = { name: "morning", localDate: "2026-03-02", dueAt: NOON, period, before };
  await Promise.all([1, 2, 3].map(() => stores.digests.announce(edition)));
  expect(await stores.digests.due()).toEqual([edition]);
  await stores.transaction(async (mine) => {
    expect(await mine.digests.lockDue("morning", "2026-03-02")).toEqual(edition);
    await stores.transaction(async (others) => {
      expect(await others.digests.lockDue("morning", "2026-03-02")).toBeNull();
    });
    await mine.digests.settle(edition, "built", { quiet: true });
  });
  expect(await stores.digests.due()).toEqual([]);
  expect(await stores.digests.body("morning", "2026-03-02")).toEqual({ quiet: true });
  expect(await stores.digests.since("morning", NOON)).toBe(NOON);
  expect(await stores.digests.since("morning", NOON + DAY)).toBe(NOON);
});

test("partitions are made by many processes at once", async () => {
  const inJune = Date.parse("2026-06-10T00:00:00Z");
  await Promise.all([1, 2, 3, 4].map(() => ensurePartitions(database.db, inJune)));
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname in ('mentions_2026_06', 'deliveries_2026_07')
  `.execute(database.db);
  expect(rows).toHaveLength(2);
});
