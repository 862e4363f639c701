import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { dueWork } from "./due-work.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const [P, OTHER] = ["p", "other"];

beforeEach(async () => {
  for (const table of [
    "alerts",
    "latest_alerts",
    "alert_receivers",
    "polls",
    "group_flushes",
    "notifications",
  ])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
});

function anAlert(facts: Partial<Alert>): Alert {
  const id = uuid7(NOON);
  return {
    ...{ id, projectId: P, rule: "negative", fingerprint: id, queryId: "1", queryName: "Acme" },
    ...{ severity: "warning", state: "firing", labels: { query: "Acme" }, openedAt: NOON, firedAt: NOON },
    ...{ lastSeenAt: NOON, resolvedAt: null, notifyCount: 1, renotifyReason: null, mentions: 1 },
    ...{ because: "", windowFrom: NOON, windowTo: NOON, values: {}, handling: {}, progress: {} },
    ...facts,
  };
}

/** Stores alerts whose `because` is their name, and twins of them with the same ids in the other project. */
async function save(facts: Record<string, Partial<Alert>>): Promise<Map<string, Alert>> {
  const own = Object.entries(facts).map(([because, one]) => anAlert({ because, ...one }));
  const twins = own.map((one) => ({ ...one, projectId: OTHER, because: `twin of ${one.because}` }));
  await stores.alerts.save(twins);
  await stores.alerts.save(own);
  return new Map(own.map((one) => [one.because, one]));
}
const names = (alerts: readonly Alert[]) => alerts.map(({ because }) => because).sort();
const RESOLVED = { state: "resolved", resolvedAt: NOON } as const;

test("alerts are found by their query, fingerprint or id in one project", async () => {
  const all = await save({ own: {}, beside: {}, elsewhere: { queryId: "2" }, over: RESOLVED });
  const [own, over] = [all.get("own"), all.get("over")];
  if (own === undefined || over === undefined) throw new Error("they are stored");
  expect(names(await stores.alerts.openOfQuery(P, "1"))).toEqual(["beside", "own"]);
  expect(names(await stores.alerts.latest(P, [own.fingerprint, over.fingerprint]))).toEqual(["over", "own"]);
  for (const [name, { id }] of all) expect((await stores.alerts.find(P, id))?.because).toBe(name);
  expect((await stores.alerts.find(OTHER, own.id))?.because).toBe("twin of own");
  expect(names(await stores.alerts.findMany(P, [own.id, over.id]))).toEqual(["over", "own"]);
  await stores.alerts.save([{ ...own, projectId: OTHER, queryName: "Twin" }]);
  expect(await stores.alerts.countByRule(P, [own.id, over.id])).toEqual([
    { query: "Acme", ruleName: "negative", count: 2 },
  ]);
});

test("the name of a fingerprint is that of its own alert", async () => {
  for (const projectId of [P, OTHER]) {
    await save({ own: { fingerprint: projectId }, beside: {} });
    await sql`update earshot.alerts set rule = project_id || ' ' || because`.execute(database.db);
    await sql`delete from earshot.latest_alerts where project_id <> ${projectId}`.execute(database.db);
    expect([...(await stores.alerts.namesOf([projectId])).values()]).toEqual([
      projectId === P ? "Acme, p own" : "Acme, other twin of own",
    ]);
  }
});

test("alerts that time may end are the open ones of a query: of a rule, those last seen before its moment", async () => {
  await save({
    old: { rule: "a", lastSeenAt: NOON - 1 },
    fresh: { rule: "a" },
    over: { rule: "a", lastSeenAt: NOON - 1, ...RESOLVED },
    elsewhere: { rule: "a", lastSeenAt: NOON - 1, queryId: "2" },
    free: { rule: "b" },
    last: { rule: "c", lastSeenAt: NOON - 1 },
  });
  const ending = await stores.alerts.openThatMayEnd({ projectId: P, queryId: "1" }, [
    { rule: "a", before: NOON },
    { rule: "c", before: NOON - 1 },
  ]);
  expect(names(ending)).toEqual(["free", "old"]);
});

test("an alert inhibits while it fires, in its project, when it is not the mildest; the most severe first", async () => {
  await save({
    mild: { severity: "info" },
    warning: {},
    critical: { severity: "critical" },
    pending: { state: "pending", firedAt: null },
    over: RESOLVED,
  });
  const found = await stores.alerts.inhibitorsOfProject(P);
  expect(found.map(({ because }) => because)).toEqual(["critical", "warning"]);
});

const SPAN = { from: NOON, to: NOON + HOUR };

test("alerts opened in a span are those from its first moment to before its last", async () => {
  await save({
    before: { openedAt: SPAN.from - 1 },
    first: { openedAt: SPAN.from },
    last: { openedAt: SPAN.to - 1 },
    after: { openedAt: SPAN.to },
    "never fired": { openedAt: SPAN.from, firedAt: null },
    "of another rule": { openedAt: SPAN.from, rule: "other" },
    "of another query": { openedAt: SPAN.from, queryId: "2" },
  });
  const opened = await stores.alerts.openedBetween(SPAN.from, SPAN.to);
  expect(names(opened.filter((one) => one.projectId === P && one.rule === "negative"))).toEqual([
    ...["first", "last", "never fired", "of another query"],
  ]);
  const query = { projectId: P, queryId: "1" };
  expect(await stores.alerts.countOfRule(query, "negative", SPAN.from, SPAN.to)).toBe(2);
  // With the twins: of the first, the last, the one after, and the one of another query.
  expect((await stores.alerts.precision(SPAN.from)).map(({ rule, fired }) => [rule, fired])).toEqual([
    ["negative", 8],
    ["other", 2],
  ]);
});

test("alerts that were open in a span began before its end and ended in it or later", async () => {
  const opened = SPAN.from - HOUR;
  await save({
    "over before": { openedAt: opened, state: "resolved", resolvedAt: SPAN.from - 1 },
    "over at its begin": { openedAt: opened, state: "resolved", resolvedAt: SPAN.from },
    "still open": { openedAt: opened },
    "opened last": { openedAt: SPAN.to - 1 },
    "opened at its end": { openedAt: SPAN.to },
    "opened later": { openedAt: SPAN.to + 1 },
    pending: { openedAt: opened, state: "pending" },
    "of another rule": { openedAt: opened, rule: "other" },
    "of another query": { openedAt: opened, queryId: "2" },
  });
  const open = await stores.alerts.openBetween(SPAN.from, SPAN.to);
  expect(names(open.filter((one) => one.projectId === P))).toEqual([
    ...["of another query", "of another rule", "opened last", "over at its begin", "still open"],
  ]);
  const query = { projectId: P, queryId: "1" };
  expect(names(await stores.alerts.ofRule(query, "negative", SPAN.from, SPAN.to))).toEqual([
    ...["opened at its end", "opened last", "over at its begin", "pending", "still open"],
  ]);
});

/** Decisions that are stored with the alerts: by the alert's name, why they are held, and when they are due. */
async function decide(
  alerts: ReadonlyMap<string, Alert>,
  entries: Record<string, { last: string; nextAt: number | null; receiver?: string }>,
): Promise<void> {
  await stores.notifications.saveEntries(
    Object.entries(entries).map(([name, { last, nextAt, receiver = "on-call" }]) => ({
      ...{ projectId: P, alertId: alerts.get(name)?.id ?? "", receiver, entry: { last }, nextAt },
    })),
  );
}

async function watch(...queries: readonly (readonly [projectId: string, queryId: string])[]): Promise<void> {
  await stores.queries.register(
    queries.map(([projectId, queryId]) => oddQuery({ projectId, queryId })),
    NOON,
    NOON - DAY,
  );
}

test("alerts to reconsider are the due ones of the query, and those that wait with them for one message", async () => {
  const alerts = await save({
    due: {},
    "due later": {},
    "due for itself": {},
    "waits with it": { queryId: "2" },
    "waits at another receiver": { queryId: "2" },
    "waits for something else": { queryId: "2" },
    "waits no more": { queryId: "2" },
    "due elsewhere": { queryId: "2" },
  });
  await decide(alerts, {
    due: { last: "HeldByGroup", nextAt: NOON },
    "due later": { last: "NoNewEvidence", nextAt: NOON + 1 },
    "due for itself": { last: "NoNewEvidence", nextAt: NOON, receiver: "press" },
    "waits with it": { last: "HeldByThrottle", nextAt: NOON + HOUR },
    "waits at another receiver": { last: "HeldByThrottle", nextAt: NOON + HOUR, receiver: "press" },
    "waits for something else": { last: "Silenced", nextAt: NOON + HOUR },
    "waits no more": { last: "HeldByThrottle", nextAt: null },
    "due elsewhere": { last: "NoNewEvidence", nextAt: NOON },
  });
  // The twins are of the other query, and are not asked for.
  await sql`update earshot.alerts set query_id = case query_id when '1' then '2' else '1' end where project_id = ${OTHER}`.execute(
    database.db,
  );
  const twin = (name: string) => ({
    ...{ projectId: OTHER, receiver: "on-call" },
    alertId: alerts.get(name)?.id ?? "",
  });
  await stores.notifications.saveEntries([
    { ...twin("due later"), entry: { last: "HeldByGroup" }, nextAt: NOON },
    { ...twin("due elsewhere"), entry: { last: "HeldByGroup" }, nextAt: NOON },
  ]);
  const reconsidered = async () => {
    const ids = await stores.notifications.alertsToReconsider(P, "1", NOON);
    return names(
      ids.map((id) => [...alerts.values()].find((one) => one.id === id)).filter((one) => one !== undefined),
    );
  };
  expect(await reconsidered()).toEqual(["due", "due for itself", "waits with it"]);
  // What is about to be read decides for itself.
  await watch([P, "2"]);
  await stores.polls.ensure(NOON);
  expect(await reconsidered()).toEqual(["due", "due for itself"]);
});

test("a decision is due unless its own query is about to be read for new mentions", async () => {
  const alerts = await save({ own: {}, beside: { queryId: "2" }, later: { queryId: "3" } });
  await decide(alerts, {
    own: { last: "Silenced", nextAt: NOON },
    beside: { last: "Silenced", nextAt: NOON },
    later: { last: "Silenced", nextAt: NOON + 1 },
  });
  const due = async () =>
    (await dueWork(stores, NOON)).decisions.map((one) => `${one.projectId} ${one.queryId}`).sort();
  expect(await due()).toEqual(["p 1", "p 2"]);
  await watch([P, "1"], [OTHER, "1"], [OTHER, "2"]);
  await stores.polls.ensure(NOON);
  const change = (assignment: ReturnType<typeof sql>, where: ReturnType<typeof sql>) =>
    sql`update earshot.polls set ${assignment} where ${where}`.execute(database.db);
  expect(await due()).toEqual(["p 2"]);
  // Not by its poll for changes, nor by one that is due later, or has read since, or waits for a source that is away.
  const added = sql`poll = 'added' and project_id = ${P}`;
  await change(sql`next_at = next_at + interval '1 ms'`, added);
  expect(await due()).toEqual(["p 1", "p 2"]);
  await change(sql`next_at = next_at - interval '1 ms', polled_at = ${new Date(NOON - 1)}`, added);
  expect(await due()).toEqual(["p 2"]);
  await change(sql`polled_at = ${new Date(NOON)}`, added);
  expect(await due()).toEqual(["p 1", "p 2"]);
  await change(sql`polled_at = null, retry_at_wall = now() + interval '1 min'`, added);
  expect(await due()).toEqual(["p 1", "p 2"]);
  await change(sql`retry_at_wall = now() - interval '1 min'`, added);
  expect(await due()).toEqual(["p 2"]);
});

test("groups that were notified more than a week ago are forgotten in their project", async () => {
  const flush = (projectId: string, key: string, at: number) => ({ projectId, receiver: "press", key, at });
  const { saveFlushes, flushes } = stores.notifications;
  await saveFlushes([flush(OTHER, "old", NOON - 8 * DAY)]);
  await saveFlushes([flush(P, "week", NOON - 7 * DAY)]);
  await saveFlushes([flush(P, "older", NOON - 7 * DAY - MINUTE)]);
  await saveFlushes([flush(P, "new", NOON - HOUR)]);
  await saveFlushes([flush(P, "new", NOON)]);
  expect((await flushes(P)).map(({ key, at }) => [key, at]).sort()).toEqual([
    ["new", NOON],
    ["week", NOON - 7 * DAY],
  ]);
  expect((await flushes(OTHER)).map(({ key }) => key)).toEqual(["old"]);
});

test("decisions that were made since a moment are those about alerts, at their receiver", async () => {
  const add = (receiver: string, createdAt: number, alertId: string | null = uuid7(NOON)) => {
    const why = { kind: alertId === null ? "digest" : "fired", digest: null, reason: "" } as const;
    return stores.notifications.addPending([
      { ...why, id: uuid7(NOON), projectId: P, receiver, alertId, createdAt },
    ]);
  };
  for (const moment of [NOON - 1, NOON, NOON + 1, NOON + 2])
    for (const one of ["a", "b"]) await add(one, moment);
  await add("c", NOON + 2);
  await add("a", NOON + 2, null);
  const since = new Map([
    ["a", NOON],
    ["b", NOON + 2],
  ]);
  const decided = (await stores.notifications.decidedSince(since)).map(({ receiver, at }) => [
    receiver,
    at - NOON,
  ]);
  expect(decided.sort()).toEqual([
    ["a", 0],
    ["a", 1],
    ["a", 2],
    ["b", 2],
  ]);
});
