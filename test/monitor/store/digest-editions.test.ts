import { sql } from "kysely";
import { beforeEach, expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { uuid7 } from "../../../src/lib/uuid7.ts";
import { volumeOf } from "../../../src/monitor/digest/volume.ts";
import type { Alert } from "../../../src/monitor/model/alert.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { changedBy } from "./changed-by.ts";
import { begun } from "./waiting.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const { database, stores } = await useStores();
const { digests } = stores;
const PERIOD = { from: NOON, to: NOON + HOUR };
const [P, OTHER] = ["p", "other"];
const QUERY = { projectId: P, queryId: "1" };

beforeEach(async () => {
  for (const table of [
    "digests",
    "unsubscribed",
    "mentions",
    "queries",
    "alerts",
    "notifications",
    "settings",
    "latest_alerts",
    "incidents",
    "incident_alerts",
    "matches",
  ])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
});

const announce = (name: string, localDate: string) =>
  digests.announce({ name, localDate, dueAt: NOON, period: PERIOD, before: { from: NOON - HOUR, to: NOON } });

test("an edition is found, built and read by its name and date", async () => {
  for (const name of ["own", "beside"])
    for (const date of ["2026-03-02", "2026-03-03"]) await announce(name, date);
  await announce("own", "2026-03-02");
  const key = (date: string) => ({
    name: "own",
    localDate: date,
    dueAt: NOON,
    period: PERIOD,
    before: PERIOD,
  });
  const settle = () => digests.settle(key("2026-03-02"), "built", { a: 1 });
  expect(await changedBy(database.db, "digests", ["name", "local_date"], settle)).toEqual(["own 2026-03-02"]);
  expect(await digests.body("own", "2026-03-02")).toEqual({ a: 1 });
  expect([await digests.body("own", "2026-03-03"), await digests.body("beside", "2026-03-02")]).toEqual([
    null,
    null,
  ]);
  expect((await digests.latest("own"))?.localDate).toBe("2026-03-03");
  expect(await digests.due()).toHaveLength(3);
  for (const find of [digests.findDue, digests.lockDue]) {
    expect(await find("own", "2026-03-02")).toBeNull();
    expect(await find("own", "2026-03-03")).toMatchObject({ name: "own", localDate: "2026-03-03" });
    expect(await find("beside", "2026-03-02")).toMatchObject({ name: "beside", localDate: "2026-03-02" });
  }
  await announce("later", "2026-03-04");
  expect((await digests.latest("own"))?.localDate).toBe("2026-03-03");
});

test("who looks for an edition waits for who builds it, and who would build it passes it over", async () => {
  await announce("own", "2026-03-02");
  const [looks, builds] = await stores.transaction(async (mine) => {
    await mine.digests.lockDue("own", "2026-03-02");
    const second = await begun(database.db, () => digests.lockDue("own", "2026-03-02"));
    return [await begun(database.db, () => digests.findDue("own", "2026-03-02")), second];
  });
  expect([looks.waits, builds.waits, await builds.result]).toEqual([true, false, null]);
  expect(await looks.result).not.toBeNull();
});

test("a reader ends the subscription to one digest", async () => {
  for (const [name, receiver] of [
    ["own", "ann"],
    ["own", "ann"],
    ["own", "bo"],
    ["beside", "ann"],
  ] as const)
    await digests.setSubscribed(name, receiver, false);
  expect((await digests.unsubscribed("own")).sort()).toEqual(["ann", "bo"]);
  await digests.setSubscribed("own", "ann", true);
  expect([await digests.unsubscribed("own"), await digests.unsubscribed("beside")]).toEqual([
    ["bo"],
    ["ann"],
  ]);
  expect([await digests.since("own", NOON), await digests.since("beside", NOON + 1)]).toEqual([
    NOON,
    NOON + 1,
  ]);
  expect(await digests.since("own", NOON + DAY)).toBe(NOON);
});

test("a digest counts the mentions of its queries from the first moment of its period to before the last", async () => {
  const all = [P, OTHER].flatMap((projectId) => ["1", "2"].map((queryId) => ({ projectId, queryId })));
  await stores.queries.register(all.map(oddQuery), NOON, NOON);
  await sql`update earshot.queries set active = false where project_id = ${OTHER}`.execute(database.db);
  const moments = { before: NOON - 1, first: NOON, last: NOON + HOUR - 1, after: NOON + HOUR };
  for (const { projectId, queryId } of all) {
    const page = Object.entries(moments).map(([when, at]) => {
      const name = `${projectId} ${queryId} ${when}`;
      const facts = {
        author: name,
        authorName: name,
        hashtags: [`#${name}`],
        sentiment: "negative",
      } as const;
      const mention = aMention({ queryId, resourceId: when, publishedAt: at, text: name, ...facts });
      return { mention, eventAt: at, story: when };
    });
    await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
  }
  const { authors, hashtags } = await digests.insights([QUERY], PERIOD);
  const names = (found: readonly { name: string }[]) => found.map(({ name }) => name).sort();
  const own = ["p 1 first", "p 1 last"];
  expect([names(authors), names(hashtags)]).toEqual([own, own]);
  const steps = { step: "hour", timezone: "UTC" } as const;
  expect(await digests.volume([QUERY], PERIOD, steps)).toEqual([{ step: 0, mentions: 2, negative: 2 }]);
  const stories = await digests.stories([QUERY], PERIOD);
  expect(stories.map(({ story, mentions, topMention }) => [story, mentions, topMention.text]).sort()).toEqual(
    [
      ["first", 1, "p 1 first"],
      ["last", 1, "p 1 last"],
    ],
  );
  const sentiments = (await digests.sentiments(PERIOD)).map(({ queryId, n }) => [queryId, n]);
  expect(sentiments.sort()).toEqual([
    ["1", 2],
    ["2", 2],
  ]);
  await sql`delete from earshot.mentions where project_id = ${P} and query_id = '1' and resource_id = 'before'`.execute(
    database.db,
  );
  expect(await digests.firstMentions([QUERY])).toEqual(new Map([["1", NOON]]));
});

test("alerts of a digest are those of its queries of which a receiver got messages in its period", async () => {
  const id = uuid7(NOON);
  const alert: Alert = {
    ...{
      id,
      projectId: P,
      rule: "own",
      fingerprint: id,
      queryId: "1",
      queryName: "Acme",
      severity: "warning",
    },
    ...{ state: "firing", labels: { query: "Acme" }, openedAt: NOON, firedAt: NOON, lastSeenAt: NOON },
    ...{ resolvedAt: null, notifyCount: 1, renotifyReason: null, mentions: 3, because: "" },
    ...{ windowFrom: NOON - HOUR, windowTo: NOON, values: { count: 7 }, handling: {}, progress: {} },
  };
  const other = { ...alert, id: uuid7(NOON), fingerprint: "2", queryId: "2", rule: "elsewhere" };
  await stores.alerts.save([alert, other]);
  await stores.alerts.save([{ ...alert, projectId: OTHER, rule: "twin" }]);
  const add = async (createdAt: number, facts: object = {}, state = "sent") => {
    const why = { receiver: "slack", kind: "fired", digest: null, reason: "" } as const;
    const one = { ...why, id: uuid7(NOON), projectId: P, alertId: alert.id, createdAt, ...facts };
    await stores.notifications.addPending([one]);
    await sql`update earshot.notifications set state = ${state} where id = ${one.id}::uuid`.execute(
      database.db,
    );
  };
  for (const moment of [PERIOD.from - 1, PERIOD.from, PERIOD.to - 1, PERIOD.to]) await add(moment);
  await add(NOON, {}, "dead");
  await add(NOON, { kind: "test" });
  await add(NOON, { alertId: other.id });
  await add(NOON, { projectId: OTHER });
  const sent = await digests.sentAlerts([QUERY], PERIOD);
  expect(sent.map(({ rule, messages, count }) => [rule, messages, count])).toEqual([["own", 2, 7]]);
});

test("what decides whether messages were needed is of the alert itself: its incident, its count, its mentions", async () => {
  const facts = (rule: string, more: Partial<Alert> = {}): Alert => {
    const id = uuid7(NOON);
    return {
      ...{ id, projectId: P, rule, fingerprint: id, queryId: "1", queryName: "Acme", severity: "warning" },
      ...{ state: "firing", labels: { query: "Acme" }, openedAt: NOON, firedAt: NOON, lastSeenAt: NOON },
      ...{ resolvedAt: null, notifyCount: 1, renotifyReason: null, mentions: 3, because: "" },
      ...{
        windowFrom: NOON - HOUR,
        windowTo: NOON,
        values: { count: 7 },
        handling: {},
        progress: {},
        ...more,
      },
    };
  };
  const own = facts("own", { windowFrom: NOON });
  const share = facts("share", { values: { count: 7, share: 0.5 } });
  const wrong = facts("wrong", { handling: { closedBy: "Ann", relevant: false } });
  const beside = facts("beside", { queryId: "2" });
  await stores.alerts.save([own, share, wrong, beside]);
  await stores.alerts.save([{ ...own, projectId: OTHER }]);
  for (const alert of [own, share, wrong]) {
    const why = { receiver: "slack", kind: "fired", digest: null, reason: "", createdAt: NOON } as const;
    const id = uuid7(NOON);
    await stores.notifications.addPending([{ ...why, id, projectId: P, alertId: alert.id }]);
    await sql`update earshot.notifications set state = 'sent' where id = ${id}::uuid`.execute(database.db);
  }
  // The neighbour's incident is over, and so is that of the twin; both have mentions by authors whom many follow.
  const open = uuid7(NOON);
  await sql`insert into earshot.incidents (project_id, id, query_id, status, opened_at, body)
    values (${P}, ${open}::uuid, '1', 'open', now(), '{"handling": {}}')`.execute(database.db);
  await stores.incidents.join([
    { projectId: P, incidentId: open, alertId: own.id, joinedAt: NOON, because: "" },
  ]);
  for (const [projectId, alert, incident] of [
    [P, beside, uuid7(NOON)],
    [OTHER, own, open],
  ] as const) {
    await sql`insert into earshot.incidents (project_id, id, query_id, status, opened_at, ended_at, body)
      values (${projectId}, ${incident}::uuid, '1', 'over', now(), now(), '{"handling": {"closedBy": "Ann"}}')`.execute(
      database.db,
    );
    const joined = { incidentId: incident, joinedAt: NOON, because: "" };
    await stores.incidents.join([{ ...joined, projectId, alertId: alert.id }]);
    const mention = aMention({ resourceId: alert.rule, publishedAt: NOON, followers: 1_000_000 });
    const page = [{ mention, eventAt: NOON, story: "s" }];
    await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOON);
    const match = { rule: "r", mention, alertId: alert.id, at: NOON, because: "" };
    await stores.alerts.addMatches(projectId, [match]);
  }
  const sent = async () =>
    (await digests.sentAlerts([QUERY], PERIOD)).map(({ rule, isOver, acted, count, followers }) => [
      ...[rule, isOver, acted, count, followers],
    ]);
  expect((await sent()).sort()).toEqual([
    ["own", false, false, null, null],
    ["share", false, false, null, null],
    ["wrong", false, false, 7, null],
  ]);
});

test("a day of a digest is one of its zone, also where PostgreSQL takes its name for that of a clock without summer time", async () => {
  const midnight = Date.parse("2026-06-30T22:00:00Z");
  const query = { projectId: P, queryId: "summer" };
  await stores.queries.register([oddQuery(query)], midnight, midnight);
  const page = [0, 23.5, 24].map((hours, n) => {
    const at = midnight + hours * HOUR;
    const mention = aMention({ queryId: query.queryId, resourceId: String(n), publishedAt: at });
    return { mention, eventAt: at, story: String(n) };
  });
  await stores.mentions.storePage(P, stores.mentions.rowsOf(page), midnight);
  for (const timezone of ["Europe/Berlin", "CET", "MET"]) {
    const days = await digests.volume(
      [query],
      { from: midnight, to: midnight + 48 * HOUR },
      { step: "day", timezone },
    );
    expect([timezone, days.map(({ step, mentions }) => [step, mentions])]).toEqual([
      timezone,
      [
        [0, 2],
        [1, 1],
      ],
    ]);
  }
});

test("the days of a week from eight to eight begin at eight, and have all of its mentions", async () => {
  const from = Date.parse("2026-10-19T08:00+02:00");
  const to = Date.parse("2026-10-26T08:00+01:00");
  const query = { projectId: P, queryId: "eight" };
  await ensurePartitions(database.db, from);
  await stores.queries.register([oddQuery(query)], from, from);
  const moments = [
    "2026-10-19T08:00+02:00",
    "2026-10-20T07:59+02:00",
    "2026-10-20T08:00+02:00",
    // Clocks go back in this night.
    "2026-10-25T07:59+01:00",
    "2026-10-25T08:00+01:00",
    "2026-10-26T07:59+01:00",
  ].map((text) => Date.parse(text));
  const page = moments.map((at, n) => {
    const mention = aMention({ queryId: query.queryId, resourceId: `eight ${n}`, publishedAt: at });
    return { mention, eventAt: at, story: `eight ${n}` };
  });
  await stores.mentions.storePage(P, stores.mentions.rowsOf(page), from);
  const period = { from, to };
  const counts = await digests.volume([query], period, { step: "day", timezone: "Europe/Berlin" });
  expect(counts.map(({ step, mentions }) => [step, mentions])).toEqual([
    [0, 2],
    [1, 1],
    [5, 1],
    [6, 2],
  ]);
  const drawn = volumeOf(period, counts, "Europe/Berlin");
  expect(drawn?.bars.map(({ mentions }) => mentions)).toEqual([2, 1, 0, 0, 0, 1, 2]);
});
