import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { beginIncident } from "../../../src/monitor/incidents/begin-incident.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";

// Every incident has a twin with the same ids in the other project, which is never meant.

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const { incidents, incidentNotes } = stores;
const [P, OTHER] = ["p", "other"];

const TABLES = [
  "incidents",
  "incident_alerts",
  "incident_entries",
  "incident_notes",
  "notifications",
  "silences",
];
beforeEach(async () => {
  for (const table of TABLES) await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
});

function anIncident(facts: Partial<Incident>): Incident {
  const id = uuid7(NOON);
  const alert: Alert = {
    ...{ id, projectId: P, rule: "negative", fingerprint: id, queryId: "1", queryName: "Acme" },
    ...{ severity: "warning", state: "firing", labels: { query: "Acme" }, openedAt: NOON, firedAt: NOON },
    ...{ lastSeenAt: NOON, resolvedAt: null, notifyCount: 1, renotifyReason: null, mentions: 1 },
    ...{ because: "", windowFrom: NOON, windowTo: NOON, values: {}, handling: {}, progress: {} },
  };
  return { ...beginIncident({ projectId: P, queryId: "1", name: "Acme" }, alert, "", [], []), ...facts };
}

/** Stores incidents whose `queryName` is their name. */
async function save(facts: Record<string, Partial<Incident>>): Promise<Map<string, Incident>> {
  const own = Object.entries(facts).map(([queryName, one]) => anIncident({ queryName, ...one }));
  for (const one of own)
    await incidents.save([one, { ...one, projectId: OTHER, queryName: `twin of ${one.queryName}` }]);
  return new Map(own.map((one) => [one.queryName, one]));
}
const names = (all: readonly Incident[]) => all.map(({ queryName }) => queryName).sort();
const over = (endedAt: number) => ({ status: "over", endedAt }) as const;

test("incidents of a query are those that have not ended, or ended at a moment or later", async () => {
  await save({ open: {}, lately: over(NOON), before: over(NOON - 1), elsewhere: { queryId: "2" } });
  expect(names(await incidents.ofQuery(P, "1", NOON))).toEqual(["lately", "open"]);
});

test("incidents of other queries are those that are open and speak for themselves", async () => {
  await save({
    ...{ own: {}, elsewhere: { queryId: "2" }, over: { queryId: "2", ...over(NOON) } },
    part: { queryId: "2", partOf: uuid7(NOON) },
  });
  expect(names(await incidents.elsewhere(P, "1"))).toEqual(["elsewhere"]);
});

test("an incident is changed, found and listed with its parts, and nothing of another project", async () => {
  const all = await save({ whole: {}, beside: {} });
  const whole = all.get("whole");
  if (whole === undefined) throw new Error("it is stored");
  const part = anIncident({ queryName: "part", queryId: "2", partOf: whole.id });
  await incidents.save([part, { ...part, projectId: OTHER, queryName: "twin of part" }]);
  await incidents.save([{ ...whole, waves: 7 }]);
  for (const [name, { id }] of all) expect((await incidents.find(P, id))?.queryName).toBe(name);
  expect([await incidents.find(P, whole.id), await incidents.find(OTHER, whole.id)]).toMatchObject([
    ...[{ waves: 7 }, { waves: 0, queryName: "twin of whole" }],
  ]);
  const alerts = { whole: randomUUID(), part: randomUUID(), alone: randomUUID() };
  const join = (projectId: string, alertId: string, incidentId: string) =>
    incidents.join([{ projectId, incidentId, alertId, joinedAt: NOON, because: projectId }]);
  await join(P, alerts.whole, all.get("beside")?.id ?? "");
  await join(P, alerts.whole, whole.id);
  await join(P, alerts.part, part.id);
  await join(OTHER, alerts.alone, whole.id);
  await join(OTHER, alerts.whole, all.get("beside")?.id ?? "");
  const ids = Object.values(alerts);
  const own = await incidents.ofAlerts(P, ids);
  expect([...own].map(([id, one]) => [id, one.queryName]).sort()).toEqual(
    [
      [alerts.whole, "whole"],
      [alerts.part, "part"],
    ].sort(),
  );
  expect((await incidents.ofAlerts(P, [alerts.part])).size).toBe(1);
  const wholes = [...(await incidents.wholes(P, ids)).values()];
  expect(wholes.map(({ incident, parts }) => [incident.queryName, names(parts)])).toEqual([
    ["whole", ["part"]],
    ["whole", ["part"]],
  ]);
  expect((await incidents.members(P, [whole.id])).map(({ alertId, because }) => [alertId, because])).toEqual([
    [alerts.whole, P],
  ]);
  await incidents.leave(P, alerts.whole);
  expect(await incidents.members(P, [whole.id])).toEqual([]);
  expect((await incidents.members(P, [part.id])).length).toBe(1);
  expect((await incidents.members(OTHER, [whole.id, all.get("beside")?.id ?? ""])).length).toBe(2);
});

test("the timeline of an incident has its own entries, in their order", async () => {
  const [first, second] = [uuid7(NOON), uuid7(NOON)];
  const entry = (incidentId: string, detail: string, at = NOON) =>
    ({ incidentId, at, kind: "Opened", detail }) as const;
  await incidents.addEntries(OTHER, [entry(first, "twin")]);
  await incidents.addEntries(P, [
    entry(first, "later", NOON + 1),
    entry(first, "own"),
    entry(second, "beside"),
  ]);
  expect((await incidents.entries(P, first)).map(({ detail }) => detail)).toEqual(["own", "later"]);
});

const SPAN = { from: NOON, to: NOON + HOUR };

test("incidents that were open in a span began before its end, and ended in it or later, or a part did", async () => {
  const opened = { openedAt: SPAN.from - HOUR };
  const all = await save({
    open: opened,
    "over before": { ...opened, ...over(SPAN.from - 1) },
    "over at its begin": { ...opened, ...over(SPAN.from) },
    "opened last": { openedAt: SPAN.to - 1 },
    "opened at its end": { openedAt: SPAN.to },
    "with an open part": { ...opened, ...over(SPAN.from - 1) },
    "with a part that ended in it": { ...opened, ...over(SPAN.from - 1) },
    "with a part that was over": { ...opened, ...over(SPAN.from - 1) },
  });
  const part = (name: string, facts: Partial<Incident>) =>
    anIncident({
      ...opened,
      queryName: `part of ${name}`,
      queryId: "2",
      partOf: all.get(name)?.id ?? "",
      ...facts,
    });
  await incidents.save([
    part("with an open part", {}),
    part("with a part that ended in it", over(SPAN.from)),
    part("with a part that was over", over(SPAN.from - 1)),
    // Of the same id, but elsewhere.
    { ...part("over before", {}), projectId: OTHER },
  ]);
  const own = (found: readonly { incident: Incident }[]) =>
    names(found.map(({ incident }) => incident).filter((one) => one.projectId === P));
  const open = await incidents.openBetween(SPAN.from, SPAN.to);
  expect(own(open)).toEqual([
    ...["open", "opened last", "over at its begin"],
    ...["with a part that ended in it", "with an open part"],
  ]);
  expect(own(await incidents.list(false, 100))).toEqual([
    ...["open", "opened at its end", "opened last", "with an open part"],
  ]);
  expect(own(await incidents.list(true, 100)).length).toBe(8);
});

test("mentions of an incident are counted from the first moment of a span to before its last", async () => {
  const store = async (projectId: string, queryId: string, moments: Record<string, number>) => {
    const page = Object.entries(moments).map(([resourceId, at]) => ({
      mention: aMention({ queryId, resourceId, publishedAt: at, sentiment: "negative" }),
      ...{ eventAt: at, story: resourceId },
    }));
    await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
  };
  await sql`delete from earshot.mentions`.execute(database.db);
  await store(P, "1", { before: SPAN.from - 1, first: SPAN.from, last: SPAN.to - 1, after: SPAN.to });
  await store(P, "2", { first: SPAN.from });
  await store(OTHER, "1", { first: SPAN.from });
  expect(await incidents.mentionBuckets(P, "1", SPAN.from, SPAN.to)).toEqual([
    { at: SPAN.from, total: 1, negative: 1 },
    { at: SPAN.to - 5 * MINUTE, total: 1, negative: 1 },
  ]);
});

const actor = { via: "page", login: "ann", typed: null } as const;
function aNote(
  projectId: string,
  incidentId: string,
  text: string,
  kind: "comment" | "statement" = "comment",
) {
  return { id: uuid7(NOON), projectId, incidentId, at: NOON, kind, status: null, text, actor, origin: null };
}

test("notes are of one incident, and comments shown at the message of the alert that began it", async () => {
  const all = await save({ own: {}, beside: {} });
  const [own, beside] = [all.get("own"), all.get("beside")];
  if (own === undefined || beside === undefined) throw new Error("they are stored");
  for (const note of [
    ...[aNote(P, own.id, "one"), aNote(P, own.id, "two", "statement"), aNote(P, beside.id, "beside")],
    aNote(OTHER, own.id, "twin"),
  ])
    await incidentNotes.add(note);
  const texts = (notes: readonly { text: string }[]) => notes.map(({ text }) => text);
  expect(texts(await incidentNotes.list(P, own.id))).toEqual(["one", "two"]);
  const later = uuid7(NOON);
  const joined = { joinedAt: NOON, because: "" };
  await incidents.join([
    { ...joined, projectId: P, alertId: own.leaderId, incidentId: own.id },
    { ...joined, projectId: P, alertId: later, incidentId: own.id },
    { ...joined, projectId: P, alertId: beside.leaderId, incidentId: beside.id },
    { ...joined, projectId: OTHER, alertId: own.leaderId, incidentId: own.id },
  ]);
  expect(texts(await stores.alertMessages.commentsOf(P, own.leaderId))).toEqual(["one"]);
  expect(texts(await stores.alertMessages.commentsOf(P, later))).toEqual([]);
  // It is in another incident now, whose messages are those of another alert.
  await incidents.join([{ ...joined, projectId: P, alertId: own.leaderId, incidentId: beside.id }]);
  expect(texts(await stores.alertMessages.commentsOf(P, own.leaderId))).toEqual([]);
});

test("a thread belongs to the incident of its message's alert, or to the one that speaks for it", async () => {
  const all = await save({ whole: {}, beside: {} });
  const [whole, beside] = [all.get("whole"), all.get("beside")];
  if (whole === undefined || beside === undefined) throw new Error("they are stored");
  const part = anIncident({ queryName: "part", queryId: "2", partOf: whole.id });
  await incidents.save([part]);
  const post = async (projectId: string, incident: Incident, ref: Record<string, string>) => {
    const { leaderId, id: incidentId } = incident;
    const id = uuid7(NOON);
    const facts = { kind: "fired", digest: null, createdAt: NOON, reason: "" } as const;
    await stores.notifications.addPending([
      { ...facts, id, projectId, receiver: "slack", alertId: leaderId },
    ]);
    await sql`update earshot.notifications set vendor_ref = ${JSON.stringify(ref)}::jsonb, state = 'sent'
      where id = ${id}::uuid`.execute(database.db);
    await incidents.join([{ projectId, alertId: leaderId, incidentId, joinedAt: NOON, because: "" }]);
  };
  await post(P, part, { ts: "1", channel: "C" });
  await post(P, beside, { ts: "2", channel: "C" });
  await post(P, beside, { ts: "1", channel: "D" });
  const of = async (channel: string, thread: string) =>
    (await incidentNotes.incidentOfThread(channel, thread))?.queryName ?? null;
  expect([await of("C", "1"), await of("C", "2"), await of("D", "1"), await of("D", "2")]).toEqual([
    ...["whole", "beside", "beside", null],
  ]);
  // A message of the other project is about the incident there.
  await post(OTHER, beside, { ts: "3", channel: "E" });
  expect(await of("E", "3")).toBe("twin of beside");
});

test("a silence is active until a day after its end, listed until it ends, and ends once", async () => {
  const add = async (comment: string, endsAt: number) => {
    const id = randomUUID();
    const when = { createdAt: NOON, startsAt: NOON - HOUR, endsAt, windows: [] };
    await stores.silences.add({
      id,
      match: { rule: ["negative"] },
      author: "ann",
      comment,
      endedBy: null,
      ...when,
    });
    return id;
  };
  const own = await add("own", NOON + 1);
  await add("beside", NOON + 1);
  await add("ended", NOON);
  await add("long ended", NOON - 24 * HOUR);
  await add("ended within a day", NOON - 24 * HOUR + 1);
  const comments = (all: readonly { comment: string }[]) => all.map(({ comment }) => comment).sort();
  expect(comments(await stores.silences.active(NOON))).toEqual([
    "beside",
    "ended",
    "ended within a day",
    "own",
  ]);
  expect(comments(await stores.silences.list(NOON, false))).toEqual(["beside", "own"]);
  expect(comments(await stores.silences.list(NOON, true)).length).toBe(5);
  expect([
    await stores.silences.expire(own, "bo", NOON),
    await stores.silences.expire(own, "bo", NOON),
  ]).toEqual([...[true, false]]);
  expect(comments(await stores.silences.list(NOON, false))).toEqual(["beside"]);
});
