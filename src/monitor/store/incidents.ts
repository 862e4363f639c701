import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Incident, IncidentEntry, Membership, WholeIncident } from "../model/incident.ts";
import { at, atOrNull, type Db } from "./database.ts";

/** Mentions of one bucket, by their own time. */
interface MentionBucket {
  readonly at: Instant;
  readonly negative: number;
  readonly total: number;
}

/** Incidents, the alerts in them, and their timelines. They change under the lock of their query. */
export function createIncidentStore(db: Db) {
  const store = {
    /** Those of a query that have not ended, or ended at `since` or later, oldest first. */
    async ofQuery(projectId: string, queryId: string, since: Instant): Promise<Incident[]> {
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents where project_id = ${projectId} and query_id = ${queryId}
          and (ended_at is null or ended_at >= ${at(since)}) order by id
      `.execute(db);
      return rows.map(({ body }) => body);
    },

    /** Those of a query that have not ended, oldest first. */
    async openOfQuery(projectId: string, queryId: string): Promise<Incident[]> {
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents where project_id = ${projectId} and query_id = ${queryId} and ended_at is null
        order by id
      `.execute(db);
      return rows.map(({ body }) => body);
    },

    /** Those of other queries of the project that have not ended and speak for themselves, oldest first. */
    async elsewhere(projectId: string, queryId: string): Promise<Incident[]> {
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents where project_id = ${projectId} and query_id <> ${queryId}
          and ended_at is null and part_of is null order by id
      `.execute(db);
      return rows.map(({ body }) => body);
    },

    /** For each of these alerts that is in an incident, the one that speaks for it, with its parts. */
    async wholes(projectId: string, alertIds: readonly string[]): Promise<Map<string, WholeIncident>> {
      const own = await store.ofAlerts(projectId, alertIds);
      const ids = [...new Set([...own.values()].map(({ id, partOf }) => partOf ?? id))];
      if (ids.length === 0) return new Map();
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents where project_id = ${projectId}
          and (id = any(${ids}::uuid[]) or part_of = any(${ids}::uuid[])) order by id
      `.execute(db);
      return wholesOf(
        own,
        rows.map(({ body }) => body),
      );
    },

    async find(projectId: string, id: string): Promise<Incident | null> {
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents where project_id = ${projectId} and id = ${id}::uuid
      `.execute(db);
      return rows[0]?.body ?? null;
    },

    /** By id, or by its first letters; at most two. */
    async findByPrefix(prefix: string): Promise<Incident[]> {
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents where id::text like ${`${prefix.toLowerCase()}%`} order by id desc limit 2
      `.execute(db);
      return rows.map(({ body }) => body);
    },

    /** Newest first, each with its parts; without `past` only those that have not ended, or a part of which has not. */
    async list(past: boolean, limit: number): Promise<WholeIncident[]> {
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents i where part_of is null and (${past} or ended_at is null or exists (
          select from earshot.incidents p where p.project_id = i.project_id and p.part_of = i.id and p.ended_at is null))
        order by id desc limit ${limit}
      `.execute(db);
      return store.withParts(rows.map(({ body }) => body));
    },

    /** Those that were not over at some moment of [from, to), or a part of which was not; each with its parts, oldest first. */
    async openBetween(from: Instant, to: Instant): Promise<WholeIncident[]> {
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents i
        where part_of is null and opened_at < ${at(to)} and (ended_at is null or ended_at >= ${at(from)} or exists (
          select from earshot.incidents p where p.project_id = i.project_id and p.part_of = i.id
            and (p.ended_at is null or p.ended_at >= ${at(from)})))
        order by opened_at, id
      `.execute(db);
      return store.withParts(rows.map(({ body }) => body));
    },

    /** Each of these, which speak for themselves, with its parts. */
    async withParts(incidents: readonly Incident[]): Promise<WholeIncident[]> {
      if (incidents.length === 0) return [];
      const { rows } = await sql<{ body: Incident }>`
        select body from earshot.incidents where part_of = any(${incidents.map(({ id }) => id)}::uuid[]) order by id
      `.execute(db);
      const parts = rows.map(({ body }) => body);
      return incidents.map((incident) => ({
        incident,
        parts: parts.filter(({ partOf }) => partOf === incident.id),
      }));
    },

    /** The incidents of these alerts, by the id of the alert. */
    async ofAlerts(projectId: string, alertIds: readonly string[]): Promise<Map<string, Incident>> {
      if (alertIds.length === 0) return new Map();
      const { rows } = await sql<{ alertId: string; body: Incident }>`
        select m.alert_id as "alertId", i.body from earshot.incident_alerts m
        join earshot.incidents i on i.project_id = m.project_id and i.id = m.incident_id
        where m.project_id = ${projectId} and m.alert_id = any(${[...alertIds]}::uuid[])
      `.execute(db);
      return new Map(rows.map(({ alertId, body }) => [alertId, body]));
    },

    /** The alerts in these incidents, in the order in which they joined. */
    async members(projectId: string, incidentIds: readonly string[]): Promise<Membership[]> {
      if (incidentIds.length === 0) return [];
      const { rows } = await sql<Membership>`
        select project_id as "projectId", alert_id as "alertId", incident_id as "incidentId", joined_at as "joinedAt", because
        from earshot.incident_alerts
        where project_id = ${projectId} and incident_id = any(${[...incidentIds]}::uuid[]) order by joined_at, alert_id
      `.execute(db);
      return rows;
    },

    async save(incidents: readonly Incident[]): Promise<void> {
      for (const incident of incidents) {
        const { projectId, id, queryId, status, openedAt, endedAt, partOf = null } = incident;
        await sql`
          insert into earshot.incidents (project_id, id, query_id, status, opened_at, ended_at, part_of, body)
          values (${projectId}, ${id}::uuid, ${queryId}, ${status}, ${at(openedAt)}, ${atOrNull(endedAt)},
            ${partOf}::uuid, ${storableJson(incident)}::jsonb)
          on conflict (project_id, id) do update set status = excluded.status, opened_at = excluded.opened_at,
            ended_at = excluded.ended_at, part_of = excluded.part_of, body = excluded.body
        `.execute(db);
      }
    },

    /** An alert that was in another incident leaves it. */
    async join(memberships: readonly Membership[]): Promise<void> {
      if (memberships.length === 0) return;
      await sql`
        insert into earshot.incident_alerts (project_id, alert_id, incident_id, joined_at, because)
        select "projectId", "alertId", "incidentId", to_timestamp("joinedAt" / 1000), because
        from json_to_recordset(${storableJson(memberships)}::json) as m("projectId" text, "alertId" uuid,
          "incidentId" uuid, "joinedAt" double precision, because text)
        on conflict (project_id, alert_id) do update set incident_id = excluded.incident_id,
          joined_at = excluded.joined_at, because = excluded.because
      `.execute(db);
    },

    /** The alert is in no incident any more. */
    async leave(projectId: string, alertId: string): Promise<void> {
      await sql`
        delete from earshot.incident_alerts where project_id = ${projectId} and alert_id = ${alertId}::uuid
      `.execute(db);
    },

    async addEntries(projectId: string, entries: readonly IncidentEntry[]): Promise<void> {
      if (entries.length === 0) return;
      await sql`
        insert into earshot.incident_entries (project_id, incident_id, at, kind, detail, alert_id, actor)
        select ${projectId}, "incidentId", to_timestamp(at / 1000), kind, detail, "alertId", actor
        from json_to_recordset(${storableJson(entries)}::json) as e("incidentId" uuid, at double precision, kind text,
          detail text, "alertId" uuid, actor jsonb)
      `.execute(db);
    },

    /** The timeline, oldest first. */
    async entries(projectId: string, incidentId: string): Promise<IncidentEntry[]> {
      const { rows } = await sql<
        Omit<IncidentEntry, "alertId" | "actor"> & {
          alertId: string | null;
          actor: IncidentEntry["actor"] | null;
        }
      >`
        select incident_id as "incidentId", at, kind, detail, alert_id as "alertId", actor from earshot.incident_entries
        where project_id = ${projectId} and incident_id = ${incidentId}::uuid order by at, seq
      `.execute(db);
      return rows.map(({ alertId, actor, ...entry }) => ({
        ...entry,
        ...(alertId != null && { alertId }),
        ...(actor != null && { actor }),
      }));
    },

    /** How many mentions of a query, and negative ones, there are in each five minutes of [from, to), by their own time. */
    async mentionBuckets(
      projectId: string,
      queryId: string,
      from: Instant,
      to: Instant,
    ): Promise<MentionBucket[]> {
      const { rows } = await sql<MentionBucket>`
        select date_bin('5 minutes', event_at, 'epoch') as at, count(*)::int as total,
          (count(*) filter (where body->>'sentiment' = 'negative'))::int as negative
        from earshot.mentions where project_id = ${projectId} and query_id = ${queryId}
          and event_at >= ${at(from)} and event_at < ${at(to)}
        group by 1 order by 1
      `.execute(db);
      return rows;
    },
  };
  return store;
}

/** By alert: the incident that it is in or, of a part, the one that speaks for it; with its parts. */
export function wholesOf(
  own: ReadonlyMap<string, Incident>,
  related: readonly Incident[],
): Map<string, WholeIncident> {
  return new Map(
    [...own].map(([alertId, one]) => {
      const incident = related.find(({ id }) => id === one.partOf) ?? one;
      return [alertId, { incident, parts: related.filter(({ partOf }) => partOf === incident.id) }];
    }),
  );
}
