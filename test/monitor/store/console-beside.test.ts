import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { beginIncident } from "../../../src/monitor/incidents/begin-incident.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import { type MentionFilter, NOBODY } from "../../../src/monitor/model/shown.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import type { Reading } from "../../../src/monitor/store/filtered-counts.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";

// Two projects have alerts, incidents, notifications and mentions with the same ids, and each alert has others beside it. A
// page shows those of the one that it is about. What is of the other project says so: "other".

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const facts = createConsoleStore(database.db);
const [P, OTHER] = ["p", "other"];
const PROJECTS = [P, OTHER] as const;
const NAMES = ["a", "b", "c", "d", "e"] as const;
type Name = (typeof NAMES)[number];
const ids = Object.fromEntries(
  [...NAMES, "i", "j", "l", "x", "y"].map((name) => [name, uuid7(NOON)]),
) as Record<Name | "i" | "j" | "l" | "x" | "y", string>;
const WINDOW = { windowFrom: NOON - HOUR, windowTo: NOON + HOUR };

function alertOf(projectId: string, name: Name, changes: Partial<Alert> = {}): Alert {
  return {
    ...{ id: ids[name], projectId, rule: "r", fingerprint: name, queryId: "1", queryName: `${projectId} 1` },
    ...{ severity: "warning", state: "firing", labels: {}, openedAt: NOON, firedAt: NOON },
    ...{ lastSeenAt: NOON, resolvedAt: null, notifyCount: 1, renotifyReason: null, mentions: 1 },
    ...{ because: `${projectId} ${name}`, values: {}, handling: {}, progress: {} },
    ...WINDOW,
    ...changes,
  };
}

/** How each alert differs from the first. */
const DIFFERENCES: Record<Name, Partial<Alert>> = {
  ...{ a: {}, b: {} },
  c: { queryId: "2", rule: "s", openedAt: NOON + 2 },
  d: { state: "resolved", openedAt: NOON - 1, firedAt: NOON - 1, resolvedAt: NOON },
  e: { state: "pending", firedAt: null, openedAt: NOON + 3 },
};
const alert = (projectId: string, name: Name) => alertOf(projectId, name, DIFFERENCES[name]);

function anIncident(projectId: string, id: string, changes: Partial<Incident>): Incident {
  const begun = beginIncident({ projectId, queryId: "1", name: "Acme" }, alertOf(projectId, "a"), "", [], []);
  return { ...begun, queryName: projectId, ...changes, id };
}

async function store(projectId: string, queryId: string, story: string, ...moments: readonly number[]) {
  const page = moments.map((at, n) => ({
    mention: aMention({
      ...{ queryId, resourceId: `${story} ${at} ${n}`, publishedAt: at, text: projectId, author: projectId },
    }),
    ...{ eventAt: at, story },
  }));
  await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
}
const times = (n: number, at: number) => Array.from({ length: n }, () => at);

const TABLES = [
  ...["alerts", "latest_alerts", "alert_events", "alert_receivers", "incidents", "incident_alerts"],
  ...["incident_entries", "matches", "mentions", "stale_counts", "mention_workflow", "notifications"],
  ...["deliveries", "digests", "dead_letters", "coverage", "condition_states", "seen_values"],
  ...["listed_authors", "budgets", "budget_slots"],
];
beforeAll(() => ensurePartitions(database.db, NOON));
beforeEach(async () => {
  for (const table of TABLES) await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  const queries = PROJECTS.flatMap((projectId) =>
    ["1", "2"].map((queryId) => oddQuery({ projectId, queryId, name: `${projectId} ${queryId}` })),
  );
  await stores.queries.register(queries, NOON - DAY, NOON - DAY);
  await stores.polls.ensure(NOON);
  for (const projectId of PROJECTS) {
    await stores.alerts.save(NAMES.map((name) => alert(projectId, name)));
    const isOwn = projectId === P;
    await stores.incidents.save([
      anIncident(projectId, ids.i, { alerts: 2, leaderId: isOwn ? ids.a : ids.b }),
      anIncident(projectId, ids.j, { queryId: "2", alerts: isOwn ? 1 : 2, leaderId: ids.c }),
      anIncident(projectId, ids.l, { queryId: "2", alerts: 1, leaderId: ids.e, partOf: ids.i }),
      anIncident(projectId, ids.x, { alerts: 3, status: "over", endedAt: NOON }),
      anIncident(projectId, ids.y, { alerts: 1, leaderId: ids.d, partOf: ids.j }),
    ]);
    const join = (name: Name, incidentId: string) => ({
      ...{ projectId, alertId: ids[name], incidentId, joinedAt: NOON, because: "" },
    });
    await stores.incidents.join([
      ...[join("a", ids.i), join("b", ids.i), join("c", isOwn ? ids.j : ids.i), join("e", ids.l)],
    ]);
    await stores.incidents.addEntries(
      projectId,
      [ids.i, ids.j].map((incidentId) => ({
        incidentId,
        at: NOON,
        kind: "Opened",
        detail: `${projectId} ${incidentId}`,
      })),
    );
    // The newest of the other project is newer.
    const at = isOwn ? NOON : NOON + 1;
    await store(projectId, "1", "S", NOON - 2 * HOUR, NOON - HOUR, NOON, at);
    const [met] = [`S ${at} 3`];
    const match = (name: Name, resourceId: string) =>
      sql`insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
        values (${projectId}, '1', ${resourceId}, '2026-03-02', 'r', ${ids[name]}::uuid, now(), '')`.execute(
        database.db,
      );
    await match("a", met);
    await match("c", `S ${NOON} 2`);
  }
});

test("open alerts are listed once, with the newest mention that they met, and alone where no incident stands for them", async () => {
  const open = await facts.openAlerts(99);
  expect(open.map(({ because }) => because).sort()).toEqual(
    PROJECTS.flatMap((projectId) => ["a", "b", "c", "e"].map((name) => `${projectId} ${name}`)).sort(),
  );
  const newest = new Map(open.map(({ because, newestMention }) => [because, newestMention?.text ?? null]));
  expect([newest.get("p a"), newest.get("p b"), newest.get("other a")]).toEqual(["p", null, "other"]);
  const alone = (await facts.openAlertsAlone(99)).map(({ because }) => because).sort();
  expect(alone).toEqual(["other e", "p c", "p e"]);
});

test("open incidents of several alerts tell the story of their beginning, and who began them", async () => {
  // Two at the beginning of the incident and two on each side of it; others have more.
  const [first, end] = [NOON - HOUR, NOON + 3 * HOUR];
  await store(P, "1", "T", ...times(2, NOON), ...times(2, first - 1), ...times(2, end));
  await store(P, "2", "U", ...times(6, NOON));
  await store(OTHER, "1", "V", ...times(6, NOON));
  await store(P, "1", "N", first);
  const own = (await facts.openIncidents(99)).filter(({ incident }) => incident.projectId === P);
  expect(own.map(({ incident, rule, about }) => [incident.id, rule, about?.resourceId])).toEqual([
    [ids.i, "r", `S ${first} 1`],
  ]);
  expect(await facts.openIncidents(99)).toHaveLength(3);
});

test("an alert has the incident of its project, with its alerts, its timeline and the one that shows it", async () => {
  const shown = await facts.incidentOfAlert(P, ids.a);
  expect(shown?.incident).toMatchObject({ id: ids.i, projectId: P });
  expect(shown?.members.map(({ because }) => because).sort()).toEqual(["p a", "p b"]);
  expect(shown?.entries.map(({ detail }) => detail)).toEqual([`p ${ids.i}`]);
  expect([await facts.incidentOfAlert(P, ids.c), await facts.incidentOfAlert(P, ids.d)]).toEqual([
    null,
    null,
  ]);
  const leaders = PROJECTS.flatMap((projectId) => [
    facts.shownBy(projectId, ids.b),
    facts.shownBy(projectId, ids.e),
  ]);
  expect(await Promise.all(leaders)).toEqual([ids.a, ids.a, ids.b, ids.b]);
  expect(await facts.shownBy(P, ids.c)).toBe(ids.c);
  expect(await facts.incidentIdOf(P, ids.c)).toBe(ids.j);
  expect(await facts.incidentIdOf(P, ids.e)).toBe(ids.l);

  const whole = await facts.incident(ids.i);
  const { projectId = "" } = whole?.incident ?? {};
  expect(whole?.parts.map((one) => [one.id, one.projectId])).toEqual([[ids.l, projectId]]);
  const members = projectId === P ? ["a", "b", "e"] : ["a", "b", "c", "e"];
  expect(whole?.members.map(({ because }) => because).sort()).toEqual(
    members.map((name) => `${projectId} ${name}`),
  );
  for (const [id, shownAs] of [
    [ids.l, ids.i],
    [ids.y, ids.j],
    [ids.x, ids.x],
  ] as const)
    expect(await facts.incident(id)).toMatchObject({ incident: { id: shownAs } });
});

test("alerts are listed by query, state and rule, one behind the other where they opened at one moment", async () => {
  const query = { projectId: P, queryId: "1" };
  const names = async (states: "open" | "resolved" | "all") =>
    (await facts.alerts(states, null, 99, query)).alerts.map(({ because }) => because).sort();
  expect(await names("open")).toEqual(["p a", "p b", "p e"]);
  expect(await names("resolved")).toEqual(["p d"]);
  const paged: string[] = [];
  for (
    let after: Parameters<typeof facts.alerts>[1] = null, isFirst = true;
    isFirst || after !== null;
    isFirst = false
  ) {
    const { alerts, next } = await facts.alerts("all", after, 1, query);
    paged.push(...alerts.map(({ because }) => because));
    after = next;
  }
  expect(paged).toEqual(["p e", "p b", "p a", "p d"]);
  const ofRule = (await facts.ruleAlerts("r", NOON, 99)).map(({ because }) => because).sort();
  expect(ofRule).toEqual(
    PROJECTS.flatMap((projectId) => ["a", "b", "e"].map((name) => `${projectId} ${name}`)).sort(),
  );
  expect(await facts.rulePrecision("r", NOON)).toMatchObject({ fired: 4 });
});

test("an alert has its own history, mentions, stories and explanation", async () => {
  for (const projectId of PROJECTS)
    for (const name of ["a", "b"] as const) {
      await stores.alerts.addEvents(projectId, [
        { alertId: ids[name], at: NOON, what: "Fired", detail: `${projectId} ${name}` },
      ]);
      const explanation = JSON.stringify({ of: `${projectId} ${name}` });
      await sql`update earshot.alerts set explanation = ${explanation}::jsonb,
        forgotten = ${projectId === P && name === "a" ? 1 : 7}
        where project_id = ${projectId} and id = ${ids[name]}::uuid`.execute(database.db);
    }
  expect((await facts.alertEvents(P, ids.a, 9)).map(({ detail }) => detail)).toEqual(["p a"]);
  expect(await facts.alertExplanation(P, ids.a)).toEqual({ of: "p a" });
  expect(await facts.alertExplanation(OTHER, ids.b)).toEqual({ of: "other b" });
  expect(await facts.deletedMentions(P, ids.a)).toBe(1);
  expect([await facts.deletedMentions(P, ids.b), await facts.deletedMentions(OTHER, ids.a)]).toEqual([7, 7]);
  const matches = await facts.alertMatches(P, ids.a, 9);
  expect(matches.map(({ mention, queryName }) => [mention.text, queryName])).toEqual([["p", "p 1"]]);

  // A story is there twice within the window, and others at its ends.
  const [from, to] = [NOON + DAY, NOON + DAY + HOUR];
  const own = { ...alert(P, "a"), windowFrom: from, windowTo: to };
  await store(P, "1", "within", from, to - 1);
  await store(P, "1", "at its ends", from - 1, from + 1, to);
  await store(P, "2", "of another query", ...times(2, from));
  await store(OTHER, "1", "of another project", ...times(2, from));
  expect(
    (await facts.alertStories(own, "window", 9)).map(({ mentions, first }) => [mentions, first.resourceId]),
  ).toEqual([[2, `within ${from} 0`]]);
  expect((await facts.windowMentions(own, null, 9)).map(({ mention }) => mention.resourceId).sort()).toEqual([
    ...[`at its ends ${from + 1} 1`, `within ${from} 0`, `within ${to - 1} 1`],
  ]);
  expect(await facts.windowMentions(own, "negative", 9)).toEqual([]);
  for (const [projectId, name] of [
    [P, "b"],
    [P, "c"],
    [OTHER, "b"],
  ] as const)
    for (const resourceId of [`within ${from} 0`, `within ${to - 1} 1`])
      await sql`insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
        values (${projectId}, '1', ${resourceId}, '2026-03-03', ${name}, ${ids[name]}::uuid, now(), '')`.execute(
        database.db,
      );
  expect(await facts.alertStories(alert(P, "b"), "matches", 9)).toMatchObject([{ mentions: 2 }]);
  expect(await facts.alertStories(alert(P, "a"), "matches", 9)).toEqual([]);

  const figures = await facts.incidentFigures({ projectId: P } as Incident, ["1"], from, to);
  expect(figures).toMatchObject({ mentions: 3, authors: 1 });
  // Told on the day before, it counts where it is told now; what is at the ends is not.
  await store(P, "1", "told", from - DAY - 1, from - DAY, ...times(2, from), to - 1, to);
  await store(P, "1", "too few", from - 1, ...times(2, from), to);
  const stories = await facts.incidentStories({ projectId: P } as Incident, ["1"], from, to, 9);
  expect(stories.map(({ mentions, first }) => [mentions, first.resourceId])).toEqual([
    [4, `told ${from - DAY} 1`],
  ]);
});

test("notifications and attempts are those about one alert of one project", async () => {
  const notificationId = uuid7(NOON);
  for (const projectId of PROJECTS)
    for (const name of ["a", "b"] as const) {
      const id = name === "a" ? notificationId : uuid7(NOON);
      await sql`insert into earshot.notifications (project_id, id, receiver, kind, alert_id, created_at, reason, state, vendor_ref)
        values (${projectId}, ${id}::uuid, ${`${projectId} ${name}`}, 'fired', ${ids[name]}::uuid, now(), '', 'sent',
          '{"answer": "250 taken"}')`.execute(database.db);
      for (const attempt of [0, 1])
        await sql`insert into earshot.deliveries (project_id, notification_id, attempt, outcome, detail)
          values (${projectId}, ${id}::uuid, ${attempt}, 'sent', '')`.execute(database.db);
      await sql`insert into earshot.alert_receivers (project_id, alert_id, receiver, entry)
        values (${projectId}, ${ids[name]}::uuid, ${`${projectId} ${name}`}, '{}')`.execute(database.db);
    }
  expect(
    (await facts.alertNotifications(P, ids.a, 9)).map(({ receiver, queryName }) => [receiver, queryName]),
  ).toEqual([["p a", "p 1"]]);
  expect((await facts.alertDeliveries(P, ids.a, 9)).map(({ attempt, detail }) => [attempt, detail])).toEqual([
    [0, ""],
    [1, "250 taken"],
  ]);
  expect((await facts.alertReceivers(P, ids.a)).map(({ receiver }) => receiver)).toEqual(["p a"]);
  expect(
    (await facts.notifications(99)).map(({ receiver, queryName }) => `${receiver}: ${queryName}`).sort(),
  ).toEqual([...["other a: other 1", "other b: other 1", "p a: p 1", "p b: p 1"]]);
  await sql`insert into earshot.notifications (project_id, id, receiver, kind, alert_id, created_at, reason)
    values (${P}, ${uuid7(NOON - DAY - 1)}::uuid, 'p a', 'fired', ${ids.a}::uuid, now(), '')`.execute(
    database.db,
  );
  const { deliveries, notifications, alerts } = await facts.metricFacts(NOON);
  expect(deliveries.map(({ receiver, n }) => `${receiver} ${n}`)).toEqual([
    "other a 2",
    "other b 2",
    "p a 2",
    "p b 2",
  ]);
  expect(notifications.map(({ n }) => n)).toEqual([1, 1, 1, 1]);
  expect(alerts.reduce((sum, { n }) => sum + n, 0)).toBe(10);
});

test("an alert is answered by the first act of a person on it or on its incident", async () => {
  const query = { projectId: P, queryId: "1" };
  const [from, to] = [NOON + 40 * MINUTE, NOON + 50 * MINUTE];
  // The last one opened within the time, and fired behind it.
  const [own, before, last, after] = [from, from - 1, to - 1, to].map((firedAt) => ({
    ...alertOf(P, "a", { firedAt, openedAt: Math.min(firedAt, to - 1) }),
    ...{ id: uuid7(NOON), fingerprint: `answered ${firedAt}` },
  }));
  if (own === undefined || before === undefined || last === undefined || after === undefined)
    throw new Error("there are four");
  const beside = [{ queryId: "2" }, { projectId: OTHER }].map((one) => ({ ...own, ...one }));
  await stores.alerts.save([
    own,
    before,
    last,
    after,
    { ...own, ...beside[0], id: uuid7(NOON), fingerprint: "of 2" },
  ]);
  await stores.alerts.save([{ ...own, projectId: OTHER }]);
  const answered = async () =>
    (await facts.answeredAlerts([query], { from, to })).map(({ alertId, answeredAt, messages }) => [
      ...[alertId, answeredAt, messages],
    ]);
  const act = (projectId: string, alertId: string, what: string, at: number) =>
    sql`insert into earshot.alert_events (project_id, alert_id, at, what, detail)
      values (${projectId}, ${alertId}::uuid, ${new Date(at)}, ${what}, '')`.execute(database.db);
  const send = (projectId: string, alertId: string, state: string, kind: string) =>
    sql`insert into earshot.notifications (project_id, id, receiver, kind, alert_id, created_at, reason, state)
      values (${projectId}, ${uuid7(NOON)}::uuid, 'r', ${kind}, ${alertId}::uuid, now(), '', ${state})`.execute(
      database.db,
    );
  await act(OTHER, own.id, "AcknowledgedBy", from + 1);
  await act(P, after.id, "AcknowledgedBy", from + 1);
  await act(P, own.id, "Fired", from + 1);
  await send(OTHER, own.id, "sent", "fired");
  await send(P, after.id, "sent", "fired");
  await send(P, own.id, "due", "fired");
  await send(P, own.id, "sent", "test");
  await send(P, own.id, "sent", "fired");
  // It is in an incident; others are, too, and persons acted on those.
  const [incidentId, another] = [uuid7(NOON), uuid7(NOON)];
  const join = (projectId: string, alertId: string, one: string) =>
    stores.incidents.join([{ projectId, alertId, incidentId: one, joinedAt: NOON, because: "" }]);
  await join(P, own.id, incidentId);
  await join(OTHER, own.id, another);
  await join(P, after.id, another);
  const entry = (projectId: string, one: string, kind: string, hasActor: boolean, at: number) =>
    sql`insert into earshot.incident_entries (project_id, incident_id, at, kind, detail, actor)
      values (${projectId}, ${one}::uuid, ${new Date(at)}, ${kind}, '', ${hasActor ? "{}" : null}::jsonb)`.execute(
      database.db,
    );
  await entry(P, another, "Handled", true, from + 2);
  await entry(OTHER, another, "Handled", true, from + 2);
  await entry(OTHER, incidentId, "Handled", true, from + 2);
  await entry(P, incidentId, "Handled", false, from + 2);
  await entry(P, incidentId, "Opened", true, from + 2);
  expect(await answered()).toEqual([
    [last.id, null, 0],
    [own.id, null, 1],
  ]);
  await entry(P, incidentId, "Over", true, from + 5);
  expect((await answered())[1]).toEqual([own.id, from + 5, 1]);
  await act(P, own.id, "ResolvedBy", from + 4);
  expect((await answered())[1]).toEqual([own.id, from + 4, 1]);
});

test("coverage, dead letters, what was learned and editions are those of one query, poll or digest", async () => {
  const polled = (
    projectId: string,
    queryId: string,
    poll: "added" | "updated",
    startedAt: number,
    stored: number,
  ) =>
    stores.coverage.record({
      ...{ projectId, queryId, poll, startedAt, fromAt: NOON, untilAt: NOON, claimed: 0, seen: 0, stored },
      ...{ rejected: 0, gap: 0 },
    });
  const others = [
    [P, "2", "added"],
    [P, "1", "updated"],
    [OTHER, "1", "added"],
  ] as const;
  for (const [projectId, queryId, poll] of others) await polled(projectId, queryId, poll, NOON, 10);
  await polled(P, "1", "added", NOON - 1, 100);
  await polled(P, "1", "added", NOON, 1);
  const own = (await facts.coverage(NOON)).filter(
    ({ queryName, poll }) => queryName === "p 1" && poll === "added",
  );
  expect(own).toMatchObject([{ polls: 1, stored: 1 }]);

  const letter = { reason: "x", tries: 1, body: {} } as const;
  for (const projectId of PROJECTS)
    for (const scope of ["settled", "open"])
      await stores.deadLetters.add({ projectId, queryId: "1", kind: "job", scope, ...letter }, NOON);
  await sql`update earshot.dead_letters set settled_at = now() where scope = 'settled'`.execute(database.db);
  expect((await facts.deadLetters(99)).map(({ queryName, scope }) => `${queryName} ${scope}`).sort()).toEqual(
    [...["other 1 open", "p 1 open"]],
  );

  for (const [projectId, queryId] of [
    [P, "1"],
    [P, "2"],
    [OTHER, "1"],
  ] as const) {
    await stores.conditions.save(projectId, queryId, [
      ...["x", "y"].map((baseline) => ({
        ...{
          condition: `${projectId} ${queryId} ${baseline}`,
          baseline,
          state: {},
          steppedUntil: NOON,
          watchFrom: NOON,
        },
      })),
    ]);
    const seen = (series: string, value: string, firstAt: number) => ({
      series,
      value,
      firstAt,
      authors: ["ann"],
    });
    const moment = queryId === "1" && projectId === P ? NOON : NOON - DAY;
    await stores.values.save(projectId, queryId, [
      ...[seen("s", "", moment), seen("s", "v", NOON - 2 * DAY), seen("t", "", NOON)],
    ]);
  }
  const learned = (await facts.watchedStates(["x"], ["s"])).find(({ name }) => name === "p 1");
  expect(learned).toMatchObject({ valuesSince: { s: NOON } });
  expect(learned?.states.map(({ condition }) => condition)).toEqual(["p 1 x"]);
  expect(Object.keys(learned?.valuesSince ?? {})).toEqual(["s"]);

  const edition = (name: string, localDate: string) =>
    stores.digests.announce({
      ...{ name, localDate, dueAt: NOON, period: { from: NOON, to: NOON }, before: { from: NOON, to: NOON } },
    });
  await edition("morning", "2026-03-02");
  const read = (projectId: string, name: string, date: string, receiver: string) =>
    sql`insert into earshot.notifications (project_id, id, receiver, kind, digest_name, digest_date, created_at, reason)
      values (${projectId}, ${uuid7(NOON)}::uuid, ${receiver}, 'digest', ${name}, ${date}, now(), '')`.execute(
      database.db,
    );
  await read("all", "morning", "2026-03-02", "ann");
  await read("all", "morning", "2026-03-01", "of another day");
  await read("all", "evening", "2026-03-02", "of another digest");
  await read(P, "morning", "2026-03-02", "of a project");
  const [shown] = await facts.digestEditions(9);
  expect(shown?.readers.map(({ receiver }) => receiver)).toEqual(["ann"]);
});

test("a budget has the slots of its own account that are within its limit and taken", async () => {
  const budget = (account: string, calls: number) =>
    sql`insert into earshot.budgets (account, calls, period_ms, learned_from) values (${account}, ${calls}, 1000, 'client')
    `.execute(database.db);
  const slot = (account: string, n: number, isTaken: boolean) =>
    sql`insert into earshot.budget_slots (account, slot, free_at_wall)
      values (${account}, ${n}, now() + ${isTaken ? "1 hour" : "-1 hour"}::interval)`.execute(database.db);
  await budget("one", 2);
  await budget("two", 9);
  await slot("one", 1, false);
  await slot("one", 2, true);
  await slot("one", 3, true);
  for (const n of [1, 2]) await slot("two", n, true);
  expect((await facts.budgets()).map(({ account, used }) => [account, used])).toEqual([
    ["one", 1],
    ["two", 2],
  ]);
});

test("mentions are listed with what people decided about them, each for itself", async () => {
  const [from, to] = [NOON + 2 * DAY, NOON + 2 * DAY + HOUR];
  const moments = [from, from + 1];
  for (const projectId of PROJECTS)
    for (const queryId of ["1", "2"]) await store(projectId, queryId, "w", ...moments);
  const decide = (
    projectId: string,
    queryId: string,
    resourceId: string,
    day: string,
    assignee: string,
    status: string,
  ) =>
    sql`insert into earshot.mention_workflow (project_id, query_id, resource_id, day, assignee, status, tags)
      values (${projectId}, ${queryId}, ${resourceId}, ${day}, ${assignee}, ${status}, ${[assignee]})`.execute(
      database.db,
    );
  const [own, beside] = moments.map((at, n) => `w ${at} ${n}`) as [string, string];
  await decide(P, "1", own, "2026-03-04", "ann", "done");
  await decide(P, "1", beside, "2026-03-04", "bo", "in-progress");
  await decide(P, "2", own, "2026-03-04", "cy", "not-relevant");
  await decide(OTHER, "1", own, "2026-03-04", "dora", "open");
  await decide(P, "1", own, "2026-03-05", "of another day", "open");
  await decide(OTHER, "2", own, "2026-03-05", "of another day", "done");
  const any: MentionFilter = { projectId: P, queryId: "1", sentiment: null, contains: null, from, to };
  const listed = async (changes: Partial<MentionFilter>) =>
    (await facts.mentions({ ...any, ...changes }, null, 99)).mentions.map(
      ({ projectId, queryName, mention, workflow }) =>
        `${projectId} ${queryName} ${mention.resourceId === own ? "own" : "beside"} ${workflow?.assignee ?? null}`,
    );
  expect(await listed({})).toEqual(["p p 1 beside bo", "p p 1 own ann"]);
  expect(await listed({ assignee: "Ann" })).toEqual(["p p 1 own ann"]);
  expect(await listed({ assignee: "cy" })).toEqual([]);
  expect(await listed({ status: "done" })).toEqual(["p p 1 own ann"]);
  expect(await listed({ status: "open" })).toEqual([]);
  expect(await listed({ status: "to-do" })).toEqual(["p p 1 beside bo"]);
  expect(await listed({ assignee: "bo", status: "done" })).toEqual([]);
  expect(await listed({ tag: "BO" })).toEqual(["p p 1 beside bo"]);
  for (const tag of ["cy", "dora", "of another day"]) expect(await listed({ tag })).toEqual([]);
  const nobody = { projectId: OTHER, queryId: "2" };
  expect(await listed({ ...nobody, assignee: NOBODY })).toHaveLength(2);
  expect(await listed({ ...nobody, status: "open" })).toHaveLength(2);
  expect(await listed({ assignee: NOBODY })).toEqual([]);
  expect(await listed({ queryId: "2", assignee: NOBODY })).toEqual(["p p 2 beside null"]);
  expect(await listed({ projectId: OTHER, assignee: NOBODY })).toEqual(["other other 1 beside null"]);
  expect(await listed({ alertId: ids.a })).toEqual([]);
  expect(await listed({ projectId: null })).toHaveLength(2);
  const all = await listed({ projectId: null, queryId: null });
  expect(all).toHaveLength(8);

  await sql`insert into earshot.listed_authors (id, list_key, list, author_key, author, site, note, actor, at)
    values (gen_random_uuid(), 'known', 'Known', 'p', 'p', '', '', '{}', now()),
      (gen_random_uuid(), 'others', 'Others', 'q', 'q', '', '', '{}', now())`.execute(database.db);
  expect(await listed({ list: "Known" })).toHaveLength(2);
  expect(await listed({ list: "Others" })).toEqual([]);
});

test("a story that spread is counted from the mentions of its queries, in the period and before", async () => {
  const [from, to] = [NOON + 3 * DAY, NOON + 3 * DAY + HOUR];
  const unit = { projectId: P, queryId: "1", facet: null };
  const reading: Reading = {
    units: [
      { ...unit, span: 0, from, to },
      { ...unit, span: 1, from: from - HOUR, to: from },
    ],
    ...{ since: null, isCompared: true, filters: {} },
  };
  const tell = async (
    projectId: string,
    queryId: string,
    name: string,
    told: readonly (readonly [number, string, string])[],
  ) => {
    const page = told.map(([at, author, domain], n) => ({
      mention: aMention({
        ...{ queryId, resourceId: `${name} ${n}`, publishedAt: at, author, domain, sentiment: "negative" },
      }),
      ...{ eventAt: at, story: name },
    }));
    await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
  };
  const copies = (name: string) => [0, 1, 2].map((n) => [from + n, name, `${n}.example`] as const);
  await tell(P, "1", "first", [
    ...copies("ann"),
    [from - 1, "before", "x.example"],
    [from - 2 * HOUR, "long before", "x.example"],
  ]);
  // Another is told at the same moments, on seven sites.
  await tell(
    P,
    "1",
    "second",
    [0, 0, 1, 1, 2, 2, 3].map((ms, n) => [from + ms, "bo", `${n}.example`] as const),
  );
  await tell(P, "1", "too rare", [...copies("cy").slice(1), [from - 1, "cy", "x.example"]]);
  for (const [projectId, queryId] of [
    [P, "2"],
    [OTHER, "1"],
  ] as const)
    await tell(projectId, queryId, "first", copies("elsewhere"));
  const stories = await facts.spreadStories(reading, [from, to], 9);
  expect(
    stories.map(({ mentions, before, negative, authors, sites }) => [
      mentions,
      before,
      negative,
      authors,
      sites.length,
    ]),
  ).toEqual([
    [7, 0, 7, 1, 6],
    [3, 1, 3, 1, 3],
  ]);
});
