import { sql } from "kysely";
import { DAY, type Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Facet, FacetRow, FacetValues, Filters, QueryKey, StepCount } from "../model/mention-counts.ts";
import { AUTHOR, bucketOf, FACTS, VALUE, VALUES } from "./count-mentions.ts";
import type { Db } from "./database.ts";
import { type FilteredDay, planReading, type ReadingPlan } from "./plan-reading.ts";
import type { Period, Periods } from "./whole-days.ts";

/** Mentions that are read for one question. */
const MOST_READ = 4_000;

/** What is to be read, and by which filters. */
export interface Reading extends ReadingPlan {
  readonly filters: Filters;
}

/**
 * How many mentions have several values at once: what was counted before knows one at a time. It says on which days all of
 * them are there, and these days are counted from the mentions. Moments are whole quarters.
 */
export function createFilteredCountStore(db: Db) {
  return {
    /** What has to be read for an answer: of a common combination only the newest part, so that a page stays fast. */
    async plan(
      queries: readonly QueryKey[],
      filters: Filters,
      periods: Periods,
      most = MOST_READ,
    ): Promise<Reading> {
      const keys = queries.map(({ projectId, queryId }) => ({ projectId, queryId }));
      const spans = Object.values(periods).map(({ from, to }: Period) => ({ from, until: to }));
      const { sentiment: _, ...facets } = filters;
      const values = Object.entries({ ...facets, all: "" }).map(([facet, value]) => ({ facet, value }));
      const { rows } = await sql<FilteredDay>`
        with wanted as materialized (
          select f.facet, f.value, ${bucketOf(sql`f.value`)} as bucket
          from json_to_recordset(${storableJson(values)}::json) as f(facet text, value text))
        select q."projectId", q."queryId", (extract(epoch from l.day) * 1000)::double precision as day,
          l.most as mentions, l.least, l.rarest
        from json_to_recordset(${storableJson(keys)}::json) as q("projectId" text, "queryId" text)
        cross join (select distinct g.ms
          from json_to_recordset(${storableJson(spans)}::json) as s("from" bigint, "until" bigint)
          cross join lateral generate_series(s."from" - s."from" % ${DAY}::bigint, s."until" - 1, ${DAY}::bigint) g(ms)) g
        cross join lateral (
          select d.day, max(d.mentions) as most, min(d.mentions) as least,
            (array_agg(d.facet order by d.mentions, d.facet = 'all'))[1] as rarest
          from wanted w
          cross join lateral (select * from earshot.mention_days d where d.project_id = q."projectId" and d.query_id = q."queryId"
            and d.facet = w.facet and d.bucket = w.bucket and d.value = w.value
            and d.day = (to_timestamp(g.ms / 1000) at time zone 'UTC')::date offset 0) d
          group by d.day having count(*) = ${values.length}) l
      `.execute(db);
      return { ...planReading(rows, periods, most), filters };
    },

    /** Mentions by query and step, of the period and of the one before. */
    async bySteps(
      reading: Reading,
      moments: readonly Instant[],
      momentsBefore: readonly Instant[],
    ): Promise<{ readonly counts: StepCount[]; readonly before: StepCount[] }> {
      const steps = (some: readonly Instant[]) =>
        sql`array(select x::double precision from json_array_elements_text(${storableJson(some)}::json) x)`;
      const { rows } = await sql<StepCount & { span: number }>`
        with ${foundBy(reading, narrowedIfAsked(reading))}
        select m.project_id as "projectId", m.query_id as "queryId", m.span,
          width_bucket(extract(epoch from m.event_at)::double precision * 1000,
            case m.span when 0 then ${steps(moments)} else ${steps(momentsBefore)} end) - 1 as step,
          ${sumsWhere(sql`true`)} from found m group by 1, 2, 3, 4 order by 1, 2, 3, 4
      `.execute(db);
      const of = (count: number) => rows.flatMap(({ span, ...row }) => (span === count ? [row] : []));
      return { counts: of(0), before: of(1) };
    },

    /** The values of facets with the most mentions, each with its mentions in the period before. */
    async byValue<F extends Facet>(
      reading: Reading,
      facets: readonly F[],
      limit: number,
    ): Promise<({ readonly facet: F } & FacetValues)[]> {
      const { rows } = await sql<FacetRow & { facet: Facet } & Pick<FacetValues, "values" | "newValues">>`
        with ${foundBy(reading, narrowed(reading))},
        summed as (
          select f.facet, ${VALUE} as value, (count(*) filter (where m.span = 1))::int as before,
            ${sumsWhere(sql`m.span = 0`)}
          from found m cross join lateral (select m.*) b cross join lateral ${VALUES}
          where f.value <> '' and f.facet = any(${[...facets]}::text[])
          group by 1, 2),
        ranked as (
          select facet, value, before, mentions, negative, neutral, positive, reach,
            (count(*) over (partition by facet))::int as "values",
            (count(*) filter (where before = 0) over (partition by facet))::int as "newValues",
            row_number() over (partition by facet order by mentions desc, reach desc nulls last, value) as place
          from summed where mentions > 0)
        select facet, value, before, mentions, negative, neutral, positive, reach, "values", "newValues"
        from ranked where place <= ${limit} order by facet, place
      `.execute(db);
      return facets.map((facet) => {
        const own = rows.filter((row) => row.facet === facet);
        const { values = 0, newValues = 0 } = own[0] ?? {};
        const bare = own.map(({ facet: _, values: __, newValues: ___, ...row }) => row);
        return { facet, rows: bare, values, newValues, isEstimated: false };
      });
    },
  };
}

/** What mentions `m` sum up to. */
function sumsWhere(isMeant: ReturnType<typeof sql>) {
  return sql`(count(*) filter (where ${isMeant}))::int as mentions,
    (count(*) filter (where ${isMeant} and m.sentiment = 'negative'))::int as negative,
    (count(*) filter (where ${isMeant} and m.sentiment = 'neutral'))::int as neutral,
    (count(*) filter (where ${isMeant} and m.sentiment = 'positive'))::int as positive,
    (sum(greatest(m.reach, 0)) filter (where ${isMeant} and m.reach is not null))::double precision as reach`;
}

/** What is counted of mentions is read, and those without the values are left out. */
function narrowed({ filters }: Reading) {
  return sql`cross join lateral ${FACTS} where ${fits(filters)}`;
}

/** Without filters an index is enough. */
export function narrowedIfAsked(reading: Reading) {
  return Object.keys(reading.filters).length === 0 ? sql`` : narrowed(reading);
}

/** `found`: the mentions of a reading that have all values. A day of publication is a partition; undated mentions are in the first. */
export function foundBy({ units, filters }: Reading, narrowing: ReturnType<typeof sql>) {
  const valued = units.map((unit) => ({
    ...unit,
    value: unit.facet === null || unit.facet === "all" ? null : filters[unit.facet],
  }));
  return sql`units as materialized (
      select * from json_to_recordset(${storableJson(valued)}::json)
        as u("projectId" text, "queryId" text, span int, "from" bigint, "to" bigint, facet text, value text)),
    times as materialized (
      select "projectId", "queryId", span, to_timestamp("from" / 1000.0) as since, to_timestamp("to" / 1000.0) as until
      from units where facet is null
      union all
      select u."projectId", u."queryId", u.span, c.quarter, c.quarter + interval '15 minutes'
      from units u cross join lateral generate_series(u."from", u."to" - 1, 900000) g(ms)
      cross join lateral (select c.quarter from earshot.mention_counts c where c.project_id = u."projectId"
        and c.query_id = u."queryId" and c.facet = u.facet and c.quarter = to_timestamp(g.ms / 1000.0)
        and c.bucket = ${bucketOf(sql`u.value`)} and c.value = u.value offset 0) c where u.facet is not null),
    found as not materialized (
      select * from times t
      cross join lateral (select * from earshot.mentions m where m.project_id = t."projectId" and m.query_id = t."queryId"
        and m.event_at >= t.since and m.event_at < t.until
        and m.day = any(array[(t.since at time zone 'UTC')::date, '1970-01-01']) offset 0) m
      ${narrowing})`;
}

/** As they are counted by facet. */
export function fits({ author, domain, country, language, type, category, sentiment }: Filters) {
  return sql`(${author ?? null}::text is null or ${AUTHOR} = ${author ?? null})
    and (${domain ?? null}::text is null or lower(b.domain) = ${domain ?? null})
    and (${country ?? null}::text is null or b.country = ${country ?? null})
    and (${language ?? null}::text is null or lower(b.language) = ${language ?? null})
    and (${type ?? null}::text is null or lower(b."pageType") = ${type ?? null})
    and (${category ?? null}::text is null or exists (select from json_array_elements(b.categories) c
      where ${category ?? null} in (c->>'name', c->>'parentName')))
    and (${sentiment ?? null}::text is null or m.sentiment = ${sentiment ?? null})`;
}
