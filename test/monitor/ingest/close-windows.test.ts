import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, floorTo, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { prepareSeries } from "../../../src/monitor/ingest/prepare-series.ts";
import { BUCKET_MS } from "../../../src/monitor/model/judging.ts";
import type { Query } from "../../../src/monitor/model/query.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { aRule, aWindowRule } from "../rules/a-rule.ts";
import { dueWork } from "../store/due-work.ts";
import { closeAt, completeUntil as readUntil } from "./close-at.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const tables = await useStores();
const { database, stores } = tables;
const queries: Query[] = [];

/** A query of which all is known until `completeUntil`, with a mention a minute since `from`. */
async function aQuery(facts: { from: number; count: number; watchFrom: number }): Promise<Query> {
  const queryId = String(queries.length + 1);
  const query = oddQuery({ queryId });
  queries.push(query);
  await stores.queries.register(queries, facts.watchFrom, facts.watchFrom - DAY);
  await stores.polls.ensure(NOON - DAY);
  const page = Array.from({ length: facts.count }, (_, i) => {
    const addedAt = facts.from + i * MINUTE;
    const mention = aMention({ queryId, resourceId: `m${i}`, addedAt, sentiment: "negative" });
    return { mention, eventAt: addedAt, story: String(i) };
  });
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  return query;
}

/** More mentions of a query, one every half a minute. */
async function storeMentions(query: Query, count: number, from: number, text: string): Promise<void> {
  const page = Array.from({ length: count }, (_, i) => {
    const addedAt = from + (i * MINUTE) / 2;
    const { queryId } = query;
    const resourceId = `${text} ${from} ${i}`;
    const mention = aMention({
      queryId,
      resourceId,
      addedAt,
      publishedAt: addedAt,
      text,
      sentiment: "negative",
    });
    return { mention, eventAt: addedAt, story: resourceId };
  });
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
}

const completeUntil = (query: Query, until: number) => readUntil(tables, query, until);
const close = (query: Query, rules: readonly Rule[]) => closeAt(NOON, tables, query, rules);
const volume = () => aWindowRule("when: { sentiment: negative }\nvolume: { atLeast: 10, within: 15m }");

test("a new rule counts stored mentions once, and its alerts are the same in one step or in many", async () => {
  const facts = { from: NOON - 2 * HOUR, count: 60, watchFrom: NOON - 3 * HOUR };
  const [atOnce, inSteps] = [await aQuery(facts), await aQuery(facts)];
  const rule = volume();
  for (const query of [atOnce, inSteps]) {
    expect(await Promise.all([1, 2].map(() => prepareSeries(stores, query, [rule])))).toContain(1);
    expect(await prepareSeries(stores, query, [rule])).toBe(0);
  }
  await completeUntil(atOnce, NOON);
  expect(await close(atOnce, [rule])).toMatchObject({ more: false });
  for (let until = NOON - 3 * HOUR; until <= NOON; until += 7 * MINUTE) {
    await completeUntil(inSteps, until);
    await close(inSteps, [rule]);
  }
  await completeUntil(inSteps, NOON);
  await close(inSteps, [rule]);
  const alerts = await stores.alerts.openedBetween(0, NOON);
  const [one, other] = [atOnce, inSteps].map((query) =>
    alerts
      .filter(({ queryId }) => queryId === query.queryId)
      .map(({ openedAt, lastSeenAt, resolvedAt, mentions }) => ({
        openedAt,
        lastSeenAt,
        resolvedAt,
        mentions,
      })),
  );
  expect(one).toEqual([
    {
      openedAt: NOON - 2 * HOUR + 10 * MINUTE,
      lastSeenAt: NOON - HOUR + 5 * MINUTE,
      resolvedAt: NOON - HOUR + 35 * MINUTE,
      mentions: 60,
    },
  ]);
  expect(other).toEqual(one);
});

test("what joins an incident is the same in one step or in many", async () => {
  const facts = { from: NOON - HOUR, count: 10, watchFrom: NOON - 3 * HOUR };
  const [atOnce, inSteps] = [await aQuery(facts), await aQuery(facts)];
  const rules = [
    aRule("when: { sentiment: negative }\nvolume: { atLeast: 10, within: 15m }", "surge", "warning"),
    aRule("when: { keyword: early }\nvolume: { atLeast: 1, within: 5m }\nover: { after: 4h }", "early"),
  ];
  for (const query of [atOnce, inSteps]) {
    // After the alert fired, everybody says what an alert of an hour before said.
    await storeMentions(query, 1, NOON - HOUR - 20 * MINUTE, "an early word about the harbour");
    await storeMentions(query, 20, NOON - HOUR + 10 * MINUTE, "an early word about the harbour");
    await prepareSeries(stores, query, rules);
  }
  await completeUntil(atOnce, NOON);
  await close(atOnce, rules);
  for (let until = NOON - 3 * HOUR; until <= NOON; until += 5 * MINUTE) {
    await completeUntil(inSteps, until);
    await close(inSteps, rules);
  }
  const [one, other] = await Promise.all(
    [atOnce, inSteps].map(async ({ projectId, queryId }) =>
      (await stores.incidents.ofQuery(projectId, queryId, 0)).map(
        ({ id, leaderId, queryId: its, notified, ...facts }) => facts,
      ),
    ),
  );
  expect(one).toHaveLength(1);
  expect(other).toEqual(one);
});

test("an incomplete bucket is not evaluated, and an evaluated one is not evaluated again", async () => {
  const query = await aQuery({ from: NOON - HOUR, count: 30, watchFrom: NOON - 2 * HOUR });
  const rule = volume();
  await prepareSeries(stores, query, [rule]);
  expect(await close(query, [rule])).toMatchObject({ judged: 0 });
  await completeUntil(query, NOON - HOUR + 4 * MINUTE);
  expect(await close(query, [rule])).toMatchObject({ judged: DAY / (5 * MINUTE) + 12 });
  expect(await close(query, [rule])).toMatchObject({ judged: 0 });
});

test("a long history is evaluated in whole buckets, each once, from any moment on", async () => {
  const watchFrom = NOON - 8 * DAY + 157_398;
  const query = await aQuery({ from: watchFrom, count: 60, watchFrom });
  const buckets: number[] = [];
  const { window, ...rule } = volume();
  const step: typeof window.step = (state, tick) => {
    buckets.push(tick.bucket);
    return window.step(state, tick);
  };
  const rules = [{ ...rule, window: { ...window, isAsleep: () => false, step } }];
  await prepareSeries(stores, query, rules);
  await completeUntil(query, NOON);
  expect(await close(query, rules)).toMatchObject({ more: true });
  expect(await close(query, rules)).toMatchObject({ more: false });
  const first = floorTo(watchFrom, BUCKET_MS);
  expect(buckets).toEqual(
    Array.from({ length: (NOON - first) / BUCKET_MS }, (_, nth) => first + nth * BUCKET_MS),
  );
});

test("history only teaches: nothing that arrived before the query was watched alerts", async () => {
  const query = await aQuery({ from: NOON - 2 * HOUR, count: 60, watchFrom: NOON - 30 * MINUTE });
  const rule = volume();
  await prepareSeries(stores, query, [rule]);
  await completeUntil(query, NOON);
  await close(query, [rule]);
  expect(await stores.alerts.openOfQuery("p", query.queryId)).toEqual([]);
  const { rows } = await sql`select from earshot.alerts where query_id = ${query.queryId}`.execute(
    database.db,
  );
  expect(rows).toHaveLength(0);
});

test("a rule that is taken away ends its alert", async () => {
  const query = await aQuery({ from: NOON - 30 * MINUTE, count: 30, watchFrom: NOON - HOUR });
  const rule = volume();
  await prepareSeries(stores, query, [rule]);
  await completeUntil(query, NOON - 5 * MINUTE);
  await close(query, [rule]);
  const [alert] = await stores.alerts.openOfQuery("p", query.queryId);
  expect(alert?.state).toBe("firing");
  await completeUntil(query, NOON);
  await close(query, []);
  expect(await stores.alerts.find("p", alert?.id ?? "")).toMatchObject({
    state: "resolved",
    resolvedAt: NOON,
  });
});

test("alerts of a query that is no longer watched end, and say why", async () => {
  const query = await aQuery({ from: NOON - HOUR, count: 60, watchFrom: NOON - 2 * HOUR });
  const rule = volume();
  await prepareSeries(stores, query, [rule]);
  await completeUntil(query, NOON);
  await close(query, [rule]);
  const [open] = await stores.alerts.openOfQuery("p", query.queryId);
  expect(open).toMatchObject({ state: "firing" });
  const due = async () =>
    (await dueWork(stores, NOON)).windows.filter(({ queryId }) => queryId === query.queryId);
  expect(await due()).toEqual([]);
  // Deleted at the source, or narrowed out of the configuration.
  const others = queries.filter((one) => one !== query);
  await stores.queries.register(others, NOON, NOON);
  expect(await due()).toEqual([{ projectId: "p", queryId: query.queryId }]);
  await close(query, [rule]);
  expect(await stores.alerts.find("p", open?.id ?? "")).toMatchObject({
    state: "resolved",
    resolvedAt: NOON,
    handling: { endedBecause: "its query is no longer watched" },
  });
  expect((await stores.alerts.events("p", open?.id ?? "")).at(-1)).toMatchObject({
    what: "Resolved",
    detail: expect.stringMatching(/^its query is no longer watched; \d+ negative mentions in all$/),
  });
  expect(await due()).toEqual([]);
  // A later run finds nothing to evaluate.
  expect(await close(query, [rule])).toMatchObject({ judged: 0, pending: [] });
});
