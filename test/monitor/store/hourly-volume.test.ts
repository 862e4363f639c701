import { sql } from "kysely";
import { expect, test } from "vitest";
import { DAY, floorTo, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { PROJECT, storeMentions } from "../../console/make-a-story.ts";
import { aMention } from "../../mention.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const { database, stores } = await useStores();
const facts = createConsoleStore(database.db);
const incident = { projectId: PROJECT } as Incident;
const queries = ["1", "2"].map((queryId) => ({ queryId, queryName: `Query ${queryId}` }));

test("an hour has the mentions that are stored, counted or not yet, whatever the minutes at its ends", async () => {
  await ensurePartitions(database.db, NOW);
  const mentionAt = (n: number, at: number) =>
    aMention({
      ...{ queryId: String(1 + (n % 2)), resourceId: String(n), addedAt: at },
      ...{
        publishedAt: n % 7 === 0 ? null : at,
        sentiment: (["negative", "positive", null] as const)[n % 3] ?? null,
      },
    });
  // Some on the boundaries, some a millisecond beside them.
  const moments = Array.from({ length: 120 }, (_, n) => NOW - 6 * HOUR + n * 3 * MINUTE + ((n % 3) - 1));
  const some = moments.map((at, n) => mentionAt(n, at));
  await storeMentions(stores, some.slice(0, 70), NOW);
  await stores.mentionCounts.countStale();
  expect(await volume(NOW - DAY, NOW)).toEqual(await recounted(NOW - DAY, NOW));

  // These come into counted quarters, too.
  await storeMentions(stores, some.slice(40), NOW);
  const ends = [
    NOW - DAY,
    NOW - 5 * HOUR - 7 * MINUTE,
    floorTo(NOW, HOUR) - HOUR,
    NOW - MINUTE,
    NOW,
    NOW + HOUR,
  ];
  for (const from of ends)
    for (const to of ends.filter((one) => one > from))
      expect([from, to, await volume(from, to)]).toEqual([from, to, await recounted(from, to)]);
});

test("an incident that was merged with one of the same query counts each mention once", async () => {
  const renamed = queries.map((one) => ({ ...one, queryName: `${one.queryName}, renamed` }));
  const twice = await facts.incidentVolume(incident, [...queries, ...renamed], NOW - DAY, NOW);
  expect(sorted(twice)).toEqual(await recounted(NOW - DAY, NOW));
  // Under the name that is given first.
  expect(new Set(twice.map(({ queryName }) => queryName))).toEqual(
    new Set(queries.map(({ queryName }) => queryName)),
  );
});

async function volume(from: number, to: number) {
  return sorted(await facts.incidentVolume(incident, queries, from, to));
}

async function recounted(from: number, to: number) {
  const { rows } = await sql<{ queryId: string; at: number; sentiment: string | null }>`
    select query_id as "queryId", (extract(epoch from event_at) * 1000)::double precision as at, sentiment from earshot.mentions
  `.execute(database.db);
  const counts = new Map<string, number>();
  for (const { queryId, at, sentiment } of rows.filter((row) => row.at >= from && row.at < to)) {
    const key = JSON.stringify([queryId, floorTo(at, HOUR), sentiment]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort();
}

function sorted(rows: Awaited<ReturnType<typeof facts.incidentVolume>>) {
  return rows
    .map(({ queryId, hour, sentiment, n }) => [JSON.stringify([queryId, hour, sentiment]), n] as const)
    .sort();
}
