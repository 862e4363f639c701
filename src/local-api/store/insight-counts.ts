import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { InsightCount, InsightKind, InsightsRequest } from "../insights/insights.ts";
import type { Database } from "./database.ts";
import { fieldSql } from "./mention-fields.ts";
import { type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";

/** Values of the kind with their counts, in the order asked for; equal ones by name, ascending. */
export async function readInsightCounts(
  db: Database,
  { range, at, kind, asked }: { range: MentionRange; at: Instant; kind: InsightKind; asked: InsightsRequest },
): Promise<InsightCount[]> {
  if (range.queryIds.length === 0) return [];
  // `||` with a null array gives the other one.
  const lists = sql.join(
    kind.fields.map((field) => fieldSql(field, "m")),
    sql` || `,
  );
  const name = kind.foldsCase ? sql`lower(member collate local_api.folding) collate "C"` : sql`member`;
  const order = sql.raw(`${asked.orderBy} ${asked.orderDirection}, name asc`);
  const { rows } = await sql<{ [Name in keyof InsightCount]: string }>`
    select name, count(*) as volume, count(*) filter (where not ${REPOST_SQL}) as tweets,
      count(*) filter (where ${REPOST_SQL}) as retweets, coalesce(sum(m.impressions), 0) as impressions
    from local_api.mention m
    cross join lateral (select distinct ${name} as name from unnest(${lists}) as member) as found
    where m.query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${visibleSql(at)}
    group by name order by ${order} limit ${asked.limit}`.execute(db);
  return rows.map((row) => ({
    name: row.name,
    volume: Number(row.volume),
    tweets: Number(row.tweets),
    retweets: Number(row.retweets),
    impressions: Number(row.impressions),
  }));
}

/** Whether the mention `m` repeats another one. Two-valued. */
const REPOST_SQL = sql<boolean>`(m.retweet_of is not null or coalesce(m.thread_entry_type = 'share', false))`;
