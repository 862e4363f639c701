import { sql } from "kysely";
import { floorTo, type Instant, utcDay } from "../../../lib/instant.ts";
import { storableJson } from "../../../lib/json.ts";
import { QUARTER } from "../../model/mention-counts.ts";
import type { VolumeCount } from "../../model/shown.ts";
import { at, type Db } from "../database.ts";

/**
 * Counts of mentions by hour and sentiment, whose moment lies in [from, to). `queries`: a statement that gives their
 * `project_id`, `query_id` and `name`. Quarters that did not change since they were counted are not read again: an hour may
 * have thousands of mentions.
 */
export async function hourlyVolume(
  db: Db,
  queries: ReturnType<typeof sql>,
  from: Instant,
  to: Instant,
): Promise<VolumeCount[]> {
  const whole = { from: floorTo(from + QUARTER - 1, QUARTER), to: floorTo(to, QUARTER) };
  const edges =
    whole.from < whole.to
      ? [
          { since: from, until: whole.from },
          { since: whole.to, until: to },
        ]
      : [{ since: from, until: to }];
  const { rows } = await sql<VolumeCount>`
    with q as (${queries}),
    stale as materialized (
      select distinct q.*, s.quarter from q join earshot.stale_counts s using (project_id, query_id)
      where s.quarter >= ${at(whole.from)} and s.quarter < ${at(whole.to)}),
    counted as (
      select q.*, date_trunc('hour', c.quarter, 'UTC') as hour, x.sentiment, x.n
      from q cross join lateral (select * from earshot.mention_counts c
        where c.project_id = q.project_id and c.query_id = q.query_id and c.facet = 'all'
          and c.quarter >= ${at(whole.from)} and c.quarter < ${at(whole.to)} offset 0) c
      cross join lateral (values ('negative', c.negative), ('neutral', c.neutral), ('positive', c.positive),
        (null, c.mentions - c.negative - c.neutral - c.positive)) x(sentiment, n)
      where not exists (select from stale s
        where s.project_id = q.project_id and s.query_id = q.query_id and s.quarter = c.quarter)),
    times as (
      select project_id, query_id, name, quarter as since, quarter + interval '15 minutes' as until from stale
      union all
      select q.*, to_timestamp(e.since / 1000), to_timestamp(e.until / 1000)
      from q cross join json_to_recordset(${storableJson(edges)}::json) as e(since double precision, until double precision)
      where e.since < e.until),
    read as (
      select t.project_id, t.query_id, t.name, date_trunc('hour', m.event_at, 'UTC') as hour, m.sentiment, 1 as n
      from times t cross join lateral (select * from earshot.mentions m
        where m.project_id = t.project_id and m.query_id = t.query_id and m.event_at >= t.since and m.event_at < t.until
          and ${daysOf(from, to)} offset 0) m)
    select project_id as "projectId", query_id as "queryId", name as "queryName", hour, sentiment, sum(n)::int as n
    from (select * from counted union all select * from read) both_kinds
    group by 1, 2, 3, 4, 5 having sum(n) > 0
  `.execute(db);
  return rows;
}

/** The publication days that a window can contain, so that other months are not opened. Undated mentions have day 0. */
function daysOf(from: Instant, to: Instant) {
  return sql`(m.day between ${utcDay(from)}::date and ${utcDay(to - 1)}::date or m.day = '1970-01-01')`;
}
