import { type RawBuilder, sql } from "kysely";
import { beforeAll, expect, test } from "vitest";
import { forget } from "../../src/admin/forget.ts";
import { endRoom, openRoom } from "../../src/console/parts/incident-work.ts";
import { createManualClock } from "../../src/lib/clock.ts";
import { HOUR, MINUTE } from "../../src/lib/instant.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import { writeNote } from "../../src/monitor/alerts/actions/write-note.ts";
import { recordIncidents } from "../../src/monitor/ingest/record-incidents.ts";
import { recordProblems } from "../../src/monitor/ingest/record-problems.ts";
import type { Alert } from "../../src/monitor/model/alert.ts";
import type { Incident } from "../../src/monitor/model/incident.ts";
import { eventAt } from "../../src/monitor/model/mention.ts";
import { OWN_QUERY } from "../../src/monitor/model/query.ts";
import type { NotifyConfig } from "../../src/monitor/notify/decide/decide-notifications.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { aMention } from "../mention.ts";
import { aRule } from "../monitor/rules/a-rule.ts";
import { until } from "../until.ts";
import { useStores } from "../use-stores.ts";
import { anAlert, makeAnIncident, PROJECT, storeMentions } from "./make-a-story.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const BY = { via: "page", login: "ann", typed: null } as const;
const { database, stores } = await useStores();
const clock = createManualClock(NOW);
const actions = createAlertActions({ stores, clock, correct: async () => "neutral" });

const query = (queryId: string) =>
  sql`select from earshot.queries where query_id = ${queryId} for no key update`;
const decisions = sql`select pg_advisory_xact_lock(hashtext('earshot-decisions'), hashtext(${PROJECT}))`;

/** Until the work waits for a lock (true), or has ended (false). */
async function waits(work: Promise<unknown>): Promise<boolean> {
  let [isWaiting, hasEnded] = [false, false];
  const end = () => {
    hasEnded = true;
  };
  void work.then(end, end);
  await until(
    "it waits, or has ended",
    async () => {
      const { rows } = await sql<{ n: number }>`
        select count(*)::int as n from pg_stat_activity
        where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0
      `.execute(database.db);
      isWaiting = (rows[0]?.n ?? 0) > 0;
      return isWaiting || hasEnded;
    },
    { withinMs: 20_000 },
  );
  return isWaiting;
}

/** Whether the work waits for whoever holds the lock, or passes by. `meanwhile` is done while it waits. */
async function waitsFor(
  lock: RawBuilder<unknown>,
  work: () => Promise<unknown>,
  meanwhile: () => Promise<unknown> = async () => {},
): Promise<boolean> {
  let working: Promise<unknown> = Promise.resolve();
  const isWaiting = await database.db.transaction().execute(async (holder) => {
    await lock.execute(holder);
    working = work();
    const isWaiting = await waits(working);
    await meanwhile();
    return isWaiting;
  });
  await working;
  return isWaiting;
}

/** Alone; with a member, which can be split; a part of it, of another query. */
let alone: Alert;
let member: Alert;
let part: Alert;
let whole: Incident;

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  const watched = (queryId: string) => ({
    ...{ projectId: PROJECT, projectName: "Brands", timezone: "UTC", queryId, name: `Brand ${queryId}` },
  });
  await stores.queries.register([watched("1"), watched("2"), OWN_QUERY], NOW - HOUR, NOW - HOUR);
});

/** A new state for each test. */
async function begin(): Promise<void> {
  await sql`truncate earshot.alerts, earshot.latest_alerts, earshot.incidents, earshot.incident_alerts, earshot.rooms`.execute(
    database.db,
  );
  const leader = anAlert({ openedAt: NOW - 5 * MINUTE });
  alone = anAlert({ openedAt: NOW - 4 * MINUTE });
  member = anAlert({ openedAt: NOW - 3 * MINUTE });
  part = anAlert({ openedAt: NOW - 2 * MINUTE, queryId: "2" });
  await stores.alerts.save([leader, alone, member, part]);
  whole = await makeAnIncident(stores, leader, [member]);
  const its = await makeAnIncident(stores, part);
  await stores.incidents.save([{ ...its, partOf: whole.id }]);
}

const NO_ROUTES: NotifyConfig = {
  ...{ routes: [], inhibitions: [], escalations: [], rotations: [], throttled: [] },
  receiver: () => undefined,
};
const room = { stores, by: BY, now: NOW };
const note = (kind: "statement" | "comment") =>
  stores.transaction((facts) => writeNote(facts, whole, { kind, status: null, text: "We look" }, BY, NOW));
async function mergeAnother(queryId: string): Promise<unknown> {
  const another = anAlert({ openedAt: NOW - MINUTE, queryId });
  await stores.alerts.save([another]);
  const incident = await makeAnIncident(stores, another);
  return actions.mergeIncidents(whole.id, incident.id, BY);
}

const WAITS: readonly (readonly [what: string, lock: RawBuilder<unknown>, work: () => Promise<unknown>])[] = [
  ["a room that is opened, for whoever changes its query", query("1"), () => openRoom(room, whole, HOUR)],
  ["a room that is ended, for whoever changes its query", query("1"), () => endRoom(room, whole)],
  ["a statement, for whoever changes the query", query("1"), () => note("statement")],
  ["a comment, for whoever changes the query", query("1"), () => note("comment")],
  ["a press, for the query", query("1"), () => actions.act(alone.id, { do: "acknowledge" }, BY)],
  ["a press, for who decides", decisions, () => actions.act(alone.id, { do: "acknowledge" }, BY)],
  [
    "a press on an incident, for who decides",
    decisions,
    () => actions.act(member.id, { do: "acknowledge" }, BY),
  ],
  [
    "a press on an incident, for the query of a part",
    query("2"),
    () => actions.act(member.id, { do: "resolve" }, BY),
  ],
  [
    "a press on a part, for the query of the whole",
    query("1"),
    () => actions.act(part.id, { do: "resolve" }, BY),
  ],
  ["a split, for its query", query("1"), () => actions.splitAlert(member.id, BY)],
  ["a split, for who decides", decisions, () => actions.splitAlert(member.id, BY)],
  ["a split of a part, for the query of the whole", query("1"), () => actions.splitAlert(part.id, BY)],
  ["a split of a part, for who decides", decisions, () => actions.splitAlert(part.id, BY)],
  ["a merge, for the query", query("1"), () => mergeAnother("1")],
  ["a merge, for who decides", decisions, () => mergeAnother("1")],
  ["a merge with another query, for that query", query("2"), () => mergeAnother("2")],
  ["a merge with another query, for who decides", decisions, () => mergeAnother("2")],
  [
    "a corrected sentiment, for the query",
    query("1"),
    () => actions.correct(alone.id, { queryId: "1", resourceId: "m", sentiment: "negative" }, BY),
  ],
  [
    "the end of a silence, for who decides",
    decisions,
    async () => {
      const silence = await actions.silenceAlert(alone.id, HOUR, BY);
      return actions.expireSilence(silence?.outcome === "Done" ? silence.silence.id : "", BY);
    },
  ],
  [
    "what counts mentions, for another that counts",
    sql`select pg_advisory_xact_lock(hashtextextended('earshot mention_counts', 0))`,
    () => stores.mentionCounts.countStale(),
  ],
  [
    "a request to forget, for the query",
    query("1"),
    async () => {
      await storeMentions(stores, [aMention({ queryId: "1", resourceId: "m", author: "ann" })], NOW);
      const forgotten = { ...stores.forgotten, rewriteFiles: async () => "Partly" as const };
      const parts = { clock, local: null, removeCopies: async () => {}, rulesFor: () => [] };
      return forget(
        { ...parts, stores: { ...stores, forgotten } },
        { what: "author", value: "ann", source: null },
        BY,
      );
    },
  ],
  [
    "a check of Earshot itself, for another that checks",
    query(OWN_QUERY.queryId),
    () => recordProblems({ stores, clock, notifyConfig: NO_ROUTES }, []),
  ],
  [
    "an outage that is noted, for another that notes one",
    sql`select pg_advisory_xact_lock(hashtext('earshot.outages'))`,
    () =>
      stores.outages.note({ engine: "queue", outcome: "Away", from: NOW, to: NOW + MINUTE, because: null }),
  ],
];

test.each(WAITS)("%s waits", async (_, lock, work) => {
  await begin();
  expect(await waitsFor(lock, work)).toBe(true);
});

/** An alert of the query fires, and an incident begins; `after` comes before the commit. */
function fires(queryId: string, after: () => Promise<void> = async () => {}): Promise<void> {
  const alert = anAlert({ openedAt: NOW - MINUTE, queryId, queryName: `Brand ${queryId}` });
  const rules = [aRule("volume: { atLeast: 3, within: 1h }", alert.rule, "critical")];
  return stores.transaction(async (facts) => {
    const locked = await facts.queries.lock(PROJECT, queryId);
    if (locked === null) throw new Error("the query is not watched");
    await facts.alerts.save([alert]);
    const recorded = { changed: [alert], calling: new Map([[alert.id, []]]) };
    await recordIncidents(facts, locked, { rules, inhibitions: [] }, recorded, null);
    await after();
  });
}

test("of two incidents with one cause that begin at once, one speaks for both", async () => {
  await begin();
  await sql`truncate earshot.incidents, earshot.incident_alerts`.execute(database.db);
  const said = ["1", "2"].flatMap((queryId) =>
    [1, 2, 3, 4].map((n) => aMention({ queryId, resourceId: `m${n}`, publishedAt: NOW - n * 10 * MINUTE })),
  );
  for (const queryId of ["1", "2"]) {
    const page = said
      .filter((mention) => mention.queryId === queryId)
      .map((mention) => ({ mention, eventAt: eventAt(mention), story: "told by all" }));
    await stores.mentions.storePage(PROJECT, stores.mentions.rowsOf(page), NOW);
  }
  let second: Promise<void> = Promise.resolve();
  await fires("1", async () => {
    second = fires("2");
    await waits(second);
  });
  await second;
  const [one, another] = await stores.incidents.list(false, 10);
  expect(one?.parts.map(({ queryName }) => queryName)).toEqual(["Brand 2"]);
  expect(another).toBeUndefined();
});

test("what speaks for another since a moment ago is joined to nothing", async () => {
  await begin();
  const [mine, third] = [anAlert({ openedAt: NOW - MINUTE, queryId: "2" }), anAlert({ openedAt: NOW })];
  await stores.alerts.save([mine, third]);
  const from = await makeAnIncident(stores, mine);
  const later = await makeAnIncident(stores, third);
  let merged: unknown;
  const merges = async () => {
    merged = await actions.mergeIncidents(whole.id, from.id, BY);
  };
  await waitsFor(decisions, merges, () => stores.incidents.save([{ ...later, partOf: from.id }]));
  expect(merged).toMatchObject({ outcome: "Refused", because: expect.stringContaining("speaks for other") });
});

test("an incident that speaks for another is merged into none: nobody would hear of that one any more", async () => {
  await begin();
  const alert = anAlert({ openedAt: NOW - MINUTE });
  await stores.alerts.save([alert]);
  const into = await makeAnIncident(stores, alert);
  const merged = await actions.mergeIncidents(into.id, whole.id, BY);
  expect(merged).toMatchObject({ outcome: "Refused", because: expect.stringContaining("speaks for other") });
});

test("who waited for a lock decides on what the one before has done", async () => {
  await begin();
  await Promise.all([openRoom(room, whole, HOUR), openRoom(room, whole, HOUR)]);
  const { rows } = await sql`select from earshot.rooms`.execute(database.db);
  expect(rows).toHaveLength(1);
  const written = await Promise.all([note("statement"), note("statement")]);
  expect(written.map(({ outcome }) => outcome).sort()).toEqual(["Done", "Refused"]);
});
