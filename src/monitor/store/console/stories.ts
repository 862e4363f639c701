import { sql } from "kysely";
import type { Instant } from "../../../lib/instant.ts";
import { storableJson } from "../../../lib/json.ts";
import type { SpreadStory } from "../../model/shown.ts";
import { FACTS } from "../count-mentions.ts";
import type { Db } from "../database.ts";
import { fits, foundBy, narrowedIfAsked, type Reading } from "../filtered-counts.ts";
import { LEAST_COPIES } from "./incidents.ts";

/** Of each story, the first sites that told it. */
const MOST_SITES = 6;

export function createConsoleStories(db: Db) {
  return {
    /**
     * The stories with the most mentions in what is read of a period: what at least LEAST_COPIES mentions say. A step lasts
     * from one of the moments to the next.
     */
    async spreadStories(
      reading: Reading,
      moments: readonly Instant[],
      limit: number,
    ): Promise<SpreadStory[]> {
      const { rows } = await sql<SpreadStory>`
        with ${foundBy(reading, narrowedIfAsked(reading))},
        told as (
          select story, count(*)::int as n, min(event_at) as since, max(event_at) as until
          from found where span = 0 group by story having count(*) >= ${LEAST_COPIES}),
        top as materialized (
          select *, (count(*) over ())::int as stories from told order by n desc, since, story limit ${limit}),
        -- An index has the story and the moment of each mention: only of the first stories the mentions themselves are read.
        moments as (
          select distinct project_id, query_id, day, event_at, story from found
          where span = 0 and story = any(array(select story from top))),
        -- Without their texts: a story may have ten thousands of mentions.
        copies as materialized (
          select m.story, m.project_id, m.query_id, m.resource_id, m.day, m.event_at, m.sentiment, m.reach,
            (m.body->>'followers')::double precision as followers, lower(m.body->>'domain') as domain,
            lower(coalesce(nullif(ltrim(m.body->>'author', '@'), ''), m.body->>'authorName')) as author
          from moments t
          cross join lateral (select * from earshot.mentions m where m.project_id = t.project_id and m.query_id = t.query_id
            and m.event_at = t.event_at and m.story = t.story and m.day = t.day offset 0) m
          cross join lateral ${FACTS} where ${fits(reading.filters)}),
        earlier as (
          select story, count(*)::int as n from found
          where span = 1 and story = any(array(select story from top)) group by story),
        sums as (
          select story, (count(*) filter (where sentiment = 'negative'))::int as negative, count(distinct author)::int as authors
          from copies group by story),
        steps as (
          select story, json_agg(json_build_array(step, n) order by step) as steps from (
            select story, width_bucket(extract(epoch from event_at)::double precision * 1000,
              array(select x::double precision from json_array_elements_text(${storableJson(moments)}::json) x)) - 1 as step,
              count(*)::int as n
            from copies group by 1, 2) s group by story),
        sites as (
          select story, json_agg(json_build_object('domain', domain, 'at', round(extract(epoch from since) * 1000), 'mentions', n)
            order by since, domain) as sites
          from (
            select story, domain, min(event_at) as since, count(*)::int as n,
              row_number() over (partition by story order by min(event_at), domain) as place
            from copies where domain <> '' group by story, domain) d
          where place <= ${MOST_SITES} group by story)
        select top.story, top.n as mentions, top.until as "lastAt", top.stories, coalesce(earlier.n, 0) as before,
          sums.negative, sums.authors, steps.steps, coalesce(sites.sites, '[]') as sites, f.body as first, w.body as widest
        from top join sums using (story) join steps using (story) left join sites using (story) left join earlier using (story)
        cross join lateral (
          select m.body from (
            select * from copies c where c.story = top.story order by c.event_at, c.resource_id, c.query_id limit 1) c
          join earshot.mentions m using (project_id, query_id, resource_id, day)) f
        cross join lateral (
          select m.body from (
            select * from copies c where c.story = top.story
            order by coalesce(c.reach, c.followers) desc nulls last, c.event_at, c.resource_id, c.query_id limit 1) c
          join earshot.mentions m using (project_id, query_id, resource_id, day)) w
        order by top.n desc, top.since, top.story
      `.execute(db);
      return rows;
    },
  };
}
