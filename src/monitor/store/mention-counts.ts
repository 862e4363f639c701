import { sql } from "kysely";
import { DAY, type Instant, utcDay } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { ListSums } from "../model/author-list.ts";
import type { Facet, FacetRow, FacetValues, MoverRow, QueryKey, StepCount } from "../model/mention-counts.ts";
import { bucketOf, countStale } from "./count-mentions.ts";
import type { Db } from "./database.ts";
import { type Period, type Periods, wholeDays } from "./whole-days.ts";

/** Rows of days that one question sums of a facet; more would take longer than a page may, and so many stand for all. */
const MOST_ROWS = 10_000;
const SOME_ROWS = 3_000;
const BUCKETS = 256;
/** Of the days of all queries together, so many values that were loud there; of these, so many are looked at closely. */
const MOST_LOUD = 4_000;
const MOST_CANDIDATES = 20;

/** How many mentions there are: what pages ask of millions of them, counted before anybody asks. Moments are whole quarters. */
export function createMentionCountStore(db: Db, mostRows = MOST_ROWS) {
  return {
    /** Counts again, from the mentions, all quarters that were noted, those of the oldest notes first. */
    countStale: (signal?: AbortSignal) => countStale(db, signal),

    /**
     * Mentions of these queries with this value of a facet, by query and step; a step lasts from one of the moments to the
     * next, and the last moment ends the last one. Steps without mentions are left out.
     */
    async bySteps(
      queries: readonly QueryKey[],
      [facet, value]: readonly [Facet, string],
      moments: readonly Instant[],
    ): Promise<StepCount[]> {
      const spans = spansOf(moments.slice(1).map((to, step) => ({ from: moments[step] ?? to, to })));
      const values: SummedValues = facet === "all" ? ALL : { kind: "One", value };
      const { rows } = await sql<StepCount>`
        with ${partsOf(queries, facet, spans, values)}
        select project_id as "projectId", query_id as "queryId", span as step, ${sumsWhere(sql`true`)}
        from parts p group by 1, 2, 3 having sum(mentions) > 0 order by 1, 2, 3
      `.execute(db);
      return rows;
    },

    /**
     * The values of a facet with the most mentions in a period, each with its mentions in the period before; how many values
     * there are, and how many of them were not there before. Where they are very many, the first are found among those that
     * have two mentions on some day, and the numbers of values are estimated from a part of them.
     */
    async byValue(
      queries: readonly QueryKey[],
      facet: Facet,
      periods: Periods,
      limit: number,
      /** Only authors on this list. */
      list: string | null = null,
    ): Promise<FacetValues> {
      const spans = spansOf([periods.period, periods.before]);
      if (list !== null) {
        const listed = await firstOf(db, queries, facet, spans, { kind: "Listed", list }, limit);
        const { values = 0, newValues = 0 } = listed[0] ?? {};
        return { rows: listed.map(bare), values, newValues, isEstimated: false };
      }
      const buckets = await bucketsWithin(db, mostRows, queries, facet, spans);
      const share = BUCKETS / buckets;
      const [all, loud] = await Promise.all([
        firstOf(db, queries, facet, spans, { kind: "Buckets", buckets }, limit),
        share === 1 ? [] : firstOfLoudest(),
      ]);
      const counted = {
        values: Math.round((all[0]?.values ?? 0) * share),
        newValues: Math.round((all[0]?.newValues ?? 0) * share),
        isEstimated: share > 1,
      };
      return { rows: firstRows([...loud, ...all].map(bare), limit), ...counted };

      async function firstOfLoudest(): Promise<FirstRow[]> {
        const values = await loudest(db, queries, facet, [periods.period]);
        return firstOf(db, queries, facet, spans, { kind: "Values", values }, limit);
      }
    },

    /** How many mentions the authors of each list have, by handle on all sites; the lists with most of them first. */
    async byList(queries: readonly QueryKey[], periods: Periods): Promise<ListSums[]> {
      const spans = spansOf([periods.period, periods.before]);
      const { rows } = await sql<ListSums>`
        with ${partsOf(queries, "author", spans, { kind: "Listed", list: null })},
        authors as (
          select lower(value) as author_key, coalesce(sum(mentions) filter (where ${IN_PERIOD}), 0)::int as mentions,
            coalesce(sum(negative) filter (where ${IN_PERIOD}), 0)::int as negative,
            coalesce(sum(mentions) filter (where ${IN_BEFORE}), 0)::int as before
          from parts group by 1)
        select l.list, (count(*) filter (where a.mentions > 0))::int as authors,
          coalesce(sum(a.mentions), 0)::int as mentions, coalesce(sum(a.negative), 0)::int as negative,
          coalesce(sum(a.before), 0)::int as before
        from (select list_key, author_key, min(list) as list from earshot.listed_authors group by 1, 2) l
        left join authors a using (author_key)
        group by l.list_key, l.list order by mentions desc, l.list_key limit 200
      `.execute(db);
      return rows;
    },

    /**
     * The values of each facet whose negative mentions changed their part of all mentions most, in either direction.
     * `mentions`: all mentions of the period and of the period before, which are not 0. Where values are very many, the
     * loudest are looked at: who moves the share of all mentions has many of them.
     */
    async movers(
      queries: readonly QueryKey[],
      facets: readonly Facet[],
      periods: Periods,
      mentions: { readonly period: number; readonly before: number },
      limit: number,
    ): Promise<MoverRow[]> {
      const spans = spansOf([periods.period, periods.before]);
      const moved = await Promise.all(
        facets.map(async (facet) => {
          const isSmall = (await bucketsWithin(db, mostRows, queries, facet, spans)) === BUCKETS;
          const values: SummedValues = isSmall
            ? ALL
            : { kind: "Values", values: await loudest(db, queries, facet, Object.values(periods)) };
          const { rows } = await sql<Omit<MoverRow, "facet">>`
            with ${partsOf(queries, facet, spans, values)},
            summed as (
              select value, coalesce(sum(negative) filter (where ${IN_PERIOD}), 0)::int as negative,
                coalesce(sum(negative) filter (where ${IN_BEFORE}), 0)::int as "negativeBefore"
              from parts group by value)
            select value, negative, "negativeBefore" from summed where negative > 0 or "negativeBefore" > 0
            order by abs(negative::double precision / ${mentions.period}
              - "negativeBefore"::double precision / ${mentions.before}) desc, value limit ${limit}
          `.execute(db);
          return rows.map((row) => ({ facet, ...row }));
        }),
      );
      return moved.flat();
    },
  };
}

type FirstRow = FacetRow & Pick<FacetValues, "values" | "newValues">;

/** The first of the wanted values; in every row, how many values are wanted and there, and how many of them are new. */
async function firstOf(
  db: Db,
  queries: readonly QueryKey[],
  facet: Facet,
  spans: Spans,
  values: SummedValues,
  limit: number,
): Promise<FirstRow[]> {
  const { rows } = await sql<FirstRow>`
    with ${partsOf(queries, facet, spans, values)},
    summed as (
      select value, coalesce(sum(mentions) filter (where ${IN_BEFORE}), 0)::int as before, ${sumsWhere(IN_PERIOD)}
      from parts p group by value)
    select value, before, mentions, negative, neutral, positive, reach,
      (count(*) over ())::int as "values", (count(*) filter (where before = 0) over ())::int as "newValues"
    from summed where mentions > 0
    order by mentions desc, reach desc nulls last, value limit ${limit}
  `.execute(db);
  return rows;
}

function bare({ values: _, newValues: __, ...row }: FirstRow): FacetRow {
  return row;
}

/** The first of some rows, in the order of the statement; a value may be there twice. */
function firstRows(rows: readonly FacetRow[], limit: number): FacetRow[] {
  return [...new Map(rows.map((row) => [row.value, row])).values()]
    .sort(
      (a, b) => b.mentions - a.mentions || (b.reach ?? -1) - (a.reach ?? -1) || (a.value < b.value ? -1 : 1),
    )
    .slice(0, limit);
}

/** How many buckets a question may read; all of them where a facet has few values. */
async function bucketsWithin(
  db: Db,
  mostRows: number,
  queries: readonly QueryKey[],
  facet: Facet,
  { days }: Spans,
): Promise<number> {
  if (facet !== "author" && facet !== "domain") return BUCKETS;
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from ${keysOf(queries)} cross join ${daysOf(days)}
    cross join lateral (select from earshot.mention_days d where ${isOf(facet)} and d.bucket = 0
      and d.day >= s.first and d.day < s.until offset 0) d
  `.execute(db);
  const ofOne = rows[0]?.n ?? 0;
  if (ofOne * BUCKETS <= mostRows) return BUCKETS;
  return Math.max(1, Math.min(BUCKETS - 1, Math.floor(Math.min(mostRows, SOME_ROWS) / ofOne)));
}

/** The values with most mentions on the days on which they were among the loudest of a query. */
async function loudest(
  db: Db,
  queries: readonly QueryKey[],
  facet: Facet,
  periods: readonly Period[],
): Promise<string[]> {
  const days = periods.map(({ from, to }, span) => ({
    ...{ span, from: Math.floor(from / DAY) * DAY, to: Math.ceil(to / DAY) * DAY },
  }));
  const lists = queries.length * days.reduce((sum, { from, to }) => sum + (to - from) / DAY, 0);
  const { rows } = await sql<{ value: string }>`
    select d.value from ${keysOf(queries)} cross join ${daysOf(days)}
    cross join lateral generate_series(0, s.until - s.first - 1) n
    cross join lateral (select d.value, d.mentions from earshot.mention_days d
      where ${isOf(facet)} and d.day = s.first + n and d.mentions > 1
      order by d.mentions desc, d.value limit ${Math.max(1, Math.ceil(MOST_LOUD / lists))}) d
    group by 1 order by sum(d.mentions) desc, 1 limit ${MOST_CANDIDATES}
  `.execute(db);
  return rows.map(({ value }) => value);
}

/** Which values of a facet are summed. */
type SummedValues =
  | { readonly kind: "One"; readonly value: string }
  | { readonly kind: "Values"; readonly values: readonly string[] }
  /** Authors on this list, or on any, however their handles are spelled. */
  | { readonly kind: "Listed"; readonly list: string | null }
  | { readonly kind: "Buckets"; readonly buckets: number };

const ALL: SummedValues = { kind: "Buckets", buckets: BUCKETS };

/** What is summed, each part with the number of its period: `parts`, of whole days, and of quarters at their ends. */
function partsOf(queries: readonly QueryKey[], facet: Facet, { days, edges }: Spans, summed: SummedValues) {
  const isNamed = summed.kind !== "Buckets";
  const values = summed.kind === "One" ? [summed.value] : summed.kind === "Values" ? [...summed.values] : [];
  const named =
    summed.kind === "Listed"
      ? sql`select distinct author_key as v from earshot.listed_authors
          where ${summed.list}::text is null or list_key = lower(${summed.list})`
      : sql`select v from unnest(${values}::text[]) v`;
  const ownValue = summed.kind === "Listed" ? sql`lower(d.value)` : sql`d.value`;
  const ofSome = sql`d.bucket < ${summed.kind === "Buckets" ? summed.buckets : BUCKETS}`;
  const ofDay = isNamed ? sql`d.bucket = w.bucket and ${ownValue} = w.value` : ofSome;
  const ofQuarter = isNamed
    ? sql`d.bucket = any(array(select bucket from wanted)) and ${ownValue} = any(array(select value from wanted))`
    : ofSome;
  return sql`wanted as materialized (
      select v as value, ${bucketOf(sql`v`)} as bucket from (${named}) v
      union all select '', 0::smallint where ${!isNamed}),
    parts as (
      select d.project_id, d.query_id, s.span, d.value, d.mentions, d.negative, d.neutral, d.positive, d.reach, d.reached
      from ${keysOf(queries)} cross join ${daysOf(days)} cross join wanted w
      cross join lateral (select * from earshot.mention_days d where ${isOf(facet)} and ${ofDay}
        and d.day >= s.first and d.day < s.until offset 0) d
      union all
      select c.project_id, c.query_id, e.span, c.value, e.sign * c.mentions, e.sign * c.negative, e.sign * c.neutral,
        e.sign * c.positive, e.sign * coalesce(c.reach, 0), e.sign * (c.reach is not null)::int
      from ${keysOf(queries)}
      cross join json_to_recordset(${storableJson(edges)}::json) as e(span int, "from" bigint, "to" bigint, sign int)
      cross join lateral (select * from earshot.mention_counts d where ${isOf(facet)}
        and d.quarter >= to_timestamp(e.from / 1000.0) and d.quarter < to_timestamp(e.to / 1000.0)
        and ${ofQuarter} offset 0) c)`;
}

const IN_PERIOD = sql`span = 0`;
const IN_BEFORE = sql`span = 1`;

function sumsWhere(isMeant: ReturnType<typeof sql>) {
  const sumOf = (column: string) =>
    sql`coalesce(sum(${sql.ref(column)}) filter (where ${isMeant}), 0)::int as ${sql.ref(column)}`;
  return sql`${sumOf("mentions")}, ${sumOf("negative")}, ${sumOf("neutral")}, ${sumOf("positive")},
    case when sum(reached) filter (where ${isMeant}) > 0
      then (sum(reach) filter (where ${isMeant}))::double precision end as reach`;
}

interface Spans {
  readonly days: readonly (Period & { readonly span: number })[];
  readonly edges: readonly (Period & { readonly span: number; readonly sign: 1 | -1 })[];
}

function spansOf(periods: readonly Period[]): Spans {
  const spans = periods.map((period, span) => ({ span, ...wholeDays(period) }));
  return {
    days: spans.flatMap(({ span, days }) => (days === null ? [] : [{ span, ...days }])),
    edges: spans.flatMap(({ span, edges }) => edges.map((edge) => ({ span, ...edge }))),
  };
}

function daysOf(days: Spans["days"]) {
  const rows = days.map(({ span, from, to }) => ({ span, first: utcDay(from), until: utcDay(to) }));
  return sql`json_to_recordset(${storableJson(rows)}::json) as s(span int, first date, until date)`;
}

function isOf(facet: Facet) {
  return sql`d.project_id = q."projectId" and d.query_id = q."queryId" and d.facet = ${facet}`;
}

function keysOf(queries: readonly QueryKey[]) {
  const keys = queries.map(({ projectId, queryId }) => ({ projectId, queryId }));
  return sql`json_to_recordset(${storableJson(keys)}::json) as q("projectId" text, "queryId" text)`;
}
