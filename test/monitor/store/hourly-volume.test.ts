import { sql } from "kysely";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { DAY, floorTo, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import type { Incident } from "../../../src/monitor/model/incident.ts";
import { eventAt, type Mention } from "../../../src/monitor/model/mention.ts";
import { createConsoleStore } from "../../../src/monitor/store/console.ts";
import { ensurePartitions } from "../../../src/monitor/store/partitions.ts";
import { PROJECT } from "../../console/make-a-story.ts";
import { aMention } from "../../mention.ts";
import { oddQuery } from "../../odd-world.ts";
import { useStores } from "../../use-stores.ts";

const NOW = Date.parse("2026-03-03T14:05:00Z");
const { database, stores } = await useStores();
const facts = createConsoleStore(database.db);
const incident = { projectId: PROJECT } as Incident;
const queries = ["1", "2"].map((queryId) => ({ queryId, queryName: `Query ${queryId}` }));
const PROJECTS = [PROJECT, "other"] as const;

const mentionAt = (n: number, at: number) =>
  aMention({
    ...{
      queryId: String(1 + (n % 2)),
      resourceId: String(n),
      addedAt: at,
      author: "ann",
      domain: "x.example",
    },
    ...{
      publishedAt: n % 7 === 0 ? null : at,
      sentiment: (["negative", "positive", null] as const)[n % 3] ?? null,
    },
  });
// Some on the boundaries, some a millisecond beside them.
const moments = Array.from({ length: 120 }, (_, n) => NOW - 6 * HOUR + n * 3 * MINUTE + ((n % 3) - 1));
const some = moments.map((at, n) => mentionAt(n, at));

beforeAll(async () => {
  await ensurePartitions(database.db, NOW);
  const watched = PROJECTS.flatMap((projectId) =>
    queries.map(({ queryId, queryName: name }) => oddQuery({ projectId, queryId, name })),
  );
  await stores.queries.register(watched, NOW - DAY, NOW - DAY);
});

/** Of one project the first and of the other the last are counted; of both, some that come then are not. */
beforeEach(async () => {
  for (const table of ["mentions", "stale_counts", "mention_counts", "mention_days"])
    await sql`delete from ${sql.table(`earshot.${table}`)}`.execute(database.db);
  await store(PROJECT, some.slice(0, 70));
  await store("other", some.slice(20));
  await stores.mentionCounts.countStale();
});
const storeTheRest = async () => {
  await store(PROJECT, some.slice(40));
  await store("other", some.slice(10));
};

async function store(projectId: string, mentions: readonly Mention[]): Promise<void> {
  const page = mentions.map((mention) => ({ mention, eventAt: eventAt(mention), story: "s" }));
  await stores.mentions.storePage(projectId, stores.mentions.rowsOf(page), NOW);
}

test("an hour has the mentions that are stored, counted or not yet, whatever the minutes at its ends", async () => {
  expect(await volume(NOW - DAY, NOW)).toEqual(await recounted(NOW - DAY, NOW));

  // These come into counted quarters, too.
  await storeTheRest();
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
  await storeTheRest();
  const renamed = queries.map((one) => ({ ...one, queryName: `${one.queryName}, renamed` }));
  const twice = await facts.incidentVolume(incident, [...queries, ...renamed], NOW - DAY, NOW);
  expect(sorted(twice)).toEqual(await recounted(NOW - DAY, NOW, [PROJECT]));
  // Under the name that is given first.
  expect(new Set(twice.map(({ queryName }) => queryName))).toEqual(
    new Set(queries.map(({ queryName }) => queryName)),
  );
});

async function volume(from: number, to: number) {
  return sorted(await facts.volume(from, to));
}

async function recounted(from: number, to: number, projects: readonly string[] = PROJECTS) {
  const { rows } = await sql<{ projectId: string; queryId: string; at: number; sentiment: string | null }>`
    select project_id as "projectId", query_id as "queryId", (extract(epoch from event_at) * 1000)::double precision as at,
      sentiment from earshot.mentions where project_id = any(${projects}::text[])
  `.execute(database.db);
  const counts = new Map<string, number>();
  for (const { projectId, queryId, at, sentiment } of rows.filter((row) => row.at >= from && row.at < to)) {
    const key = JSON.stringify([projectId, queryId, floorTo(at, HOUR), sentiment]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].sort();
}

function sorted(rows: Awaited<ReturnType<typeof facts.incidentVolume>>) {
  return rows
    .map(
      ({ projectId, queryId, hour, sentiment, n }) =>
        [JSON.stringify([projectId, queryId, hour, sentiment]), n] as const,
    )
    .sort();
}
