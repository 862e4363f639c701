import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { prepareSeries } from "../../../src/monitor/ingest/prepare-series.ts";
import type { Query } from "../../../src/monitor/model/query.ts";
import { rulesWarmingUp } from "../../../src/monitor/polling/read-coverage.ts";
import { guardRules } from "../../../src/monitor/rules/guard-rules.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { aWindowRule } from "../rules/a-rule.ts";
import { closeAt, completeUntil } from "./close-at.ts";

const NOON = Date.parse("2026-03-05T12:00:00Z");
const tables = await useStores();
const { stores } = tables;
let queries = 0;

/** A query with a mention every ten minutes for three days, and so many more a minute in the last half hour. */
async function aQuery(crowd: number): Promise<Query> {
  const queryId = String(++queries);
  const query = oddQuery({ queryId });
  await stores.queries.register([query], NOON - 3 * DAY, NOON - 3 * DAY);
  await stores.polls.ensure(NOON - 3 * DAY);
  const usual = Array.from({ length: 432 }, (_, i) => NOON - 3 * DAY + i * 10 * MINUTE);
  const loud = Array.from({ length: 30 * crowd }, (_, i) => NOON - 30 * MINUTE + (i * MINUTE) / crowd);
  const page = [...usual, ...loud].map((addedAt, i) => {
    const at = Math.floor(addedAt);
    const mention = aMention({ queryId, resourceId: `m${i}`, publishedAt: at, addedAt: at, updatedAt: at });
    return { mention, eventAt: at, story: String(i) };
  });
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  return query;
}

async function close(query: Query, rules: readonly Rule[], until: number) {
  await prepareSeries(stores, query, rules);
  await completeUntil(tables, query, until);
  return closeAt(NOON, tables, query, rules);
}

const states = (query: Query) => stores.conditions.states("p", query.queryId);

/** A crowd from 11:30 to 12:00, then a mention every `pauseMs`: somewhat more than usual, and no wave any more. */
async function afterACrowd(pauseMs: number, watchFrom: number): Promise<Query> {
  const queryId = String(++queries);
  const query = oddQuery({ queryId });
  await stores.queries.register([query], watchFrom, NOON - 3 * DAY);
  await stores.polls.ensure(NOON - 3 * DAY);
  const every = (from: number, to: number, ms: number) =>
    Array.from({ length: (to - from) / ms }, (_, i) => from + i * ms);
  const page = [
    ...every(NOON - 3 * DAY, NOON, 10 * MINUTE),
    ...every(NOON - 30 * MINUTE, NOON, 10_000),
    ...every(NOON, watchFrom + HOUR, pauseMs),
  ].map((at, i) => {
    const mention = aMention({ queryId, resourceId: `m${i}`, publishedAt: at, addedAt: at, updatedAt: at });
    return { mention, eventAt: at, story: String(i) };
  });
  await stores.mentions.storePage("p", stores.mentions.rowsOf(page), NOON);
  return query;
}

test("a wave whose height was before the query was watched is no news; one that goes on is, by what comes now", async () => {
  const rule = aWindowRule("spike: { atLeast: 20 }");
  const watchFrom = NOON + 2.5 * HOUR;
  const faded = await afterACrowd(1.5 * MINUTE, watchFrom);
  await close(faded, [rule], watchFrom + 30 * MINUTE);
  expect(await stores.alerts.openOfQuery("p", faded.queryId)).toEqual([]);
  const loud = await afterACrowd(15_000, watchFrom);
  await close(loud, [rule], watchFrom + 30 * MINUTE);
  const [open] = await stores.alerts.openOfQuery("p", loud.queryId);
  expect(open).toMatchObject({ state: "firing" });
  expect(open?.because).not.toContain("at the peak");
});

test("a rule that is edited without a change of what it counts keeps what it has learned", async () => {
  const query = await aQuery(6);
  const before = aWindowRule("spike: { atLeast: 20 }");
  await close(query, [before], NOON - 10 * MINUTE);
  const [open] = await stores.alerts.openOfQuery("p", query.queryId);
  expect(open?.state).toBe("firing");

  const after = aWindowRule("spike: { atLeast: 25, sensitivity: strict, cooldown: 6h }");
  expect(after.window.key).not.toBe(before.window.key);
  await close(query, [after], NOON);
  const kept = await states(query);
  expect(kept.map(({ condition }) => condition)).toEqual([after.window.key]);
  expect(kept[0]?.steppedUntil).toBe(NOON);
  // The alert is the same one, still open: the edit neither ended nor repeated it.
  expect((await stores.alerts.openOfQuery("p", query.queryId)).map(({ id }) => id)).toEqual([open?.id]);
});

test("a rule that counts the same as another starts with what that one has learned", async () => {
  const query = await aQuery(0);
  const first = aWindowRule("spike: { atLeast: 20 }");
  await close(query, [first], NOON - 10 * MINUTE);
  const second = aWindowRule("spike: { atLeast: 40, sensitivity: strict }");
  await close(query, [first, second], NOON);
  const [one, other] = [first, second].map(({ window }) => window.key);
  const stored = new Map((await states(query)).map((state) => [state.condition, state.state]));
  expect([...stored.keys()].sort()).toEqual([one, other].sort());
  expect(stored.get(one ?? "")).toEqual(stored.get(other ?? ""));
});

test("a value that was never used since the query is watched is news when many use it at once", async () => {
  const query = await aQuery(0);
  const rules = [aWindowRule("when: { tag: never }\nspike: { atLeast: 10 }")];
  await close(query, rules, NOON);
  const said = Array.from({ length: 40 }, (_, i) => {
    const at = NOON + i * 5_000;
    const facts = { queryId: query.queryId, resourceId: `said ${i}`, tags: ["never"] };
    const mention = aMention({ ...facts, publishedAt: at, addedAt: at, updatedAt: at });
    return { mention, eventAt: at, story: String(i) };
  });
  await stores.mentions.storePage("p", stores.mentions.rowsOf(said), NOON);
  await stores.counts.add("p", query.queryId, [
    { series: rules[0]?.window.series[0]?.key ?? "", arrived: NOON, bucket: NOON, n: 40 },
  ]);
  await close(query, rules, NOON + 5 * MINUTE);
  expect(await stores.alerts.openOfQuery("p", query.queryId)).toMatchObject([{ state: "firing" }]);
});

test("a silent series is not touched until something arrives, and has missed nothing then", async () => {
  const query = await aQuery(0);
  const silent = aWindowRule("when: { tag: never }\nspike: { atLeast: 5 }");
  const busy = aWindowRule("spike: { atLeast: 20 }");
  await close(query, [silent, busy], NOON - HOUR);
  const stateOf = async (key: string) => (await states(query)).find(({ condition }) => condition === key);
  const before = await stateOf(silent.window.key);
  await close(query, [silent, busy], NOON);
  expect(await stateOf(silent.window.key)).toEqual(before);
  expect((await stateOf(busy.window.key))?.steppedUntil).toBe(NOON);

  const arrived = NOON + 5 * MINUTE;
  await stores.counts.add("p", query.queryId, [
    { series: silent.window.series[0]?.key ?? "", arrived, bucket: arrived, n: 2 },
  ]);
  await close(query, [silent, busy], NOON + 10 * MINUTE);
  expect((await stateOf(silent.window.key))?.steppedUntil).toBe(NOON + 10 * MINUTE);
});

test("a state of later code is learned again from the counts, and logged; other rules go on", async () => {
  const query = await aQuery(6);
  const unread: string[] = [];
  const rules = guardRules(
    [aWindowRule("spike: { atLeast: 20 }"), aWindowRule("volume: { atLeast: 1000, within: 1h }")],
    {
      onFault: (rule, reason) => expect.unreachable(`${rule}: ${reason}`),
      onUnreadable: (rule) => unread.push(rule),
    },
  );
  await close(query, rules, NOON - HOUR);
  const learned = await states(query);
  await sql`
    update earshot.condition_states set state = jsonb_build_object('spike', '/wAA' || substr(state->>'spike', 5))
    where query_id = ${query.queryId} and state->>'spike' is not null`.execute(tables.database.db);
  expect(await rulesWarmingUp(createConsoleStore(tables.database.db), rules)).toContainEqual(
    expect.objectContaining({ queryId: query.queryId, needs: "a first mention that it counts" }),
  );
  unread.length = 0;

  await close(query, rules, NOON - 10 * MINUTE);
  expect(unread).toEqual(["a-rule"]);
  const [open] = await stores.alerts.openOfQuery("p", query.queryId);
  expect(open?.state).toBe("firing");
  expect((await states(query)).map(({ condition }) => condition)).toEqual(
    learned.map(({ condition }) => condition),
  );
  await close(query, rules, NOON);
  expect(unread).toEqual(["a-rule"]);
});

test("windows are judged in the zone of their query", async () => {
  const query = { ...(await aQuery(0)), timezone: "Asia/Kolkata" };
  await stores.queries.register([query], NOON - 3 * DAY, NOON - 3 * DAY);
  const rule = aWindowRule("spike: { atLeast: 20 }");
  const zones = new Set<string | undefined>();
  const step: typeof rule.window.step = (state, bucket) => {
    zones.add(bucket.timezone);
    return rule.window.step(state, bucket);
  };
  await close(query, [{ ...rule, window: { ...rule.window, step } }], NOON);
  expect([...zones]).toEqual(["Asia/Kolkata"]);
});
