import { sql } from "kysely";
import { DAY, type Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { FailedAttempt, Notification, NotificationKind } from "../model/notification.ts";
import type { GivenUp } from "../model/pipeline-facts.ts";
import { at, type Db, withoutSync } from "./database.ts";
import { LEASE_SECONDS } from "./lease-seconds.ts";

/** A row of `earshot.notifications`, as the model has it. */
export const NOTIFICATION_COLUMNS = sql`
  id, project_id as "projectId", receiver, kind, alert_id as "alertId", case when digest_name is null then null
    else json_build_object('name', digest_name, 'localDate', digest_date) end as digest, created_at as "createdAt", state, reason, attempts, attempts_before as "attemptsBefore", last_error as "lastError",
  vendor_ref as "vendorRef", coalesce(also, '[]'::jsonb) as also`;

/** How many of a process's five delivery slots one receiver may use. */
const MOST_AT_ONCE = 2;

/** How many jobs of one receiver are worth adding at once. */
const MOST_OF_A_RECEIVER = 50;

/** Messages are retried for two days and some hours, longer if they had to queue behind others. */
const LONGEST_TRIED_MS = 7 * DAY;

/** Notifications that are being sent: which is next, who has claimed it, and the outcome. */
export function createSendingStore(db: Db) {
  return {
    /**
     * Notifications to send now: a few of each receiver, the most severe and oldest first. The rest is found when those
     * are on their way. Receivers that take nothing now have none.
     */
    async due(
      limit: number,
      notTo: readonly string[] = [],
    ): Promise<{ projectId: string; notificationId: string }[]> {
      const { rows } = await deliveriesDue(limit, notTo).execute(db);
      return rows;
    },

    /**
     * Claims a notification for sending and counts the attempt before it is made: after a crash, the next worker sees
     * that an attempt with unknown outcome may have reached the vendor. Earlier ones to the same receiver about the
     * same alert go first. A receiver that hangs uses only MOST_AT_ONCE of the slots that all receivers share. `channels`:
     * the keys of the slot that was taken for it. Another message may have closed the channel since.
     */
    async claim(
      projectId: string,
      id: string,
      channels: readonly string[] = [],
    ): Promise<Notification | null> {
      const { rows } = await sql<Notification>`
        update earshot.notifications n
        set attempts = attempts + 1, leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where project_id = ${projectId} and id = ${id}::uuid and state = 'due' and next_attempt_wall <= now()
          and (leased_until_wall is null or leased_until_wall < now())
          and not exists (
            select from earshot.notifications e where e.project_id = n.project_id and e.alert_id = n.alert_id
              and e.receiver = n.receiver and e.state = 'due' and e.id < n.id)
          and (select count(*) from earshot.notifications o
            where o.receiver = n.receiver and o.state = 'due' and o.leased_until_wall > now()) < ${MOST_AT_ONCE}
          and not exists (select from earshot.channel_limits l
            where l.channel = any(${[...channels]}::text[]) and l.closed_until_wall > now())
        returning ${NOTIFICATION_COLUMNS}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** The most severe and oldest notification of these receivers that could be claimed now. */
    async nextDue(
      receivers: readonly string[],
    ): Promise<{ projectId: string; notificationId: string } | null> {
      const { rows } = await sql<{ projectId: string; notificationId: string }>`
        select w.project_id as "projectId", w.id as "notificationId" from unnest(${[...receivers]}::text[]) as r(receiver)
        cross join lateral (
          select n.project_id, n.id, n.urgency from earshot.notifications n
          where n.receiver = r.receiver and n.state = 'due' and n.next_attempt_wall <= now()
            and (n.leased_until_wall is null or n.leased_until_wall < now())
            and not exists (
              select from earshot.notifications e where e.project_id = n.project_id and e.alert_id = n.alert_id
                and e.receiver = n.receiver and e.state = 'due' and e.id < n.id)
          order by n.urgency, n.id limit 1) w
        order by w.urgency, w.id limit 1
      `.execute(db);
      return rows[0] ?? null;
    },

    /** False: another worker has claimed it since. The number of the attempt identifies a claim. */
    async renew({ projectId, id, attempts }: Notification): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.notifications set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where project_id = ${projectId} and id = ${id}::uuid and state = 'due' and attempts = ${attempts}
          and ${withoutSync}
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** Later ones about only the same alert to the same receiver, oldest first. */
    async waitingBehind({
      projectId,
      alertId,
      receiver,
      id,
    }: Notification): Promise<{ id: string; kind: Exclude<NotificationKind, "digest"> }[]> {
      if (alertId === null) return [];
      const { rows } = await sql<{ id: string; kind: Exclude<NotificationKind, "digest"> }>`
        select id, kind from earshot.notifications
        where project_id = ${projectId} and alert_id = ${alertId}::uuid and receiver = ${receiver} and state = 'due'
          and id > ${id}::uuid and also is null
        order by id
      `.execute(db);
      return rows;
    },

    /** `covered`: ids of later notifications that its message already covers. One that is noted as sent stays as it is. */
    async markSent(
      notification: Notification,
      sentAt: Instant,
      vendorRef: Record<string, string>,
      covered: readonly string[] = [],
    ): Promise<void> {
      await sql`
        with settled as (
          update earshot.notifications
          set state = 'sent', sent_at = ${at(sentAt)}, vendor_ref = ${storableJson(vendorRef)}::jsonb, last_error = null,
            leased_until_wall = null
          where project_id = ${notification.projectId} and id = ${notification.id}::uuid and state <> 'sent'
          returning project_id, id),
        covered as (
          update earshot.notifications
          set state = 'sent', sent_at = ${at(sentAt)}, vendor_ref = ${storableJson(vendorRef)}::jsonb, last_error = null
          where project_id = ${notification.projectId} and id = any(${[...covered]}::uuid[]) and state = 'due'
          returning project_id, id)
        insert into earshot.deliveries (project_id, notification_id, attempt, outcome, detail)
        select project_id, id, ${notification.attempts}::int, 'sent', '' from settled
        union all
        select project_id, id, 0, 'sent', 'covered by the earlier message, which had waited, too' from covered
        on conflict do nothing
      `.execute(db);
    },

    /**
     * A failed attempt: tried again after `retryAfterMs`, or given up when that is null. Does nothing if another worker
     * has claimed it since.
     */
    async markFailed(
      notification: Notification,
      { code, detail }: FailedAttempt,
      retryAfterMs: number | null,
    ): Promise<void> {
      await sql`
        with settled as (
          update earshot.notifications
          set state = ${retryAfterMs === null ? "dead" : "due"}, last_error = ${detail}, leased_until_wall = null,
            next_attempt_wall = now() + make_interval(secs => ${(retryAfterMs ?? 0) / 1000})
          where project_id = ${notification.projectId} and id = ${notification.id}::uuid and state = 'due'
            and attempts = ${notification.attempts}
          returning project_id, id)
        insert into earshot.deliveries (project_id, notification_id, attempt, outcome, code, detail)
        select project_id, id, ${notification.attempts}::int, ${retryAfterMs === null ? "dead" : "failed"}::text,
          ${code}::text, ${detail}::text
        from settled
        on conflict do nothing
      `.execute(db);
    },

    /** By receiver, the notifications given up since then: how many, and the last error. */
    async givenUp(since: Instant): Promise<{ receiver: string; n: number; error: string }[]> {
      const { rows } = await sql<{ receiver: string; n: number; error: string }>`
        select receiver, count(*)::int as n, (array_agg(coalesce(last_error, '') order by id desc))[1] as error
        from earshot.notifications where state = 'dead' and created_at >= ${at(since)}
        group by receiver order by receiver
      `.execute(db);
      return rows;
    },

    /** By receiver, the notifications given up in the last day that are not retried. */
    async givenUpLately(now: Instant): Promise<GivenUp[]> {
      const { rows } = await sql<GivenUp>`
        select n.receiver, count(*)::int as n, (array_agg(d.detail order by d.at_wall desc))[1] as error,
          min(n.created_at) as since
        from earshot.notifications n
        join earshot.deliveries d on d.project_id = n.project_id and d.notification_id = n.id and d.attempt = n.attempts
        where n.state = 'dead' and n.created_at >= ${at(now - LONGEST_TRIED_MS)}
          and d.outcome = 'dead' and d.at_wall > now() - interval '1 day'
        group by n.receiver order by n.receiver
      `.execute(db);
      return rows;
    },

    /**
     * Retries the notifications of a receiver that were given up since then, in order and for as long as new ones.
     * Returns how many.
     */
    async redeliver(receiver: string, since: Instant): Promise<number> {
      const { numAffectedRows } = await sql`
        update earshot.notifications set state = 'due', next_attempt_wall = now(), attempts_before = attempts
        where receiver = ${receiver} and state = 'dead' and created_at >= ${at(since)}
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** Null if it is not stored. */
    async receiverOf(projectId: string, id: string): Promise<string | null> {
      const { rows } = await sql<{ receiver: string }>`
        select receiver from earshot.notifications where project_id = ${projectId} and id = ${id}::uuid
      `.execute(db);
      return rows[0]?.receiver ?? null;
    },
  };
}

/** Reads the first few of each receiver in the order of an index, so that it costs the same however many wait. */
export function deliveriesDue(limit: number, notTo: readonly string[]) {
  return sql<{ projectId: string; notificationId: string }>`
    with recursive waiting_for as (
      select min(receiver) as receiver from earshot.notifications where state = 'due'
      union all
      select (select min(n.receiver) from earshot.notifications n where n.state = 'due' and n.receiver > f.receiver)
      from waiting_for f where f.receiver is not null)
    select w.project_id as "projectId", w.id as "notificationId" from waiting_for f
    cross join lateral (
      select first.*, row_number() over (order by urgency, id) as place from (
        select n.project_id, n.id, n.urgency, n.next_attempt_wall from earshot.notifications n
        where n.receiver = f.receiver and n.state = 'due' and n.next_attempt_wall <= now()
          and (n.leased_until_wall is null or n.leased_until_wall < now())
        order by n.urgency, n.id limit ${MOST_OF_A_RECEIVER}) as first) w
    where not f.receiver = any(${[...notTo]}::text[])
    order by w.place, w.next_attempt_wall limit ${limit}`;
}
