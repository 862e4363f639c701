import { parseArgs } from "node:util";
import { sql } from "kysely";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY, MINUTE } from "../../src/lib/instant.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { median } from "./median.ts";

/**
 * What it costs to count many stored mentions before somebody asks, and what the questions of the console's pages then
 * cost, beside the same questions asked of the mentions themselves.
 *
 *     npx tsx test/bench/mention-counts.ts [--mentions 1000000] [--rounds 5]
 */
const { values } = parseArgs({
  options: { mentions: { type: "string", default: "1000000" }, rounds: { type: "string", default: "5" } },
});
const [mentions, rounds] = [Number(values.mentions), Number(values.rounds)];
const FROM = Date.UTC(2026, 0, 1);
const [DAYS, QUERIES, AUTHORS] = [90, 5, mentions / 4];
const TO = FROM + DAYS * DAY;

const closing = createClosing();
try {
  const { db } = await openBenchDatabase(closing);
  const { mentionCounts } = createStores(db);
  const facts = createConsoleStore(db);
  for (const day of [0, 31, 59]) await ensurePartitions(db, FROM + day * DAY);
  // A quarter of a million authors of very different diligence for a million mentions, 2,000 sites.
  await sql`
    insert into earshot.mentions
    select 'p', q::text, n::text, at::date, at, at, at, at, sentiment, (n % ${mentions / 2} + n % 3)::text, n % 5000, json_build_object(
      'queryId', q::text, 'resourceId', n::text, 'publishedAt', 1, 'addedAt', 1, 'title', 'A title', 'text', repeat('many words ', 40),
      'author', 'author' || (power(random(), 2) * ${AUTHORS})::int, 'domain', 'site' || (power(random(), 3) * 2000)::int || '.example',
      'language', (array['en','de','fr'])[1 + n % 3], 'country', 'Country ' || n % 40, 'pageType', (array['twitter','news','blog'])[1 + n % 3],
      'sentiment', sentiment)
    from (select n, n % ${QUERIES} as q, timestamptz '2026-01-01' + random() * interval '1 day' * ${DAYS} as at,
      (array['negative', 'neutral', 'positive'])[1 + (random() * 2)::int] as sentiment
      from generate_series(1, ${mentions}::int) n) made
  `.execute(db);
  await sql`insert into earshot.stale_counts (project_id, query_id, quarter)
    select distinct project_id, query_id, date_bin('15 minutes', event_at, 'epoch') from earshot.mentions`.execute(
    db,
  );
  await sql`analyze earshot.mentions`.execute(db);
  const began = monotonicMs();
  await mentionCounts.countStale();
  const counting = monotonicMs() - began;
  await sql`analyze earshot.mention_counts`.execute(db);
  const { rows } = await sql<{
    n: number;
    bytes: number;
  }>`select (select count(*) from earshot.mention_counts) as n,
    (select sum(pg_total_relation_size(inhrelid))::bigint from pg_inherits
      where inhparent = 'earshot.mention_counts'::regclass) as bytes`.execute(db);
  console.log(`${mentions} mentions, ${DAYS} days, ${QUERIES} queries; middle of ${rounds} rounds`);
  console.log(`counting all of them: ${Math.round(mentions / (counting / 1000))} mentions a second`);
  console.log(`${rows[0]?.n} rows of counts, ${Math.round((rows[0]?.bytes ?? 0) / 1e6)} MB`);

  const queries = Array.from({ length: QUERIES }, (_, n) => ({ projectId: "p", queryId: String(n) }));
  for (const days of [1, 7, 30, 89]) {
    const moments = Array.from({ length: days + 1 }, (_, day) => TO - (days - day) * DAY);
    const period = { from: TO - days * DAY, to: TO };
    const before = { from: Math.max(FROM, TO - 2 * days * DAY), to: TO - days * DAY };
    await time(`${days} days of volume and mood`, () => mentionCounts.bySteps(queries, ["all", ""], moments));
    await time(`${days} days of it, from the mentions`, () =>
      sql`select query_id, date_trunc('day', event_at, 'UTC') as day, sentiment, count(*) from earshot.mentions
        where project_id = 'p' and query_id = any(${queries.map((one) => one.queryId)}::text[])
          and event_at >= to_timestamp(${period.from / 1000}) and event_at < to_timestamp(${period.to / 1000})
          and day >= to_timestamp(${period.from / 1000})::date group by 1, 2, 3`.execute(db),
    );
    await time(`${days} days, what moved the mood`, () =>
      mentionCounts.movers(
        queries,
        ["domain", "type", "country", "language"],
        { period, before },
        { period: 1, before: 1 },
        3,
      ),
    );
    await time(`${days} days, the stories that spread`, () =>
      facts.spreadStories(queries, moments, before, 10),
    );
    for (const facet of ["domain", "author"] as const)
      await time(`${days} days, the first of each ${facet}, and the time before`, () =>
        mentionCounts.byValue(queries, facet, { period, before }, 20),
      );
  }
  // One more mention in a quarter, as while pages come in.
  await time("counting one quarter of a query again", async () => {
    await sql`insert into earshot.stale_counts (project_id, query_id, quarter)
      values ('p', '1', to_timestamp(${(TO - DAY - 15 * MINUTE) / 1000}))`.execute(db);
    await mentionCounts.countStale();
  });
} finally {
  await closing.close();
}

async function time(what: string, work: () => Promise<unknown>): Promise<void> {
  const took: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = monotonicMs();
    await work();
    took.push(monotonicMs() - began);
  }
  console.log(`${median(took).toFixed(1).padStart(9)} ms  ${what}`);
}
