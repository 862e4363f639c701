import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { IncidentNote } from "../model/incident-work.ts";
import { at, type Db } from "./database.ts";
import { NOTE_COLUMNS } from "./incident-notes.ts";
import { LEASE_SECONDS } from "./lease-seconds.ts";
import { MOST_SEVERE_FIRST } from "./severity-order.ts";

/** An alert and a receiver that has a message about it. */
interface MessageKey {
  readonly projectId: string;
  readonly alertId: string;
  readonly receiver: string;
}

/** A claim on a message. `lease` is when it ends: a later claim ends at another moment, so nobody else has the same. */
interface Claim extends MessageKey {
  readonly lease: string;
}

/** The message that replies go to: its id at the vendor, and the notification that posted it. */
interface Root {
  readonly notificationId: string;
  readonly ref: Record<string, string>;
  /** Other alerts that the message covers. */
  readonly also: readonly string[];
}

/** Live messages: each shows an alert and is edited when the alert changes. */
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
    /** A message about the alert exists and must be updated now. */
    async stale({ projectId, alertId, receiver }: MessageKey): Promise<void> {
      await sql`
        insert into earshot.alert_messages (project_id, alert_id, receiver, shown, next_edit_wall)
        values (${projectId}, ${alertId}::uuid, ${receiver}, '', now())
        on conflict (project_id, alert_id, receiver)
        do update set shown = '', next_edit_wall = now(), watched = true, attempts = 0
      `.execute(db);
    },

    /** The comments on the incident that this alert began, whose messages are those about the alert; oldest first. */
    async commentsOf(projectId: string, alertId: string): Promise<IncidentNote[]> {
      const { rows } = await sql<IncidentNote>`
        select ${NOTE_COLUMNS} from earshot.incident_alerts m
        join earshot.incidents i on i.project_id = m.project_id and i.id = m.incident_id
        join earshot.incident_notes n on n.project_id = i.project_id and n.incident_id = i.id
        where m.project_id = ${projectId} and m.alert_id = ${alertId}::uuid and i.body->>'leaderId' = ${alertId}
          and n.kind = 'comment'
        order by n.id desc limit 1000
      `.execute(db);
      return rows.reverse();
    },

    /**
     * The message now shows this state. It is checked again after `editEveryMs`, unless the alert has ended. What was
     * asked for since the claim (`attempts` is 0 again) is due when it was asked for: the edit may have shown old words.
     */
    async shown(
      claim: Claim,
      state: string,
      terms: { readonly editEveryMs: number; readonly isOver: boolean },
    ): Promise<void> {
      await sql`
        update earshot.alert_messages m set attempts = 0, leased_until_wall = null,
          shown = case when attempts = 0 then shown else ${state} end,
          -- It may have changed since the claim: an ended alert, too, when one of its mentions is deleted.
          watched = attempts = 0 or ${!terms.isOver} or exists (select from earshot.alerts a
            where a.project_id = m.project_id and a.id = m.alert_id and ${STATE} <> ${state}),
          next_edit_wall = case when attempts = 0 then next_edit_wall
            else now() + make_interval(secs => ${terms.editEveryMs / 1000}) end
        where ${isHeldBy(claim)}
      `.execute(db);
    },

    /** Messages of these receivers that show an old state, the most severe alerts first. */
    async due(receivers: readonly string[], limit: number): Promise<MessageKey[]> {
      if (receivers.length === 0) return [];
      const { rows } = await editsDue(receivers, limit).execute(db);
      return rows;
    },

    /**
     * Claims a message for editing, with the state to show. Null: another worker has it, it is up to date, or a
     * notification on its way will update it.
     */
    async claim(
      key: MessageKey,
    ): Promise<{ state: string; attempts: number; lease: string; root: Root } | null> {
      const { projectId, alertId, receiver } = key;
      const { rows } = await sql<{ state: string; attempts: number; lease: string }>`
        update earshot.alert_messages m set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS}), attempts = attempts + 1
        from earshot.alerts a
        where a.project_id = m.project_id and a.id = m.alert_id
          and m.project_id = ${projectId} and m.alert_id = ${alertId}::uuid and m.receiver = ${receiver}
          and m.watched and m.next_edit_wall <= now() and m.shown <> ${STATE}
          and (m.leased_until_wall is null or m.leased_until_wall < now())
          and not exists (
            select from earshot.notifications n where n.project_id = m.project_id and n.alert_id = m.alert_id
              and n.receiver = m.receiver and n.state = 'due' and n.leased_until_wall > now())
        returning ${STATE} as state, m.attempts, m.leased_until_wall::text as lease
      `.execute(db);
      const [claimed] = rows;
      if (claimed === undefined) return null;
      const root = await rootOf(key);
      if (root !== null) return { ...claimed, root };
      // The message was never sent; it will be updated when it is.
      await sql`
        update earshot.alert_messages set watched = false, leased_until_wall = null
        where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver}
      `.execute(db);
      return null;
    },

    /** Whether a notification about the alert waits for the receiver, or a decision about one is due. */
    async notifiesSoon({ projectId, alertId, receiver }: MessageKey, now: Instant): Promise<boolean> {
      const ofKey = sql`project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver}`;
      const { rows } = await sql<{ soon: boolean }>`
        select exists (select from earshot.notifications where ${ofKey} and state = 'due')
          or exists (select from earshot.alert_receivers where ${ofKey} and next_at <= ${at(now)}) as soon
      `.execute(db);
      return rows[0]?.soon === true;
    },

    /** Keeps the claim while the edit runs, and gives its new lease. Null: another worker has claimed the message. */
    async renew(claim: Claim): Promise<string | null> {
      const { rows } = await sql<{ lease: string }>`
        update earshot.alert_messages set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isHeldBy(claim)} returning leased_until_wall::text as lease
      `.execute(db);
      return rows[0]?.lease ?? null;
    },

    /** The vendor changed the message's id, or gave more of it. False, and nothing is stored: it is not this claim. */
    async saveRef(claim: Claim, notificationId: string, ref: Record<string, string>): Promise<boolean> {
      const { rows } = await sql<{ held: boolean }>`
        with held as (select from earshot.alert_messages where ${isHeldBy(claim)}), saved as (
          update earshot.notifications set vendor_ref = ${storableJson(ref)}::jsonb
          where project_id = ${claim.projectId} and id = ${notificationId}::uuid and exists (select from held))
        select exists (select from held) as held
      `.execute(db);
      return rows[0]?.held === true;
    },

    /** The edit failed: try again after `retryAfterMs`, or never when that is null and nothing was asked for since. */
    async postpone(claim: Claim, retryAfterMs: number | null): Promise<void> {
      await sql`
        update earshot.alert_messages set leased_until_wall = null, watched = attempts = 0 or ${retryAfterMs !== null},
          next_edit_wall = now() + make_interval(secs => ${(retryAfterMs ?? 0) / 1000})
        where ${isHeldBy(claim)}
      `.execute(db);
    },

    /** A person acted on the alert: its messages must show that now. */
    async wake(projectId: string, alertId: string): Promise<void> {
      await sql`
        update earshot.alert_messages set next_edit_wall = now(), watched = true, attempts = 0
        where project_id = ${projectId} and alert_id = ${alertId}::uuid
      `.execute(db);
    },

    /** Deletes messages whose alert is no longer stored: as long as it is, one of its mentions may be deleted. */
    async forget(): Promise<void> {
      await sql`
        delete from earshot.alert_messages m where not watched and next_edit_wall < now() - interval '30 days'
          and not exists (select from earshot.alerts a where a.project_id = m.project_id and a.id = m.alert_id)
      `.execute(db);
    },
  };
}

/** Ids, and what changes in an incident with time alone, are not shown. */
const INCIDENT = sql`(select i.body - '{id,leaderId,checkedUntil,peak,uncalmUntil}'::text[] from earshot.incident_alerts j
  join earshot.incidents i on i.project_id = j.project_id and i.id = j.incident_id
  where j.project_id = a.project_id and j.alert_id = a.id)`;

/** Everything that a message shows of an alert and that can change. */
const STATE = sql`md5(concat_ws('|', a.state, a.severity, a.mentions, a.last_seen_at, a.resolved_at, a.notify_count, a.because,
  a.handling->>'acknowledgedBy', a.handling->>'assignee', a.handling->>'closedBy', a.handling->>'relevant', a.handling->>'corrected', nullif(a.content_version, 0), ${INCIDENT}))`;

export function editsDue(receivers: readonly string[], limit: number) {
  return sql<MessageKey>`
    select m.project_id as "projectId", m.alert_id as "alertId", m.receiver
    from earshot.alert_messages m
    join earshot.alerts a on a.project_id = m.project_id and a.id = m.alert_id
    where m.watched and m.next_edit_wall <= now() and m.receiver = any(${[...receivers]}::text[])
      and (m.leased_until_wall is null or m.leased_until_wall < now()) and m.shown <> ${STATE}
    order by ${MOST_SEVERE_FIRST}, m.next_edit_wall limit ${limit}`;
}

function isHeldBy({ projectId, alertId, receiver, lease }: Claim) {
  return sql`project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver}
          and leased_until_wall = ${lease}::timestamptz`;
}
