import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { Notification, PendingNotification } from "../model/notification.ts";
import type { Db } from "./database.ts";
import { createDecisionStore } from "./decisions.ts";
import { createSendingStore, NOTIFICATION_COLUMNS } from "./sending.ts";
import { urgencyOf } from "./severity-order.ts";

/** Notifications: what they say, how they were decided, and how they are sent. */
export function createNotificationStore(db: Db) {
  return {
    ...createDecisionStore(db),
    ...createSendingStore(db),

    /** A waiting one about the same alert to the same receiver goes first, so it becomes as urgent as the new one. */
    async addPending(notifications: readonly PendingNotification[]): Promise<void> {
      if (notifications.length === 0) return;
      await sql`
        with given as (
          select n.*, ${urgencyOf(sql`a.severity`)} as urgency
          from json_to_recordset(${storableJson(notifications)}::json) as n("projectId" text, id uuid, receiver text,
            kind text, "alertId" uuid, digest json, "createdAt" double precision, reason text, also jsonb)
          left join earshot.alerts a on a.project_id = n."projectId" and a.id = n."alertId"),
        raised as (
          update earshot.notifications w set urgency = given.urgency from given
          where w.project_id = given."projectId" and w.alert_id = given."alertId" and w.receiver = given.receiver
            and w.state = 'due' and w.urgency > given.urgency)
        insert into earshot.notifications (project_id, id, receiver, kind, alert_id, digest_name, digest_date, created_at, reason, also,
          urgency)
        select "projectId", id, receiver, kind, "alertId", digest->>'name', digest->>'localDate',
          to_timestamp("createdAt" / 1000), reason, also, urgency from given
        on conflict do nothing
      `.execute(db);
    },

    /** How many are not settled yet, waiting ones included. */
    async unsettled(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.notifications where state = 'due'
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /**
     * The message about an alert at a receiver that replies go to, for threads and edits: the newest that is no reply
     * itself. That is the first one, unless people deleted it and it was posted again.
     */
    async firstRef(
      projectId: string,
      alertId: string,
      receiver: string,
    ): Promise<Record<string, string> | null> {
      const { rows } = await sql<{ ref: Record<string, string> }>`
        select vendor_ref as ref from earshot.notifications
        where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver} and state = 'sent'
          and not vendor_ref ? 'inThread'
        order by id desc limit 1
      `.execute(db);
      return rows[0]?.ref ?? null;
    },

    async ofAlert(projectId: string, alertId: string): Promise<Notification[]> {
      const { rows } = await sql<Notification>`
        select ${NOTIFICATION_COLUMNS} from earshot.notifications
        where project_id = ${projectId} and alert_id = ${alertId}::uuid order by id
      `.execute(db);
      return rows;
    },

    /** How many are due and not being sent, by receiver. */
    async waiting(): Promise<ReadonlyMap<string, number>> {
      const { rows } = await sql<{ receiver: string; n: number }>`
        select receiver, count(*) as n from earshot.notifications
        where state = 'due' and (leased_until_wall is null or leased_until_wall < now())
        group by receiver
      `.execute(db);
      return new Map(rows.map(({ receiver, n }) => [receiver, n]));
    },

    /** Outcomes by receiver. */
    async countByState(): Promise<{ receiver: string; sent: number; failed: number; pending: number }[]> {
      const { rows } = await sql<{ receiver: string; sent: number; failed: number; pending: number }>`
        select receiver, count(*) filter (where state = 'sent') as sent, count(*) filter (where state = 'dead') as failed,
          count(*) filter (where state = 'due') as pending
        from earshot.notifications group by receiver order by receiver
      `.execute(db);
      return rows;
    },
  };
}
