import { type RawBuilder, sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { zoneForSql } from "../../lib/local-time.ts";
import type { KeySource, TopKey } from "../charts/axis.ts";
import type { InsightCount, InsightKind, InsightsRequest } from "../charts/insights.ts";
import type { FieldOf } from "../records/mention-fields.ts";
import type { Database } from "./database.ts";
import { fieldSql } from "./field-sql.ts";
import { type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";

/**
 * A subquery over the mention `m`, for use after `cross join lateral`: the keys of the mention on an axis, each once,
 * as its only column `key`. No row, or a null, where the mention has none.
 */
export function keySourceSql(source: KeySource): RawBuilder<unknown> {
  switch (source.kind) {
    case "bucket": {
      const starts = source.starts.map((start) => new Date(start));
      return sql`(select width_bucket(m.date, ${starts}::timestamptz[]) - 1 as key)`;
    }
    case "clock": {
      const part = sql.raw(source.part === "hourOfDay" ? "hour" : "isodow");
      return sql`(select extract(${part} from m.date at time zone ${zoneForSql(source.zone)})::integer as key)`;
    }
    case "query":
      return sql`(select m.query_id as key)`;
    case "group": {
      const groups = source.members.map((member) => member.group);
      const queries = source.members.map((member) => member.query);
      return sql`(select member.group_id as key
        from unnest(${groups}::bigint[], ${queries}::bigint[]) as member (group_id, query_id)
        where member.query_id = m.query_id)`;
    }
    case "range": {
      const ids = source.ranges.map(({ id }) => id);
      const starts = source.ranges.map(({ from }) => new Date(from));
      const ends = source.ranges.map(({ to }) => new Date(to));
      return sql`(select r.id as key
        from unnest(${ids}::bigint[], ${starts}::timestamptz[], ${ends}::timestamptz[]) as r (id, start_at, end_at)
        where m.date >= r.start_at and m.date < r.end_at)`;
    }
    case "flag":
    case "text":
      return sql`(select ${fieldSql(source.field, "m")} as key)`;
    case "texts":
    case "ids":
      return sql`(select distinct member as key from unnest(${fieldSql(source.field, "m")}) as member)`;
  }
}

/** The keys that most mentions of the range have, by falling volume, equal ones by key. */
export async function readTopKeys(
  db: Database,
  request: {
    range: MentionRange;
    at: Instant;
    source: KeySource;
    nameField: FieldOf<"text"> | undefined;
    limit: number;
    /** Only these keys; undefined: any. */
    among?: readonly string[] | undefined;
  },
): Promise<TopKey[]> {
  const { range, at, source, nameField, limit, among } = request;
  const condition = among === undefined ? sql`true` : sql`d.key::text = any(${among}::text[])`;
  if (range.queryIds.length === 0 || limit === 0) return [];
  const name =
    nameField === undefined
      ? sql`null::text`
      : sql`mode() within group (order by ${fieldSql(nameField, "m")})`;
  const { rows } = await sql<Omit<TopKey, "volume"> & { volume: string }>`
    select d.key::text as key, ${name} as name, count(*) as volume
    from local_api.mention m cross join lateral ${keySourceSql(source)} as d
    where m.query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${visibleSql(at)}
      and d.key::text <> '' and ${condition}
    group by d.key order by count(*) desc, d.key limit ${limit}`.execute(db);
  return rows.map((row) => ({ ...row, volume: Number(row.volume) }));
}

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
