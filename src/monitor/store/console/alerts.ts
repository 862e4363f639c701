import { sql } from "kysely";
import type { Instant } from "../../../lib/instant.ts";
import type { Alert } from "../../model/alert.ts";
import type { AlertEvent, RulePrecision } from "../../model/alert-action.ts";
import type { Incident, IncidentEntry } from "../../model/incident.ts";
import type {
  AlertListing,
  AlertPosition,
  AlertStates,
  ListedAlert,
  ListedIncident,
  ShownIncident,
  ShownMention,
  ShownStory,
} from "../../model/shown.ts";
import { type StoredEvent, toEvent } from "../alert-history.ts";
import { LISTS } from "../author-lists.ts";
import { at, type Db, projects } from "../database.ts";
import { MOST_SEVERE_FIRST } from "../severity-order.ts";

export function createConsoleAlerts(db: Db) {
  return {
    /** Open alerts, the most severe and newest first. */
    async openAlerts(limit: number): Promise<ListedAlert[]> {
      const { rows } = await sql<ListedAlert>`
        select ${ALERT_COLUMNS}, ${NEWEST_MENTION} from earshot.latest_alerts l
        join earshot.alerts a on a.project_id = l.project_id and a.id = l.alert_id
        where l.open
        order by ${MOST_SEVERE_FIRST}, a.opened_at desc, a.id desc
        limit ${limit}
      `.execute(db);
      return rows;
    },

    /** The same without those that an incident of several alerts has: it stands for them. */
    async openAlertsAlone(limit: number): Promise<ListedAlert[]> {
      const { rows } = await sql<ListedAlert>`
        select ${ALERT_COLUMNS}, ${NEWEST_MENTION} from earshot.latest_alerts l
        join earshot.alerts a on a.project_id = l.project_id and a.id = l.alert_id
        where l.open and not exists (select from earshot.incident_alerts m
          join earshot.incidents i on i.project_id = m.project_id and i.id = m.incident_id
          where m.project_id = l.project_id and m.alert_id = l.alert_id and ${HAS_SEVERAL})
        order by ${MOST_SEVERE_FIRST}, a.opened_at desc, a.id desc
        limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Incidents of several alerts that have not ended, those that need somebody first. */
    async openIncidents(limit: number): Promise<ListedIncident[]> {
      const atItsBeginning = sql`m.project_id = i.project_id and m.query_id = i.query_id
        and m.event_at >= i.opened_at - interval '1 hour' and m.event_at < i.opened_at + interval '3 hours'`;
      const { rows } = await sql<ListedIncident>`
        select i.body as incident, a.rule, t.body as about from earshot.incidents i
        join earshot.alerts a on a.project_id = i.project_id and a.id = (i.body->>'leaderId')::uuid
        left join lateral (
          select m.body from (
            select m.story, count(*) as n, min(m.event_at) as since from earshot.mentions m where ${atItsBeginning}
            group by m.story having count(*) >= 3 order by n desc, since limit 1) s
          join earshot.mentions m on m.story = s.story and ${atItsBeginning} order by m.event_at, m.resource_id limit 1) t on true
        where i.ended_at is null and ${HAS_SEVERAL}
        order by array_position(array['open', 'handled', 'watching'], i.status),
          array_position(array['critical', 'warning', 'info'], i.body->>'severity'), i.id desc
        limit ${limit}
      `.execute(db);
      return rows;
    },

    /** The incident of an alert with its alerts and its timeline; null if it is in none of several alerts. */
    async incidentOfAlert(projectId: string, alertId: string): Promise<ShownIncident | null> {
      const { rows } = await sql<{ incident: Incident; id: string }>`
        select i.body as incident, i.id from earshot.incident_alerts m
        join earshot.incidents i on i.project_id = m.project_id and i.id = m.incident_id
        where m.project_id = ${projectId} and m.alert_id = ${alertId}::uuid and ${HAS_SEVERAL}
      `.execute(db);
      const [found] = rows;
      if (found === undefined) return null;
      const members = await sql<Alert>`
        select ${ALERT_COLUMNS} from earshot.incident_alerts m
        join earshot.alerts a on a.project_id = m.project_id and a.id = m.alert_id
        where m.project_id = ${projectId} and m.incident_id = ${found.id}::uuid order by m.joined_at, a.id limit 100
      `.execute(db);
      const entries = await sql<Omit<IncidentEntry, "alertId"> & { alertId: string | null }>`
        select incident_id as "incidentId", at, kind, detail, alert_id as "alertId" from earshot.incident_entries
        where project_id = ${projectId} and incident_id = ${found.id}::uuid order by at, seq limit 200
      `.execute(db);
      return {
        incident: found.incident,
        members: members.rows,
        entries: entries.rows.map(({ alertId, ...one }) => ({ ...one, alertId: alertId ?? undefined })),
      };
    },

    /** The alert whose messages show this one: it began the incident, or the one of another query that speaks for it. */
    async shownBy(projectId: string, alertId: string): Promise<string> {
      const { rows } = await sql<{ leader: string }>`
        select coalesce(w.body->>'leaderId', i.body->>'leaderId') as leader from earshot.incident_alerts m
        join earshot.incidents i on i.project_id = m.project_id and i.id = m.incident_id
        left join earshot.incidents w on w.project_id = i.project_id and w.id = i.part_of
        where m.project_id = ${projectId} and m.alert_id = ${alertId}::uuid
      `.execute(db);
      return rows[0]?.leader ?? alertId;
    },

    /** When the last alert that fired was resolved; null if none was in the newest thousand. */
    async quietSince(): Promise<Instant | null> {
      const { rows } = await sql<{ at: Instant | null }>`
        select max(resolved_at) as at from
          (select resolved_at from earshot.alerts where fired_at is not null order by id desc limit 1000) a
      `.execute(db);
      return rows[0]?.at ?? null;
    },

    async countOpenAlerts(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.latest_alerts where open
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** Newest opened first; of one query, or of all (null). */
    async alerts(
      states: AlertStates,
      after: AlertPosition | null,
      limit: number,
      query: { readonly projectId: string; readonly queryId: string } | null = null,
    ): Promise<AlertListing> {
      const isAfter =
        after === null
          ? sql`true`
          : sql`a.opened_at <= ${at(after.openedAt)} and (a.opened_at, a.id) < (${at(after.openedAt)}, ${after.id}::uuid)`;
      const { rows } = await sql<ListedAlert>`
        select ${ALERT_COLUMNS}, ${NEWEST_MENTION} from earshot.alerts a where ${STATES[states]} and ${isAfter}
          and ${query === null ? sql`true` : sql`a.project_id = ${query.projectId} and a.query_id = ${query.queryId}`}
        order by a.opened_at desc, a.id desc limit ${limit + 1}
      `.execute(db);
      const alerts = rows.slice(0, limit);
      const last = alerts.at(-1);
      const next =
        rows.length > limit && last !== undefined ? { openedAt: last.openedAt, id: last.id } : null;
      return { alerts, next };
    },

    /** The alerts of one rule that opened from `since` on, newest first. */
    async ruleAlerts(rule: string, since: Instant, limit: number): Promise<ListedAlert[]> {
      const { rows } = await sql<ListedAlert>`
        select ${ALERT_COLUMNS}, ${NEWEST_MENTION} from earshot.alerts a
        where a.project_id in ${projects} and a.rule = ${rule} and a.opened_at >= ${at(since)}
        order by a.opened_at desc, a.id desc limit ${limit}
      `.execute(db);
      return rows;
    },

    /** By its id alone, as links contain it. */
    async alert(id: string): Promise<Alert | null> {
      const { rows } = await sql<Alert>`
        select ${ALERT_COLUMNS} from earshot.alerts a where a.project_id in ${projects} and a.id = ${id}::uuid
      `.execute(db);
      return rows[0] ?? null;
    },

    /** The newest entries of its history, in ascending order. */
    async alertEvents(projectId: string, alertId: string, limit: number): Promise<AlertEvent[]> {
      const { rows } = await sql<StoredEvent>`
        select alert_id as "alertId", at, what, detail, actor from earshot.alert_events
        where project_id = ${projectId} and alert_id = ${alertId}::uuid order by seq desc limit ${limit}
      `.execute(db);
      return rows.reverse().map(toEvent);
    },

    /** Mentions that met the alert's rule, with what they met; none for an alert on a window. */
    async alertMatches(projectId: string, alertId: string, limit: number): Promise<ShownMention[]> {
      const { rows } = await sql<ShownMention>`
        select m.body as mention, m.project_id as "projectId", coalesce(q.name, 'query ' || m.query_id) as "queryName",
          m.event_at as "eventAt", ${LISTS} as lists
        from earshot.matches x join earshot.mentions m using (project_id, query_id, resource_id, day)
        left join earshot.queries q on q.project_id = m.project_id and q.query_id = m.query_id
        where x.project_id = ${projectId} and x.alert_id = ${alertId}::uuid
        order by m.event_at desc, m.resource_id limit ${limit}
      `.execute(db);
      return rows;
    },

    /** The insights that were fetched when it was sent; null if there are none. */
    async deletedMentions(projectId: string, alertId: string): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select forgotten as n from earshot.alerts where project_id = ${projectId} and id = ${alertId}::uuid
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    async alertExplanation(projectId: string, alertId: string): Promise<unknown> {
      const { rows } = await sql<{ explanation: unknown }>`
        select explanation from earshot.alerts where project_id = ${projectId} and id = ${alertId}::uuid
      `.execute(db);
      return rows[0]?.explanation ?? null;
    },

    /** The stories with most of its mentions; none for an alert on a single mention. */
    async alertStories(alert: Alert, from: "matches" | "window", limit: number): Promise<ShownStory[]> {
      const ofAlert =
        from === "matches"
          ? sql`select m.* from earshot.matches x
              join earshot.mentions m using (project_id, query_id, resource_id, day)
              where x.project_id = ${alert.projectId} and x.alert_id = ${alert.id}::uuid limit 5000`
          : sql`select m.* from earshot.mentions m
              where m.project_id = ${alert.projectId} and m.query_id = ${alert.queryId}
                and m.event_at >= ${at(alert.windowFrom)} and m.event_at < ${at(alert.windowTo)}
              order by m.event_at desc limit 5000`;
      const { rows } = await sql<ShownStory>`
        select count(*) as mentions, (array_agg(body order by event_at, resource_id))[1] as first,
          (array_agg(body order by coalesce(reach, (body->>'followers')::double precision) desc nulls last,
            event_at, resource_id))[1] as widest
        from (${ofAlert}) m group by story having count(*) > 1 order by count(*) desc, min(event_at) limit ${limit}
      `.execute(db);
      return rows;
    },

    /** How often a rule fired since a moment, and the feedback of people. */
    async rulePrecision(rule: string, since: Instant): Promise<RulePrecision> {
      const { rows } = await sql<RulePrecision>`
        select ${rule} as rule, count(*) as fired, count(*) filter (where (handling->>'relevant')::boolean) as relevant,
          count(*) filter (where not (handling->>'relevant')::boolean) as "notRelevant"
        from earshot.alerts a where a.project_id in ${projects} and rule = ${rule} and fired_at is not null
          and opened_at >= ${at(since)}
      `.execute(db);
      return rows[0] ?? { rule, fired: 0, relevant: 0, notRelevant: 0 };
    },

    /** Mentions of the query in the window of an alert, those with the largest reach first. */
    async windowMentions(alert: Alert, sentiment: string | null, limit: number): Promise<ShownMention[]> {
      const { rows } = await sql<ShownMention>`
        select body as mention, project_id as "projectId", ${alert.queryName} as "queryName", event_at as "eventAt",
          ${LISTS} as lists from (
          select * from earshot.mentions
          where project_id = ${alert.projectId} and query_id = ${alert.queryId}
            and event_at >= ${at(alert.windowFrom)} and event_at < ${at(alert.windowTo)}
            and ${sentiment === null ? sql`true` : sql`sentiment = ${sentiment}`}
          order by event_at desc limit 5000) m
        order by reach desc nulls last, event_at desc, resource_id limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

const STATES = { all: sql`true`, open: sql`a.state <> 'resolved'`, resolved: sql`a.state = 'resolved'` };

/** An incident of one alert is shown as that alert. */
const HAS_SEVERAL = sql`(i.body->>'alerts')::int > 1`;

export const ALERT_COLUMNS = sql`
  a.id, a.project_id as "projectId", a.rule, a.fingerprint, a.query_id as "queryId", a.query_name as "queryName",
  a.severity, a.state, a.labels, a.opened_at as "openedAt", a.fired_at as "firedAt", a.last_seen_at as "lastSeenAt",
  a.resolved_at as "resolvedAt", a.notify_count as "notifyCount", a.renotify_reason as "renotifyReason", a.mentions, a.because,
  a.window_from as "windowFrom", a.window_to as "windowTo", a."values", a.handling, a.progress`;

/** People look for what was said, and not for the rule's limits. */
export const NEWEST_MENTION = sql`(
  select m.body from earshot.matches x join earshot.mentions m using (project_id, query_id, resource_id, day)
  where x.project_id = a.project_id and x.alert_id = a.id order by m.event_at desc, m.resource_id limit 1) as "newestMention"`;
