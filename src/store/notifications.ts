import { sql } from "kysely";
import { DAY, type Instant } from "../lib/instant.ts";
import type {
  GroupFlush,
  Notification,
  NotificationKind,
  OwedNotification,
  ReceiverEntry,
} from "../model/notification.ts";
import type { Severity } from "../model/severity.ts";
import { at, type Db } from "./database.ts";

/** A worker that died while sending frees its notification after this. */
const LEASE_SECONDS = 8;

/** Of the eight places that a process has for deliveries. */
const MOST_AT_ONCE = 3;

/** So many jobs of one receiver are worth adding at once. */
const MOST_OF_A_RECEIVER = 50;

const GRAVEST_FIRST = sql`array_position(array['critical', 'warning', 'info'], coalesce(a.severity, 'info')), n.id`;

export function createNotificationStore(db: Db) {
  return {
    async owe(notifications: readonly OwedNotification[]): Promise<void> {
      if (notifications.length === 0) return;
      await sql`
        insert into earshot.notifications (project_id, id, receiver, kind, alert_id, digest_name, digest_date, created_at, reason, also)
        select "projectId", id, receiver, kind, "alertId", digest->>'name', digest->>'localDate',
          to_timestamp("createdAt" / 1000), reason, also
        from json_to_recordset(${JSON.stringify(notifications)}::json) as n("projectId" text, id uuid, receiver text,
          kind text, "alertId" uuid, digest json, "createdAt" double precision, reason text, also jsonb)
        on conflict do nothing
      `.execute(db);
    },

    async entries(projectId: string, alertIds: readonly string[]): Promise<ReceiverEntry[]> {
      if (alertIds.length === 0) return [];
      const { rows } = await sql<ReceiverEntry>`
        select project_id as "projectId", alert_id as "alertId", receiver, entry, next_at as "nextAt"
        from earshot.alert_receivers where project_id = ${projectId} and alert_id = any(${[...alertIds]}::uuid[])
      `.execute(db);
      return rows;
    },

    async saveEntries(entries: readonly ReceiverEntry[]): Promise<void> {
      if (entries.length === 0) return;
      await sql`
        insert into earshot.alert_receivers (project_id, alert_id, receiver, entry, next_at)
        select "projectId", "alertId", receiver, entry, to_timestamp("nextAt" / 1000)
        from json_to_recordset(${JSON.stringify(entries)}::json) as e("projectId" text, "alertId" uuid, receiver text,
          entry jsonb, "nextAt" double precision)
        on conflict (project_id, alert_id, receiver) do update set entry = excluded.entry, next_at = excluded.next_at
      `.execute(db);
    },

    /**
     * Queries with an alert whose decision for some receiver is due again. While a query is read, or about to be, its
     * decisions wait for what that brings: an alert may be over by then. A source that is away holds up none.
     */
    async decisionsDue(now: Instant): Promise<{ projectId: string; queryId: string }[]> {
      const { rows } = await sql<{ projectId: string; queryId: string }>`
        select distinct r.project_id as "projectId", a.query_id as "queryId"
        from earshot.alert_receivers r join earshot.alerts a on a.project_id = r.project_id and a.id = r.alert_id
        where r.next_at <= ${at(now)} and not ${isBeingRead(now)}
      `.execute(db);
      return rows;
    },

    /**
     * Lets one transaction at a time decide who of a project is told what, until it ends: alerts of several queries go
     * into one message, and a receiver's share is counted right. Whoever takes it holds the lock of a query already,
     * or none, and takes no other after it.
     */
    async lockTelling(projectId: string): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtext('earshot-telling'), hashtext(${projectId}))`.execute(
        db,
      );
    },

    /**
     * The alerts of a query whose decision for some receiver is due again, and with them those of the whole project
     * that wait to be told to that receiver together with others.
     */
    async alertsToReconsider(projectId: string, queryId: string, now: Instant): Promise<string[]> {
      const { rows } = await sql<{ id: string }>`
        with due as (
          select r.alert_id, r.receiver, r.entry->>'last' as last
          from earshot.alert_receivers r join earshot.alerts a on a.project_id = r.project_id and a.id = r.alert_id
          where r.project_id = ${projectId} and a.query_id = ${queryId} and r.next_at <= ${at(now)})
        select alert_id as id from due
        union
        select r.alert_id
        from earshot.alert_receivers r join earshot.alerts a on a.project_id = r.project_id and a.id = r.alert_id
        where r.project_id = ${projectId} and r.next_at is not null and r.entry->>'last' in ${TOGETHER}
          and r.receiver in (select receiver from due where last in ${TOGETHER})
          and (a.query_id = ${queryId} or not ${isBeingRead(now)})
      `.execute(db);
      return rows.map((row) => row.id);
    },

    /** What was decided about an alert is looked at again: a person did something about it. */
    async reconsider(projectId: string, alertId: string, now: Instant): Promise<void> {
      await sql`
        update earshot.alert_receivers set next_at = ${at(now)}
        where project_id = ${projectId} and alert_id = ${alertId}::uuid
      `.execute(db);
    },

    /**
     * What is held for this reason is looked at again: what held it may be over. Null: in all projects. Whoever decides
     * at this moment is waited for, since it may still know of what is over.
     */
    async wake(projectId: string | null, reason: string, now: Instant): Promise<number> {
      await sql`
        select pg_advisory_xact_lock(hashtext('earshot-telling'), project)
        from (select distinct hashtext(project_id) as project from earshot.queries
          where ${projectId}::text is null or project_id = ${projectId} order by 1) p
      `.execute(db);
      const { numAffectedRows } = await sql`
        update earshot.alert_receivers set next_at = ${at(now)}
        where next_at > ${at(now)} and entry->>'last' = ${reason} and (${projectId}::text is null or project_id = ${projectId})
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** When receivers were told of the groups of a project; those of the last week. */
    async flushes(projectId: string): Promise<GroupFlush[]> {
      const { rows } = await sql<GroupFlush>`
        select project_id as "projectId", receiver, key, at from earshot.group_flushes where project_id = ${projectId}
      `.execute(db);
      return rows;
    },

    async saveFlushes(flushes: readonly GroupFlush[]): Promise<void> {
      const [first] = flushes;
      if (first === undefined) return;
      await sql`
        insert into earshot.group_flushes (project_id, receiver, key, at)
        select "projectId", receiver, key, to_timestamp(at / 1000)
        from json_to_recordset(${JSON.stringify(flushes)}::json)
          as f("projectId" text, receiver text, key text, at double precision)
        on conflict (project_id, receiver, key) do update set at = excluded.at
      `.execute(db);
      await sql`
        delete from earshot.group_flushes
        where project_id = ${first.projectId} and at < ${at(first.at - 7 * DAY)}
      `.execute(db);
    },

    /** When notifications about alerts were decided for a receiver, since a moment, and how grave their alerts are. */
    async decidedSince(receiver: string, since: Instant): Promise<{ at: Instant; severity: Severity }[]> {
      const { rows } = await sql<{ at: Instant; severity: Severity }>`
        select n.created_at as at, coalesce(a.severity, 'info') as severity from earshot.notifications n
        left join earshot.alerts a on a.project_id = n.project_id and a.id = n.alert_id
        where n.receiver = ${receiver} and n.alert_id is not null and n.created_at >= ${at(since)}
      `.execute(db);
      return rows;
    },

    /**
     * Notifications to be sent now, of each receiver the gravest and oldest first and no more than a few: what follows
     * is found when those are on their way. None of receivers that take nothing at this moment.
     */
    async due(
      limit: number,
      notTo: readonly string[] = [],
    ): Promise<{ projectId: string; notificationId: string }[]> {
      const { rows } = await sql<{ projectId: string; notificationId: string }>`
        select "projectId", "notificationId" from (
          select n.project_id as "projectId", n.id as "notificationId", n.next_attempt_wall,
            row_number() over (partition by n.receiver order by ${GRAVEST_FIRST}) as place
          from earshot.notifications n
          left join earshot.alerts a on a.project_id = n.project_id and a.id = n.alert_id
          where n.state = 'due' and n.next_attempt_wall <= now()
            and (n.leased_until_wall is null or n.leased_until_wall < now())
            and not n.receiver = any(${[...notTo]}::text[])) as waiting
        where place <= ${MOST_OF_A_RECEIVER} order by place, next_attempt_wall limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Null for one that is not stored. */
    async receiverOf(projectId: string, id: string): Promise<string | null> {
      const { rows } = await sql<{ receiver: string }>`
        select receiver from earshot.notifications where project_id = ${projectId} and id = ${id}::uuid
      `.execute(db);
      return rows[0]?.receiver ?? null;
    },

    /** How many are on their way to a vendor at this moment. */
    async inFlight(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.notifications where state = 'due' and leased_until_wall > now()
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** How many are not settled yet, waiting ones included. */
    async unsettled(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.notifications where state = 'due'
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /**
     * Takes a notification for sending and counts the attempt before it is made: whoever comes after a crash sees that
     * an attempt with unknown outcome may have reached the vendor. Earlier ones to the same receiver about the same
     * alert go first, and a receiver that hangs holds up only MOST_AT_ONCE of the places that all receivers share.
     */
    async claim(projectId: string, id: string): Promise<Notification | null> {
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
        returning ${COLUMNS}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** The gravest and oldest notification of these receivers that could be taken now. */
    async nextDue(
      receivers: readonly string[],
    ): Promise<{ projectId: string; notificationId: string } | null> {
      const { rows } = await sql<{ projectId: string; notificationId: string }>`
        select n.project_id as "projectId", n.id as "notificationId" from earshot.notifications n
        left join earshot.alerts a on a.project_id = n.project_id and a.id = n.alert_id
        where n.receiver = any(${[...receivers]}::text[]) and n.state = 'due' and n.next_attempt_wall <= now()
          and (n.leased_until_wall is null or n.leased_until_wall < now())
          and not exists (
            select from earshot.notifications e where e.project_id = n.project_id and e.alert_id = n.alert_id
              and e.receiver = n.receiver and e.state = 'due' and e.id < n.id)
        order by ${GRAVEST_FIRST} limit 1
      `.execute(db);
      return rows[0] ?? null;
    },

    async renew(projectId: string, id: string): Promise<void> {
      await sql`
        update earshot.notifications set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where project_id = ${projectId} and id = ${id}::uuid and state = 'due'
      `.execute(db);
    },

    /** Later ones about the same alert to the same receiver that tell of nothing else, oldest first. */
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

    /** `said`: those that waited behind it, whose news it has told. */
    async markSent(
      notification: Notification,
      sentAt: Instant,
      vendorRef: Record<string, string>,
      said: readonly { readonly id: string }[] = [],
    ): Promise<void> {
      await sql`
        with settled as (
          update earshot.notifications
          set state = 'sent', sent_at = ${at(sentAt)}, vendor_ref = ${JSON.stringify(vendorRef)}::jsonb, last_error = null,
            leased_until_wall = null
          where project_id = ${notification.projectId} and id = ${notification.id}::uuid),
        said as (
          update earshot.notifications
          set state = 'sent', sent_at = ${at(sentAt)}, vendor_ref = ${JSON.stringify(vendorRef)}::jsonb, last_error = null
          where project_id = ${notification.projectId} and id = any(${said.map(({ id }) => id)}::uuid[]) and state = 'due'
          returning project_id, id)
        insert into earshot.deliveries (project_id, notification_id, attempt, outcome, detail)
        select ${notification.projectId}, ${notification.id}::uuid, ${notification.attempts}::int, 'sent', ''
        union all
        select project_id, id, 0, 'sent', 'told by the message before it, which had waited, too' from said
        on conflict do nothing
      `.execute(db);
    },

    /** A failed attempt: tried again after `retryAfterMs`, or given up when that is null. */
    async markFailed(notification: Notification, error: string, retryAfterMs: number | null): Promise<void> {
      await sql`
        with settled as (
          update earshot.notifications
          set state = ${retryAfterMs === null ? "dead" : "due"}, last_error = ${error}, leased_until_wall = null,
            next_attempt_wall = now() + make_interval(secs => ${(retryAfterMs ?? 0) / 1000})
          where project_id = ${notification.projectId} and id = ${notification.id}::uuid and state = 'due')
        insert into earshot.deliveries (project_id, notification_id, attempt, outcome, detail)
        values (${notification.projectId}, ${notification.id}::uuid, ${notification.attempts},
          ${retryAfterMs === null ? "dead" : "failed"}, ${error})
        on conflict do nothing
      `.execute(db);
    },

    /**
     * The message about an alert at a receiver that others answer, for threads and edits: the newest that is no answer
     * itself. It is the first one, unless people deleted that and it was posted anew.
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
        select ${COLUMNS} from earshot.notifications
        where project_id = ${projectId} and alert_id = ${alertId}::uuid order by id
      `.execute(db);
      return rows;
    },

    /** How many wait to be sent and are not on their way, by receiver. */
    async waiting(): Promise<ReadonlyMap<string, number>> {
      const { rows } = await sql<{ receiver: string; n: number }>`
        select receiver, count(*) as n from earshot.notifications
        where state = 'due' and (leased_until_wall is null or leased_until_wall < now())
        group by receiver
      `.execute(db);
      return new Map(rows.map(({ receiver, n }) => [receiver, n]));
    },

    /** Outcomes by receiver. */
    async tally(): Promise<{ receiver: string; sent: number; failed: number; pending: number }[]> {
      const { rows } = await sql<{ receiver: string; sent: number; failed: number; pending: number }>`
        select receiver, count(*) filter (where state = 'sent') as sent, count(*) filter (where state = 'dead') as failed,
          count(*) filter (where state = 'due') as pending
        from earshot.notifications group by receiver order by receiver
      `.execute(db);
      return rows;
    },
  };
}

/** Held so that several are told in one message. */
const TOGETHER = sql`('HeldByGroup', 'HeldByThrottle')`;

/** Whether the query of the alert \`a\` is read, or about to be. */
function isBeingRead(now: Instant) {
  return sql`exists (
    select from earshot.walks w
    where w.project_id = a.project_id and w.query_id = a.query_id and w.walk = 'added' and w.next_at <= ${at(now)}
      and (w.retry_at_wall is null or w.retry_at_wall <= now()))`;
}

const COLUMNS = sql`
  id, project_id as "projectId", receiver, kind, alert_id as "alertId", case when digest_name is null then null
    else json_build_object('name', digest_name, 'localDate', digest_date) end as digest, created_at as "createdAt", state, reason, attempts, last_error as "lastError",
  vendor_ref as "vendorRef", coalesce(also, '[]'::jsonb) as also`;
