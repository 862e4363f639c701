import { sql } from "kysely";
import { DAY, type Instant, utcDay } from "../../lib/instant.ts";
import {
  FACETS,
  type Facet,
  type FacetRow,
  type MoverRow,
  type QueryKey,
  type StepCount,
} from "../model/mention-counts.ts";
import { at, type Db } from "./database.ts";

/** While pages come in, a quarter is counted once in so many seconds, and not for each of them. */
const GATHERED_SECONDS = 30;
/** Rows of pages in one transaction: they bound the mentions that it reads. */
const AT_ONCE = 100;
/** Names that are longer are cut: they are keys of an index. */
const LONGEST = 200;

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

/** How many mentions there are: what pages ask of millions of them, counted before anybody asks. */
export function createMentionCountStore(db: Db) {
  return {
    /** Counts again, from the mentions, all quarters that were noted, those of the oldest notes first. */
    async countStale(signal?: AbortSignal): Promise<void> {
      while (signal?.aborted !== true && (await countOldest(db)) > 0);
    },

    /** Since when something waits to be counted, on the database's clock; null if all is counted. */
    async staleSince(): Promise<Instant | null> {
      const { rows } = await sql<{ since: Instant | null }>`
        select min(since_wall) as since from earshot.stale_counts where since_wall > '-infinity'
      `.execute(db);
      return rows[0]?.since ?? null;
    },

    /**
     * Mentions of these queries with this value of a facet, by query and step; a step lasts from one of the moments to the
     * next, and the last moment ends the last one. Steps without mentions are left out. Moments are whole quarters.
     */
    async bySteps(
      queries: readonly QueryKey[],
      [facet, value]: readonly [Facet, string],
      moments: readonly Instant[],
    ): Promise<StepCount[]> {
      const [from, to] = [moments[0] ?? 0, moments.at(-1) ?? 0];
      const { rows } = await sql<StepCount>`
        select c.project_id as "projectId", c.query_id as "queryId",
          width_bucket(extract(epoch from c.quarter)::double precision * 1000,
            array(select m::double precision from json_array_elements_text(${JSON.stringify(moments)}::json) m)) - 1 as step,
          ${SUMS}
        from ${keysOf(queries)} join earshot.mention_counts c on c.project_id = q."projectId" and c.query_id = q."queryId"
        where c.facet = ${facet} and c.value = ${value} and c.quarter >= ${at(from)} and c.quarter < ${at(to)}
        group by 1, 2, 3 order by 1, 2, 3
      `.execute(db);
      return rows;
    },

    /**
     * The values of a facet with the most mentions in a period, each with its mentions in the period before; and in every
     * row how many values there are, and how many of them were not there before.
     */
    async byValue(
      queries: readonly QueryKey[],
      facet: Facet,
      { period, before }: { readonly period: Period; readonly before: Period },
      limit: number,
      /** Only authors on this list. */
      list: string | null = null,
    ): Promise<FacetRow[]> {
      const isListed =
        list === null
          ? sql`true`
          : sql`lower(c.value) in (select author_key from earshot.listed_authors where list_key = lower(${list}))`;
      const { rows } = await sql<FacetRow>`
        with summed as (
          select c.value, coalesce(sum(c.mentions) filter (where ${inSpan(before)}), 0)::int as before,
            ${sumsWhere(inSpan(period))}
          from ${keysOf(queries)}
          join earshot.mention_counts c on c.project_id = q."projectId" and c.query_id = q."queryId"
          where c.facet = ${facet} and (${inSpan(period)} or ${inSpan(before)}) and ${isListed}
          group by c.value)
        select value, before, mentions, negative, neutral, positive, reach,
          (count(*) over ())::int as "values", (count(*) filter (where before = 0) over ())::int as "newValues"
        from summed where mentions > 0
        order by mentions desc, reach desc nulls last, value limit ${limit}
      `.execute(db);
      return rows;
    },

    /**
     * The values of each facet whose negative mentions changed their part of all mentions most, in either direction.
     * `mentions`: all mentions of the period and of the period before, which are not 0.
     */
    async movers(
      queries: readonly QueryKey[],
      facets: readonly Facet[],
      { period, before }: { readonly period: Period; readonly before: Period },
      mentions: { readonly period: number; readonly before: number },
      limit: number,
    ): Promise<MoverRow[]> {
      const negativeIn = (span: Period) =>
        sql`coalesce(sum(c.negative) filter (where ${inSpan(span)}), 0)::int`;
      const { rows } = await sql<MoverRow>`
        select facet, value, negative, "negativeBefore" from (
          select *, row_number() over (partition by facet order by
            abs(negative::double precision / ${mentions.period} - "negativeBefore"::double precision / ${mentions.before}) desc,
            value) as place
          from (
            select c.facet, c.value, ${negativeIn(period)} as negative, ${negativeIn(before)} as "negativeBefore"
            from ${keysOf(queries)}
            join earshot.mention_counts c on c.project_id = q."projectId" and c.query_id = q."queryId"
            where c.facet = any(${[...facets]}::text[]) and c.negative > 0
              and (${inSpan(period)} or ${inSpan(before)})
            group by c.facet, c.value) summed) ranked
        where place <= ${limit} order by array_position(${[...facets]}::text[], facet), place
      `.execute(db);
      return rows;
    },
  };
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

const SUMS = sumsWhere(sql`true`);

function sumsWhere(isMeant: ReturnType<typeof sql>) {
  const sumOf = (column: string) =>
    sql`coalesce(sum(${sql.ref(`c.${column}`)}) filter (where ${isMeant}), 0)::int as ${sql.ref(column)}`;
  return sql`${sumOf("mentions")}, ${sumOf("negative")}, ${sumOf("neutral")}, ${sumOf("positive")},
    (sum(c.reach) filter (where ${isMeant}))::double precision as reach`;
}

interface Quarter extends QueryKey {
  readonly quarter: Instant;
}

export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

/** Of counts `c`. */
export function inSpan({ from, to }: Period) {
  return sql`c.quarter >= ${at(from)} and c.quarter < ${at(to)}`;
}

/** Writes what differs from the mentions, so that a quarter with thousands of authors is not written for one more. */
async function count(tx: Db, quarters: readonly Quarter[]): Promise<void> {
  const rows = quarters.map(({ quarter, ...query }) => ({ ...query, ms: quarter }));
  // The day is the partition; undated mentions are in the first.
  const days = [...new Set([0, ...quarters.map(({ quarter }) => Math.floor(quarter / DAY) * DAY)])].map(
    utcDay,
  );
  await sql`
    with quarters as (
      select "projectId" as project_id, "queryId" as query_id, to_timestamp(ms / 1000) as quarter
      from json_to_recordset(${JSON.stringify(rows)}::json) as q("projectId" text, "queryId" text, ms double precision)),
    counted as materialized (
      select q.project_id, q.query_id, f.facet, q.quarter, left(f.value, ${LONGEST}) as value, count(*)::int as mentions,
        (count(*) filter (where m.sentiment = 'negative'))::int as negative,
        (count(*) filter (where m.sentiment = 'neutral'))::int as neutral,
        (count(*) filter (where m.sentiment = 'positive'))::int as positive,
        case when count(m.reach) > 0 then least(sum(greatest(m.reach, 0)), 9e15)::bigint end as reach
      from quarters q
      -- By the index, whatever the planner knows of a table that grows; so is what was counted before.
      cross join lateral (select * from earshot.mentions m where m.project_id = q.project_id and m.query_id = q.query_id
        and m.event_at >= q.quarter and m.event_at < q.quarter + interval '15 minutes'
        and m.day = any(${days}::date[]) offset 0) m
      cross join lateral json_to_record(m.body) as b(author text, "authorName" text, domain text, country text,
        language text, "pageType" text, categories json)
      cross join lateral (values ('all', ''),
        ('author', coalesce(nullif(ltrim(b.author, '@'), ''), b."authorName")), ('domain', lower(b.domain)),
        ('country', b.country), ('language', lower(b.language)), ('type', lower(b."pageType"))
        -- The page Mentions finds a category by its own name or its parent's.
        union select 'category', n.name from json_array_elements(b.categories) c
        cross join lateral (values (c->>'name'), (c->>'parentName')) n(name)) as f(facet, value)
      where f.value <> '' or f.facet = 'all'
      group by 1, 2, 3, 4, 5),
    known as materialized (
      select c.* from quarters q cross join unnest(${[...FACETS]}::text[]) f(facet)
      cross join lateral (select * from earshot.mention_counts c where c.project_id = q.project_id
        and c.query_id = q.query_id and c.facet = f.facet and c.quarter = q.quarter offset 0) c),
    gone as (
      delete from earshot.mention_counts c using known k left join counted n using (project_id, query_id, facet, quarter, value)
      where n.mentions is null and c.project_id = k.project_id and c.query_id = k.query_id and c.facet = k.facet
        and c.quarter = k.quarter and c.value = k.value)
    insert into earshot.mention_counts as c
    select n.* from counted n left join known k using (project_id, query_id, facet, quarter, value)
    where (k.mentions, k.negative, k.neutral, k.positive, k.reach)
      is distinct from (n.mentions, n.negative, n.neutral, n.positive, n.reach)
    on conflict (project_id, query_id, facet, quarter, value) do update
      set (mentions, negative, neutral, positive, reach)
        = (excluded.mentions, excluded.negative, excluded.neutral, excluded.positive, excluded.reach)
  `.execute(tx);
}

export function keysOf(queries: readonly QueryKey[]) {
  const keys = queries.map(({ projectId, queryId }) => ({ projectId, queryId }));
  return sql`json_to_recordset(${JSON.stringify(keys)}::json) as q("projectId" text, "queryId" text)`;
}
