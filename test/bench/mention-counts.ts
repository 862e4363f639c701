import { parseArgs } from "node:util";
import { sql } from "kysely";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import { openBenchDatabase } from "./bench-database.ts";
import { noteManyMentions, storeManyMentions } from "./many-mentions.ts";
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
const [DAYS, QUERIES] = [90, 5];
const TO = FROM + DAYS * DAY;
const NOW = TO - 9.75 * HOUR;

const closing = createClosing();
try {
  const { db } = await openBenchDatabase(closing);
  const { mentionCounts, filteredCounts } = createStores(db);
  const facts = createConsoleStore(db);
  await storeManyMentions(db, { mentions, from: FROM, days: DAYS, queries: QUERIES });
  await noteManyMentions(db);
  const began = monotonicMs();
  await mentionCounts.countStale();
  const counting = monotonicMs() - began;
  await sql`vacuum analyze earshot.mention_counts`.execute(db);
  await sql`vacuum analyze earshot.mention_days`.execute(db);
  console.log(`${mentions} mentions, ${DAYS} days, ${QUERIES} queries; middle of ${rounds} rounds`);
  console.log(`counting all of them: ${Math.round(mentions / (counting / 1000))} mentions a second`);
  for (const table of ["mention_counts", "mention_days"]) {
    const { rows } = await sql<{ n: number; bytes: number }>`
      select (select count(*) from ${sql.id("earshot", table)}) as n,
        (select sum(pg_total_relation_size(inhrelid))::bigint from pg_inherits
          where inhparent = ${`earshot.${table}`}::regclass) as bytes`.execute(db);
    console.log(`${rows[0]?.n} rows of ${table}, ${Math.round((rows[0]?.bytes ?? 0) / 1e6)} MB`);
  }

  const queries = Array.from({ length: QUERIES }, (_, n) => ({ projectId: "p", queryId: String(n) }));
  for (const days of [1, 7, 30, 89]) {
    // Days of a zone an hour from UTC, up to the middle of one.
    const moments = Array.from({ length: days }, (_, day) => NOW - 15.25 * HOUR - (days - 1 - day) * DAY);
    moments.push(NOW);
    const period = { from: moments[0] ?? NOW, to: NOW };
    const before = { from: Math.max(FROM, period.from - days * DAY), to: NOW - days * DAY };
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
    await time(`${days} days, the stories that spread`, async () => {
      const reading = await filteredCounts.plan(queries, {}, { period, before }, 40_000);
      return facts.spreadStories(reading, moments, 10);
    });
    await time(`${days} days of volume with two filters`, async () => {
      const filters = { country: "Country 7", language: "de" };
      const reading = await filteredCounts.plan(queries, filters, { period, before });
      return filteredCounts.bySteps(reading, moments, moments);
    });
    await time(`${days} days, who speaks, of one site`, async () => {
      const reading = await filteredCounts.plan(queries, { domain: "site9.example" }, { period, before });
      return filteredCounts.byValue(reading, ["author", "domain", "country", "language", "type"], 15);
    });
    for (const facet of ["country", "domain", "author"] as const)
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
