import { sql } from "kysely";
import type { Actor, AlertEvent } from "../model/alert-action.ts";
import type { Db } from "./database.ts";

/** The history of alerts, and the insights that were fetched when they were sent. */
export function createAlertHistoryStore(db: Db) {
  return {
    async addEvents(projectId: string, events: readonly AlertEvent[]): Promise<void> {
      if (events.length === 0) return;
      await sql`
        insert into earshot.alert_events (project_id, alert_id, at, what, detail, actor)
        select ${projectId}, "alertId", to_timestamp(at / 1000), what, detail, actor
        from json_to_recordset(${JSON.stringify(events)}::json)
          as e("alertId" uuid, at double precision, what text, detail text, actor jsonb)
      `.execute(db);
    },

    /** The insights of an alert; null before it was sent. Their shape belongs to `alerts`. */
    async explanation(projectId: string, alertId: string): Promise<unknown> {
      const { rows } = await sql<{ explanation: unknown }>`
        select explanation from earshot.alerts where project_id = ${projectId} and id = ${alertId}::uuid
      `.execute(db);
      return rows[0]?.explanation ?? null;
    },

    /** Stores the insights with the alert. Two deliveries that fetch them at once write the same. */
    async explain(projectId: string, alertId: string, explanation: unknown): Promise<void> {
      await sql`
        update earshot.alerts set explanation = ${JSON.stringify(explanation)}::jsonb
        where project_id = ${projectId} and id = ${alertId}::uuid
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
