import { sql } from "kysely";
import { DAY, type Instant } from "../../../lib/instant.ts";
import { storableJson } from "../../../lib/json.ts";
import type { Incident } from "../../model/incident.ts";
import type {
  IncidentFigures,
  ListedAlert,
  ShownStory,
  VolumeCount,
  WholeShownIncident,
} from "../../model/shown.ts";
import { at, type Db, projects } from "../database.ts";
import { createIncidentStore } from "../incidents.ts";
import { ALERT_COLUMNS, NEWEST_MENTION } from "./alerts.ts";
import { hourlyVolume } from "./hourly-volume.ts";

/** More is not read: nobody looks at more alerts of one incident. */
const MEMBERS = 100;
/** A story is what at least so many mentions say: one post of one person is none. */
export const LEAST_COPIES = 3;

const NO_FIGURES: IncidentFigures = {
  ...{ mentions: 0, negative: 0, neutral: 0, positive: 0 },
  ...{ authors: 0, sites: 0, languages: 0 },
};

/** Incidents of one alert, too: whoever works on one does not ask how many alerts it has. */
export function createConsoleIncidents(db: Db) {
  const incidents = createIncidentStore(db);
  return {
    /** With its parts, alerts and timeline. Of a part, the one that speaks for it. */
    async incident(id: string): Promise<WholeShownIncident | null> {
      const found = await sql<{ incident: Incident }>`
        select coalesce(w.body, i.body) as incident from earshot.incidents i
        left join earshot.incidents w on w.project_id = i.project_id and w.id = i.part_of
        where i.project_id in ${projects} and i.id = ${id}::uuid
      `.execute(db);
      const incident = found.rows[0]?.incident;
      if (incident === undefined) return null;
      const { projectId } = incident;
      const parts = await sql<{ body: Incident }>`
        select body from earshot.incidents where project_id = ${projectId} and part_of = ${incident.id}::uuid order by id
      `.execute(db);
      const ids = [incident, ...parts.rows.map(({ body }) => body)].map((one) => one.id);
      const members = await sql<ListedAlert>`
        select ${ALERT_COLUMNS}, ${NEWEST_MENTION} from earshot.incident_alerts m
        join earshot.alerts a on a.project_id = m.project_id and a.id = m.alert_id
        where m.project_id = ${projectId} and m.incident_id = any(${ids}::uuid[])
        order by m.joined_at, a.id limit ${MEMBERS}
      `.execute(db);
      return {
        incident,
        parts: parts.rows.map(({ body }) => body),
        members: members.rows,
        entries: await incidents.entries(projectId, incident.id),
      };
    },

    /** The id of the incident that an alert is in; null for none. */
    async incidentIdOf(projectId: string, alertId: string): Promise<string | null> {
      const { rows } = await sql<{ id: string }>`
        select incident_id as id from earshot.incident_alerts
        where project_id = ${projectId} and alert_id = ${alertId}::uuid
      `.execute(db);
      return rows[0]?.id ?? null;
    },

    /**
     * Counts of mentions of its queries by hour and sentiment, whose moment lies in [from, to). Incidents that were merged may
     * have the same query, under the name that it had at their time: it counts once, under the first name.
     */
    incidentVolume(
      { projectId }: Incident,
      queries: readonly Pick<Incident, "queryId" | "queryName">[],
      from: Instant,
      to: Instant,
    ): Promise<VolumeCount[]> {
      const byId = new Map(queries.toReversed().map(({ queryId, queryName }) => [queryId, queryName]));
      const named = storableJson(Array.from(byId, ([queryId, queryName]) => ({ queryId, queryName })));
      const own = sql`select ${projectId}::text as project_id, "queryId" as query_id, "queryName" as name
        from json_to_recordset(${named}::json) as q("queryId" text, "queryName" text)`;
      return hourlyVolume(db, own, from, to);
    },

    /** Counts all mentions of [from, to), each once, also where two of its queries found it. */
    async incidentFigures(
      { projectId }: Incident,
      queryIds: readonly string[],
      from: Instant,
      to: Instant,
    ): Promise<IncidentFigures> {
      const { rows } = await sql<IncidentFigures>`
        with m as (
          select distinct on (resource_id) sentiment, event_at, body from earshot.mentions
          where project_id = ${projectId} and query_id = any(${[...queryIds]}::text[])
            and event_at >= ${at(from)} and event_at < ${at(to)}
          order by resource_id, query_id)
        select count(*)::int as mentions,
          (count(*) filter (where sentiment = 'negative'))::int as negative,
          (count(*) filter (where sentiment = 'neutral'))::int as neutral,
          (count(*) filter (where sentiment = 'positive'))::int as positive,
          count(distinct lower(coalesce(ltrim(body->>'author', '@'), body->>'authorName')))::int as authors,
          count(distinct lower(body->>'domain'))::int as sites,
          count(distinct lower(body->>'language'))::int as languages
        from m
      `.execute(db);
      return rows[0] ?? NO_FIGURES;
    },

    /**
     * What several mentions of [from, to) say, the most shared there first. As in messages, a story is counted from a day
     * before: what set an incident off came before its first window.
     */
    async incidentStories(
      { projectId }: Incident,
      queryIds: readonly string[],
      from: Instant,
      to: Instant,
      limit: number,
    ): Promise<ShownStory[]> {
      const since = (
        start: Instant,
      ) => sql`m.project_id = ${projectId} and m.query_id = any(${[...queryIds]}::text[])
        and m.event_at >= ${at(start)} and m.event_at < ${at(to)}`;
      const { rows } = await sql<ShownStory>`
        with top as (
          select m.story, count(*)::int as n, min(m.event_at) as since from earshot.mentions m where ${since(from)}
          group by m.story having count(*) >= ${LEAST_COPIES} order by n desc, since, m.story limit ${limit}),
        -- An index has stories: only their own mentions are read. Without their texts, for there may be ten thousands.
        told as materialized (
          select m.query_id, m.event_at, m.day, m.story from earshot.mentions m
          where ${since(from - DAY)} and m.story in (select story from top)
          group by 1, 2, 3, 4),
        copies as materialized (
          select m.story, m.query_id, m.resource_id, m.day, m.event_at, m.reach,
            (m.body->>'followers')::double precision as followers
          from told t join earshot.mentions m using (query_id, event_at, day, story) where m.project_id = ${projectId})
        select (select count(*)::int from copies c where c.story = top.story) as mentions, f.body as first, w.body as widest
        from top
        cross join lateral (
          select m.body from (
            select * from copies c where c.story = top.story order by c.event_at, c.resource_id limit 1) c
          join earshot.mentions m using (query_id, resource_id, day) where m.project_id = ${projectId}) f
        cross join lateral (
          select m.body from (
            select * from copies c where c.story = top.story
            order by coalesce(c.reach, c.followers) desc nulls last, c.event_at, c.resource_id limit 1) c
          join earshot.mentions m using (query_id, resource_id, day) where m.project_id = ${projectId}) w
        order by mentions desc, top.since, top.story
      `.execute(db);
      return rows;
    },
  };
}
