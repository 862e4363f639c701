import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Actor, AlertEvent } from "../model/alert-action.ts";
import { type Match, matchKey } from "../model/judging.ts";
import type { Mention } from "../model/mention.ts";
import type { Db } from "./database.ts";
import { dayOf } from "./mention-pages.ts";

/** The history of alerts, and the insights that were fetched when they were sent. */
export function createAlertHistoryStore(db: Db) {
  return {
    async addEvents(projectId: string, events: readonly AlertEvent[]): Promise<void> {
      if (events.length === 0) return;
      await sql`
        insert into earshot.alert_events (project_id, alert_id, at, what, detail, actor)
        select ${projectId}, "alertId", to_timestamp(at / 1000), what, detail, actor
        from json_to_recordset(${storableJson(events)}::json)
          as e("alertId" uuid, at double precision, what text, detail text, actor jsonb)
      `.execute(db);
    },

    /**
     * Stores the insights with the alert. Two deliveries that fetch them at once write the same. `version`: the content of
     * the alert when its mentions were read; if some were deleted since, the insights may name them and are not stored.
     */
    async explain(projectId: string, alertId: string, explanation: unknown, version: number): Promise<void> {
      await sql`
        update earshot.alerts set explanation = ${storableJson(explanation)}::jsonb
        where project_id = ${projectId} and id = ${alertId}::uuid and content_version = ${version}
      `.execute(db);
    },

    async events(projectId: string, alertId: string): Promise<AlertEvent[]> {
      const { rows } = await sql<StoredEvent>`
        select alert_id as "alertId", at, what, detail, actor from earshot.alert_events
        where project_id = ${projectId} and alert_id = ${alertId}::uuid order by seq
      `.execute(db);
      return rows.map(toEvent);
    },
  };
}

export type StoredEvent = Omit<AlertEvent, "actor"> & { readonly actor: Actor | null };

export function toEvent({ actor, ...event }: StoredEvent): AlertEvent {
  return actor === null ? event : { ...event, actor };
}

/** Which rule a mention met, and to which alert it went. */
export function createMatchStore(db: Db) {
  return {
    /** Which of these mentions each rule has already alerted on: `rule\u0000queryId\u0000resourceId`. */
    async alreadyMatched(
      projectId: string,
      matches: readonly { rule: string; mention: Mention }[],
    ): Promise<Set<string>> {
      if (matches.length === 0) return new Set();
      const keys = matches.map(({ rule, mention }) => ({
        rule,
        q: mention.queryId,
        r: mention.resourceId,
        d: dayOf(mention),
      }));
      const { rows } = await sql<{ rule: string; queryId: string; resourceId: string }>`
        select m.rule, m.query_id as "queryId", m.resource_id as "resourceId"
        from json_to_recordset(${storableJson(keys)}::json) as k(rule text, q text, r text, d date)
        join earshot.matches m on m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day = d
          and m.rule = k.rule
      `.execute(db);
      return new Set(rows.map((row) => matchKey(row.rule, row)));
    },

    async addMatches(projectId: string, matches: readonly Match[]): Promise<void> {
      if (matches.length === 0) return;
      const rows = matches.map(({ rule, mention, alertId, at, because }) => ({
        rule,
        q: mention.queryId,
        r: mention.resourceId,
        d: dayOf(mention),
        alert: alertId,
        at,
        because,
      }));
      await sql`
        insert into earshot.matches (project_id, query_id, resource_id, day, rule, alert_id, at, because)
        select ${projectId}, q, r, d, rule, alert, to_timestamp(at / 1000), because
        from json_to_recordset(${storableJson(rows)}::json)
          as m(q text, r text, d date, rule text, alert uuid, at double precision, because text)
        on conflict do nothing
      `.execute(db);
    },

    /** The rules that a mention met, and the alerts that it belongs to. */
    async matchesOf(
      projectId: string,
      mention: Mention,
    ): Promise<{ rule: string; alertId: string; at: Instant; because: string }[]> {
      const { rows } = await sql<{ rule: string; alertId: string; at: Instant; because: string }>`
        select rule, alert_id as "alertId", at, because from earshot.matches
        where project_id = ${projectId} and query_id = ${mention.queryId} and resource_id = ${mention.resourceId}
        order by at, rule
      `.execute(db);
      return rows;
    },
  };
}
