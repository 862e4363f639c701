import { sql } from "kysely";
import type { Db } from "./database.ts";

/** An alert at a receiver that has a message about it. */
interface MessageKey {
  readonly projectId: string;
  readonly alertId: string;
  readonly receiver: string;
}

/** The message that others answer: what the vendor calls it, and the notification that it was posted for. */
interface Root {
  readonly notificationId: string;
  readonly ref: Record<string, string>;
  /** Other alerts that it tells of. */
  readonly also: readonly string[];
}

/** An editor that died frees the message after this. */
const LEASE_SECONDS = 8;

/** Messages that stand for an alert and follow it. */
export function createAlertMessageStore(db: Db) {
  const rootOf = async ({ projectId, alertId, receiver }: MessageKey): Promise<Root | null> => {
    const { rows } = await sql<Root>`
      select id as "notificationId", vendor_ref as ref, coalesce(also, '[]'::jsonb) as also from earshot.notifications
      where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver} and state = 'sent'
        and not vendor_ref ? 'inThread'
      order by id desc limit 1
    `.execute(db);
    return rows[0] ?? null;
  };
  return {
    /** There is a message about the alert, and it is to be brought up to date at once. */
    async stale({ projectId, alertId, receiver }: MessageKey): Promise<void> {
      await sql`
        insert into earshot.alert_messages (project_id, alert_id, receiver, shown, next_edit_wall)
        values (${projectId}, ${alertId}::uuid, ${receiver}, '', now())
        on conflict (project_id, alert_id, receiver)
        do update set shown = '', next_edit_wall = now(), watched = true, attempts = 0
      `.execute(db);
    },

    /** The message shows this state of the alert now. It is looked at again after `editEveryMs`, unless that was its end. */
    async shown(
      { projectId, alertId, receiver }: MessageKey,
      state: string,
      terms: { readonly editEveryMs: number; readonly isOver: boolean },
    ): Promise<void> {
      await sql`
        update earshot.alert_messages set shown = ${state}, watched = ${!terms.isOver}, attempts = 0,
          next_edit_wall = now() + make_interval(secs => ${terms.editEveryMs / 1000}), leased_until_wall = null
        where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver}
      `.execute(db);
    },

    /** Messages of these receivers that show an older state than there is, the gravest alerts first. */
    async due(receivers: readonly string[], limit: number): Promise<MessageKey[]> {
      if (receivers.length === 0) return [];
      const { rows } = await sql<MessageKey>`
        select m.project_id as "projectId", m.alert_id as "alertId", m.receiver
        from earshot.alert_messages m
        join earshot.alerts a on a.project_id = m.project_id and a.id = m.alert_id
        where m.watched and m.next_edit_wall <= now() and m.receiver = any(${[...receivers]}::text[])
          and (m.leased_until_wall is null or m.leased_until_wall < now()) and m.shown <> ${STATE}
        order by array_position(array['critical', 'warning', 'info'], a.severity), m.next_edit_wall limit ${limit}
      `.execute(db);
      return rows;
    },

    /**
     * Takes a message for editing, with the state that is now to be shown. Null: somebody else has it, it shows
     * everything, or a notification is on its way that will bring it up to date.
     */
    async claim(key: MessageKey): Promise<{ state: string; attempts: number; root: Root } | null> {
      const { projectId, alertId, receiver } = key;
      const { rows } = await sql<{ state: string; attempts: number }>`
        update earshot.alert_messages m set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS}), attempts = attempts + 1
        from earshot.alerts a
        where a.project_id = m.project_id and a.id = m.alert_id
          and m.project_id = ${projectId} and m.alert_id = ${alertId}::uuid and m.receiver = ${receiver}
          and m.watched and m.next_edit_wall <= now() and m.shown <> ${STATE}
          and (m.leased_until_wall is null or m.leased_until_wall < now())
          and not exists (
            select from earshot.notifications n where n.project_id = m.project_id and n.alert_id = m.alert_id
              and n.receiver = m.receiver and n.state = 'due' and n.leased_until_wall > now())
        returning ${STATE} as state, m.attempts
      `.execute(db);
      const [claimed] = rows;
      if (claimed === undefined) return null;
      const root = await rootOf(key);
      if (root !== null) return { ...claimed, root };
      // It was never sent, and when it is, it will be looked at again.
      await sql`
        update earshot.alert_messages set watched = false, leased_until_wall = null
        where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver}
      `.execute(db);
      return null;
    },

    /** Whoever edits is still at it. */
    async renew({ projectId, alertId, receiver }: MessageKey): Promise<void> {
      await sql`
        update earshot.alert_messages set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver}
          and leased_until_wall is not null
      `.execute(db);
    },

    /** How many are being edited at this moment. */
    async inHand(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.alert_messages where watched and leased_until_wall > now()
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** The vendor calls it otherwise now, or knows more of it. */
    async saveRef(projectId: string, notificationId: string, ref: Record<string, string>): Promise<void> {
      await sql`
        update earshot.notifications set vendor_ref = ${JSON.stringify(ref)}::jsonb
        where project_id = ${projectId} and id = ${notificationId}::uuid
      `.execute(db);
    },

    /** It could not be brought up to date: again after `retryAfterMs`, or never when that is null. */
    async postpone({ projectId, alertId, receiver }: MessageKey, retryAfterMs: number | null): Promise<void> {
      await sql`
        update earshot.alert_messages set leased_until_wall = null, watched = ${retryAfterMs !== null},
          next_edit_wall = now() + make_interval(secs => ${(retryAfterMs ?? 0) / 1000})
        where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver}
      `.execute(db);
    },

    /** A person did something about the alert: its messages show it at once. */
    async wake(projectId: string, alertId: string): Promise<void> {
      await sql`
        update earshot.alert_messages set next_edit_wall = now(), watched = true
        where project_id = ${projectId} and alert_id = ${alertId}::uuid
      `.execute(db);
    },

    /** Those that have shown the end of their alert for a month. */
    async forget(): Promise<void> {
      await sql`
        delete from earshot.alert_messages where not watched and next_edit_wall < now() - interval '30 days'
      `.execute(db);
    },
  };
}

/** Everything of an alert that its message shows and that can change. */
const STATE = sql`md5(concat_ws('|', a.state, a.severity, a.mentions, a.last_seen_at, a.resolved_at, a.notify_count, a.because,
  a.handling->>'acknowledgedBy', a.handling->>'assignee', a.handling->>'closedBy', a.handling->>'relevant'))`;
