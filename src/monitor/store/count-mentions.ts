import { sql } from "kysely";
import { DAY, type Instant, utcDay } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { FACETS, type QueryKey } from "../model/mention-counts.ts";
import type { Db } from "./database.ts";

/** While pages come in, a quarter is counted once in so many seconds, and not for each of them. */
const GATHERED_SECONDS = 30;
/** Rows of pages in one transaction: they bound the mentions that it reads. */
const AT_ONCE = 100;
/** Names that are longer are cut: they are keys of an index. */
const LONGEST = 200;

/** What is counted of the mention `m`, as `b`; by which facets and values, as `f`; the value of a facet. */
export const FACTS = sql`json_to_record(m.body) as b(author text, "authorName" text, domain text, country text,
  language text, "pageType" text, categories json)`;
export const AUTHOR = sql`coalesce(nullif(ltrim(b.author, '@'), ''), b."authorName")`;
export const VALUES = sql`(values ('all', ''), ('author', ${AUTHOR}), ('domain', lower(b.domain)), ('country', b.country),
  ('language', lower(b.language)), ('type', lower(b."pageType"))
  -- The page Mentions finds a category by its own name or its parent's.
  union all select 'category', n.name from (select distinct n.name from json_array_elements(b.categories) c
    cross join lateral (values (c->>'name'), (c->>'parentName')) n(name)) n) as f(facet, value)`;
export const VALUE = sql`left(f.value, ${LONGEST})`;

/** One of 256, by a hash that stays the same for ever, however the value is spelled. */
export function bucketOf(value: ReturnType<typeof sql>) {
  return sql`get_byte(decode(md5(lower(${value})), 'hex'), 0)::smallint`;
}

/**
 * A statement that notes which quarters are to be counted again, part of the statement that changes the mentions.
 * `changed` has their `query_id` and `event_at`. `AtOnce`: what was deleted is not gathered.
 */
export function staleCounts(
  projectId: string,
  changed: ReturnType<typeof sql>,
  when: "Gathered" | "AtOnce" = "Gathered",
) {
  const since = when === "AtOnce" ? sql`timestamptz '-infinity'` : sql`now()`;
  return sql`insert into earshot.stale_counts (project_id, query_id, quarter, since_wall)
    select distinct ${projectId}, c.query_id, date_bin('15 minutes', c.event_at, 'epoch'), ${since} from ${changed} c`;
}

/** Whether something is to be counted now. */
export const staleCountsDue = sql`exists (select from earshot.stale_counts
  where since_wall <= now() - make_interval(secs => ${GATHERED_SECONDS}))`;

/** Counts again, from the mentions, all quarters that were noted, those of the oldest notes first. */
export async function countStale(db: Db, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true && (await countOldest(db)) > 0);
}

/**
 * Resolves with how many quarters were counted. One counts at a time. The notes are deleted before the mentions are read:
 * what a page changes later has a note of its own.
 */
async function countOldest(db: Db): Promise<number> {
  return db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended('earshot mention_counts', 0))`.execute(tx);
    const { rows } = await sql<Quarter>`
      with oldest as (
        select distinct project_id, query_id, quarter
        from (select * from earshot.stale_counts order by id limit ${AT_ONCE}) s),
      deleted as (
        delete from earshot.stale_counts s using oldest o
        where s.project_id = o.project_id and s.query_id = o.query_id and s.quarter = o.quarter)
      select project_id as "projectId", query_id as "queryId", quarter from oldest
    `.execute(tx);
    if (rows.length > 0) await count(tx, rows);
    return rows.length;
  });
}

interface Quarter extends QueryKey {
  readonly quarter: Instant;
}

/**
 * Writes what differs from the mentions, so that a quarter with thousands of authors is not written for one more. A day is
 * the sum of its quarters: the difference is added to it.
 */
async function count(tx: Db, quarters: readonly Quarter[]): Promise<void> {
  const rows = quarters.map(({ quarter, ...query }) => ({ ...query, ms: quarter }));
  // The day is the partition; undated mentions are in the first.
  const days = [...new Set([0, ...quarters.map(({ quarter }) => Math.floor(quarter / DAY) * DAY)])].map(
    utcDay,
  );
  const { rows: emptied } = await sql<DayKey>`
    with quarters as (
      select "projectId" as project_id, "queryId" as query_id, to_timestamp(ms / 1000) as quarter
      from json_to_recordset(${storableJson(rows)}::json) as q("projectId" text, "queryId" text, ms double precision)),
    counted as materialized (
      select q.project_id, q.query_id, f.facet, q.quarter, ${bucketOf(VALUE)} as bucket, ${VALUE} as value,
        count(*)::int as mentions,
        (count(*) filter (where m.sentiment = 'negative'))::int as negative,
        (count(*) filter (where m.sentiment = 'neutral'))::int as neutral,
        (count(*) filter (where m.sentiment = 'positive'))::int as positive,
        case when count(m.reach) > 0 then least(sum(greatest(m.reach, 0)), 9e15)::bigint end as reach
      from quarters q
      -- By the index, whatever the planner knows of a table that grows; so is what was counted before.
      cross join lateral (select * from earshot.mentions m where m.project_id = q.project_id and m.query_id = q.query_id
        and m.event_at >= q.quarter and m.event_at < q.quarter + interval '15 minutes'
        and m.day = any(${days}::date[]) offset 0) m
      cross join lateral ${FACTS}
      cross join lateral ${VALUES}
      where f.value <> '' or f.facet = 'all'
      group by 1, 2, 3, 4, 5, 6),
    known as materialized (
      select c.* from quarters q cross join unnest(${[...FACETS]}::text[]) f(facet)
      cross join lateral (select * from earshot.mention_counts c where c.project_id = q.project_id
        and c.query_id = q.query_id and c.facet = f.facet and c.quarter = q.quarter offset 0) c),
    changed as materialized (
      select project_id, query_id, facet, bucket, value, (quarter at time zone 'UTC')::date as day,
        (sum(coalesce(n.mentions, 0) - coalesce(k.mentions, 0)))::int as mentions,
        (sum(coalesce(n.negative, 0) - coalesce(k.negative, 0)))::int as negative,
        (sum(coalesce(n.neutral, 0) - coalesce(k.neutral, 0)))::int as neutral,
        (sum(coalesce(n.positive, 0) - coalesce(k.positive, 0)))::int as positive,
        (sum(coalesce(n.reach, 0) - coalesce(k.reach, 0)))::bigint as reach,
        (sum((n.reach is not null)::int - (k.reach is not null)::int))::int as reached
      from counted n full join known k using (project_id, query_id, facet, quarter, bucket, value)
      where (k.mentions, k.negative, k.neutral, k.positive, k.reach)
        is distinct from (n.mentions, n.negative, n.neutral, n.positive, n.reach)
      group by 1, 2, 3, 4, 5, 6),
    day_kept as (
      insert into earshot.mention_days as d
      select x.project_id, x.query_id, x.facet, x.bucket, x.value, x.day, x.mentions, x.negative, x.neutral, x.positive, x.reach, x.reached
      from changed x
      on conflict (project_id, query_id, facet, bucket, value, day) do update
        set (mentions, negative, neutral, positive, reach, reached) = (d.mentions + excluded.mentions,
          d.negative + excluded.negative, d.neutral + excluded.neutral, d.positive + excluded.positive,
          d.reach + excluded.reach, d.reached + excluded.reached)
      returning d.*),
    gone as (
      delete from earshot.mention_counts c using known k left join counted n using (project_id, query_id, facet, quarter, bucket, value)
      where n.mentions is null and c.project_id = k.project_id and c.query_id = k.query_id and c.facet = k.facet
        and c.quarter = k.quarter and c.bucket = k.bucket and c.value = k.value),
    kept as (
      insert into earshot.mention_counts as c
      select n.* from counted n left join known k using (project_id, query_id, facet, quarter, bucket, value)
      where (k.mentions, k.negative, k.neutral, k.positive, k.reach)
        is distinct from (n.mentions, n.negative, n.neutral, n.positive, n.reach)
      on conflict (project_id, query_id, facet, quarter, bucket, value) do update
        set (mentions, negative, neutral, positive, reach)
          = (excluded.mentions, excluded.negative, excluded.neutral, excluded.positive, excluded.reach))
    select project_id, query_id, facet, bucket, value, day from day_kept where mentions = 0
  `.execute(tx);
  if (emptied.length > 0) await removeDays(tx, emptied);
}

interface DayKey {
  readonly project_id: string;
  readonly query_id: string;
  readonly facet: string;
  readonly bucket: number;
  readonly value: string;
  readonly day: string;
}

/** What is on no mention of a day any more: somebody may have asked that it be forgotten. */
async function removeDays(tx: Db, emptied: readonly DayKey[]): Promise<void> {
  await sql`
    delete from earshot.mention_days d
    using json_to_recordset(${storableJson(emptied)}::json)
      as x(project_id text, query_id text, facet text, bucket smallint, value text, day date)
    where d.project_id = x.project_id and d.query_id = x.query_id and d.facet = x.facet and d.bucket = x.bucket
      and d.value = x.value and d.day = x.day
  `.execute(tx);
}
