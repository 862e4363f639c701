import { sql } from "kysely";
import type { BounceOutcome, OpenBounces } from "../model/failure.ts";
import { FIRST_REPORT } from "../model/wording.ts";
import type { Db } from "./database.ts";

/** A mail that a bounce report may be about. */
export interface SentMail {
  readonly projectId: string;
  readonly id: string;
  readonly receiver: string;
  readonly alertId: string | null;
}

/** Older bounces no longer say anything about an address. */
const DAYS = 7;

/** A mail counts as delivered if it has not bounced for this long; bounces come within minutes. */
const PROVEN_AFTER_HOURS = 1;

export function createBounceStore(db: Db) {
  return {
    /** The mail of that notification, or with that Message-ID; null if we sent neither. */
    async findMail(known: {
      readonly notificationId: string | null;
      readonly messageId: string | null;
    }): Promise<SentMail | null> {
      const { rows } = await sql<SentMail>`
        select project_id as "projectId", id, receiver, alert_id as "alertId" from earshot.notifications
        where id = ${known.notificationId}::uuid
        union all
        select project_id as "projectId", id, receiver, alert_id as "alertId" from earshot.notifications
        where vendor_ref->>'messageId' = ${known.messageId} and vendor_ref ? 'messageId'
        limit 1
      `.execute(db);
      return rows[0] ?? null;
    },

    /** False: this bounce is stored already. */
    async note({ projectId, id }: SentMail, outcome: BounceOutcome, detail: string): Promise<boolean> {
      // Two simultaneous reports of the same mail would take the same number.
      await sql`
        select from earshot.notifications where project_id = ${projectId} and id = ${id}::uuid for update
      `.execute(db);
      const { rows } = await sql<{ attempt: number }>`
        insert into earshot.deliveries (project_id, notification_id, attempt, outcome, detail)
        select ${projectId}, ${id}::uuid, greatest(${FIRST_REPORT}::int, coalesce(max(attempt) + 1, 0)), ${outcome}, ${detail}
        from earshot.deliveries where project_id = ${projectId} and notification_id = ${id}::uuid
        having count(*) filter (where outcome = ${outcome} and detail = ${detail}) = 0
        returning attempt
      `.execute(db);
      return rows.length > 0;
    },

    /** Receivers whose mails bounced permanently in the last week, since the last delivered one. */
    async open(): Promise<OpenBounces[]> {
      const { rows } = await sql<OpenBounces>`
        select n.receiver, coalesce(n.vendor_ref->>'to', '') as "to", count(distinct n.id)::int as times,
          min(coalesce(n.sent_at, n.created_at)) as since, (array_agg(d.detail order by d.at_wall desc))[1] as detail
        from earshot.deliveries d join earshot.notifications n on n.project_id = d.project_id and n.id = d.notification_id
        where d.outcome = 'bounced' and d.at_wall > now() - make_interval(days => ${DAYS}) and not exists (
          select from earshot.notifications l
          join earshot.deliveries s on s.project_id = l.project_id and s.notification_id = l.id and s.outcome = 'sent'
          where l.receiver = n.receiver and l.id > n.id and s.at_wall < now() - make_interval(hours => ${PROVEN_AFTER_HOURS})
            and not exists (
              select from earshot.deliveries b
              where b.project_id = l.project_id and b.notification_id = l.id and b.outcome in ('bounced', 'expired')))
        group by 1, 2 order by 1, 2
      `.execute(db);
      return rows;
    },
  };
}
