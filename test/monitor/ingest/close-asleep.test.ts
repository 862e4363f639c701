import fc from "fast-check";
import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, floorTo, HOUR, type Instant, MINUTE } from "../../../src/lib/instant.ts";
import { BUCKET_MS } from "../../../src/monitor/model/judging.ts";
import type { Query } from "../../../src/monitor/model/query.ts";
import type { Rule } from "../../../src/monitor/rules/rule.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";
import { aRule, aWindowRule } from "../rules/a-rule.ts";
import { closeAt, completeUntil } from "./close-at.ts";

const NOON = Date.parse("2026-03-02T12:00:00Z");
const tables = await useStores();
const { database, stores } = tables;
const queries: Query[] = [];

async function aQuery(): Promise<Query> {
  const query = oddQuery({ queryId: String(queries.length + 1) });
  queries.push(query);
  await stores.queries.register(queries, NOON - DAY, NOON - DAY);
  await stores.polls.ensure(NOON - DAY);
  return query;
}

async function count(query: Query, rules: readonly Rule[], at: Instant, n: number): Promise<void> {
  const arrived = floorTo(at, BUCKET_MS);
  const series = new Set(
    rules.flatMap((rule) => (rule.kind === "window" ? rule.window.series.map(({ key }) => key) : [])),
  );
  await stores.counts.addSeries("p", query.queryId, [...series]);
  await stores.counts.add(
    "p",
    query.queryId,
    [...series].map((key) => ({ series: key, arrived, bucket: arrived, n })),
  );
}

const closeAsleep = (query: Query, since = NOON, version = "v") =>
  stores.transaction((facts) =>
    facts.queries.closeAsleep([query], { version, since, bucketMs: BUCKET_MS }).then((all) => all.length),
  );
const judge = (query: Query, rules: readonly Rule[]) => closeAt(NOON, tables, query, rules, "v");
const tickedUntil = async (query: Query) => (await stores.queries.find("p", query.queryId))?.tickedUntil;
const volume = () => aWindowRule("volume: { atLeast: 10, within: 15m }");

/** Of each query, as if it were the only one. */
async function alertsOf({ queryId }: Query) {
  const alerts = await stores.alerts.openedBetween(0, NOON + 100 * DAY);
  return alerts
    .filter((alert) => alert.queryId === queryId)
    .map(({ rule, state, openedAt, lastSeenAt, resolvedAt, mentions, because }) => ({
      ...{ rule, state, openedAt, lastSeenAt, resolvedAt, mentions, because },
    }));
}

/** A query that was judged up to noon, and is complete up to half an hour later. */
async function aQuietQuery(rules: readonly Rule[] = [volume()]): Promise<Query> {
  const query = await aQuery();
  await count(query, rules, NOON - 3 * HOUR, 1);
  await completeUntil(tables, query, NOON);
  await judge(query, rules);
  await completeUntil(tables, query, NOON + 30 * MINUTE);
  return query;
}

test("the windows of a quiet query close without being judged, up to the last whole bucket", async () => {
  const query = await aQuietQuery();
  await completeUntil(tables, query, NOON + 29 * MINUTE);
  expect(await closeAsleep(query)).toBe(1);
  expect(await tickedUntil(query)).toBe(NOON + 25 * MINUTE);
  expect(await closeAsleep(query)).toBe(0);
});

test.each<[string, (query: Query) => Promise<unknown>]>([
  ["something arrived", (query) => count(query, [volume()], NOON, 1)],
  ["something arrived in the last bucket", (query) => count(query, [volume()], NOON + 25 * MINUTE, 1)],
  ["something left", (query) => count(query, [volume()], NOON + 5 * MINUTE, -1)],
  [
    "an alert is open",
    (query) =>
      sql`insert into earshot.latest_alerts (project_id, fingerprint, query_id, alert_id, open)
        values ('p', ${query.queryId}, ${query.queryId}, gen_random_uuid(), true)`.execute(database.db),
  ],
  [
    "an incident is open",
    (query) =>
      sql`insert into earshot.incidents (project_id, id, query_id, status, opened_at, body)
        values ('p', gen_random_uuid(), ${query.queryId}, 'open', now(), '{}')`.execute(database.db),
  ],
  [
    "a week has passed since its conditions were stepped",
    (query) => completeUntil(tables, query, NOON + 7 * DAY),
  ],
  ["nobody watches it", () => stores.queries.register([], NOON, NOON)],
])("the windows of a query are judged if %s", async (_, happen) => {
  const query = await aQuietQuery();
  await happen(query);
  expect(await closeAsleep(query)).toBe(0);
  expect(await tickedUntil(query)).toBe(NOON);
  await stores.queries.register(queries, NOON - DAY, NOON - DAY);
});

test("another version, or a process that began later, leaves all to be judged", async () => {
  const query = await aQuietQuery();
  expect(await closeAsleep(query, NOON, "w")).toBe(0);
  expect(await closeAsleep(query, NOON + 1)).toBe(0);
  expect(await closeAsleep(query)).toBe(1);
});

test("a rule that misses mentions is judged at every bucket", async () => {
  const query = await aQuietQuery([aWindowRule("absence: { within: 2h }"), volume()]);
  expect(await closeAsleep(query)).toBe(0);
});

test("what is being counted is not passed over: neither while it is written nor once it is there", async () => {
  const query = await aQuietQuery();
  await stores.transaction(async (page) => {
    await page.queries.lock("p", query.queryId);
    const [series] = volume().window.series;
    const change = { series: series?.key ?? "", arrived: NOON, bucket: NOON, n: 1 };
    await page.counts.add("p", query.queryId, [change]);
    expect(await closeAsleep(query)).toBe(0);
  });
  expect(await closeAsleep(query)).toBe(0);
  expect(await tickedUntil(query)).toBe(NOON);
});

test("alerts are the same, whether quiet buckets are judged or only closed", async () => {
  const all = [
    "volume: { atLeast: 10, within: 15m }",
    "spike: { atLeast: 12 }",
    "share: { of: { sentiment: negative }, atLeast: 40%, among: 10, within: 1h }",
    "trend: { rising: 30%, over: 2d, atLeast: 10 }",
  ].map((lines, i) => aRule(lines, `rule-${i}`));
  let opened = 0;
  const step = fc.record({
    buckets: fc.oneof(
      { weight: 4, arbitrary: fc.integer({ min: 1, max: 6 }) },
      { weight: 4, arbitrary: fc.integer({ min: 60, max: 400 }) },
      { weight: 1, arbitrary: fc.integer({ min: 2_000, max: 2_500 }) },
    ),
    arrivals: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 40 })),
    late: fc.nat({ max: 4 }),
  });
  const [usual, ...more] = all;
  const trend = more.at(-1);
  if (usual === undefined || trend === undefined) throw new Error("there are rules");
  // Every run closes a quiet time, but with a trend over days, and opens an alert, whatever is drawn between the two.
  const quiet = [100, 6].map((buckets) => ({ buckets, arrivals: 0, late: 0 }));
  const crowd = { buckets: 3, arrivals: 15, late: 0 };
  const property = fc.asyncProperty(
    fc.subarray(more),
    fc.array(step, { minLength: 2, maxLength: 8 }),
    async (others, drawn) => {
      const rules = [usual, ...others];
      const [judged, both] = [await aQuery(), await aQuery()];
      let [until, closed] = [NOON, 0];
      for (const query of [judged, both]) await count(query, rules, until - 3 * HOUR, 20);
      for (const { buckets, arrivals, late } of [...quiet, ...drawn, crowd]) {
        const from = until;
        until += buckets * BUCKET_MS;
        for (const query of [judged, both]) {
          if (arrivals > 0)
            await count(query, rules, Math.max(from, until - (1 + late) * BUCKET_MS), arrivals);
          await completeUntil(tables, query, until);
        }
        while ((await judge(judged, rules)).more);
        closed += await closeAsleep(both);
        while ((await judge(both, rules)).more);
        expect(await tickedUntil(both)).toBe(await tickedUntil(judged));
      }
      expect(closed > 0 || others.includes(trend)).toBe(true);
      const alerts = await alertsOf(judged);
      opened += alerts.length;
      expect(await alertsOf(both)).toEqual(alerts);
      expect(await stores.conditions.states("p", both.queryId)).toEqual(
        await stores.conditions.states("p", judged.queryId),
      );
    },
  );
  const runs = 12;
  await fc.assert(property, { numRuns: runs });
  expect(opened).toBeGreaterThanOrEqual(runs);
});
