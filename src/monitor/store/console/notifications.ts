import { sql } from "kysely";
import { storableJson } from "../../../lib/json.ts";
import type { ShownDelivery, ShownNotification, ShownReceiver } from "../../model/shown.ts";
import { vendorAnswer } from "../../model/wording.ts";
import { type Db, projects } from "../database.ts";

export function createConsoleNotifications(db: Db) {
  return {
    /** Newest decided first. */
    async notifications(limit: number): Promise<ShownNotification[]> {
      const { rows } = await sql<ShownNotification>`
        select ${COLUMNS} from ${projects} p cross join lateral (
          select * from earshot.notifications where project_id = p.project_id order by id desc limit ${limit}) n
        ${WITH_ALERT} order by n.id desc limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Notifications about an alert, its own or shared with others, oldest first. */
    async alertNotifications(
      projectId: string,
      alertId: string,
      limit: number,
    ): Promise<ShownNotification[]> {
      const { rows } = await sql<ShownNotification>`
        select ${COLUMNS} from earshot.notifications n ${WITH_ALERT}
        where n.project_id = ${projectId} and ${isAbout(alertId)} order by n.id desc limit ${limit}
      `.execute(db);
      return rows.reverse();
    },

    /** All attempts of the notifications about an alert, oldest first. */
    async alertDeliveries(projectId: string, alertId: string, limit: number): Promise<ShownDelivery[]> {
      const { rows } = await sql<ShownDelivery & { vendorRef: Record<string, string> | null }>`
        select d.notification_id as "notificationId", d.attempt, d.at_wall as "atWall", d.outcome, d.detail,
          case when d.outcome = 'sent' and d.attempt > 0 then n.vendor_ref end as "vendorRef"
        from earshot.notifications n
        join earshot.deliveries d on d.project_id = n.project_id and d.notification_id = n.id
        where n.project_id = ${projectId} and ${isAbout(alertId)}
        order by d.notification_id desc, d.attempt desc limit ${limit}
      `.execute(db);
      return rows.reverse().map(({ vendorRef, ...delivery }) => ({
        ...delivery,
        detail: delivery.detail || vendorAnswer(vendorRef ?? {}),
      }));
    },

    async alertReceivers(projectId: string, alertId: string): Promise<ShownReceiver[]> {
      const { rows } = await sql<ShownReceiver>`
        select receiver, entry->>'last' as last, entry->>'by' as by, to_timestamp((entry->'lastNotified'->>'at')::double precision / 1000) as "notifiedAt",
          next_at as "nextAt"
        from earshot.alert_receivers where project_id = ${projectId} and alert_id = ${alertId}::uuid
        order by receiver limit 100
      `.execute(db);
      return rows;
    },

    /** How many notifications wait to be sent. */
    async countDueNotifications(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.notifications where state = 'due'
      `.execute(db);
      return rows[0]?.n ?? 0;
    },
  };
}

function isAbout(alertId: string) {
  return sql`(n.alert_id = ${alertId}::uuid or n.also @> ${storableJson([alertId])}::jsonb)`;
}

const COLUMNS = sql`n.id, n.receiver, n.kind, n.alert_id as "alertId", a.rule, a.query_name as "queryName",
  n.digest_name as "digestName", n.created_at as "createdAt", n.reason, n.state, n.attempts, n.sent_at as "sentAt",
  n.last_error as "lastError"`;
const WITH_ALERT = sql`left join earshot.alerts a on a.project_id = n.project_id and a.id = n.alert_id`;
