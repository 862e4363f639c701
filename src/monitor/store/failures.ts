import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type {
  BounceOutcome,
  Failure,
  FailureKind,
  NotedFailure,
  OpenBounces,
  Outage,
} from "../model/failure.ts";
import { FIRST_REPORT } from "../model/wording.ts";
import { at, type Db } from "./database.ts";

export function createFailureStore(db: Db) {
  return {
    /** Counts one more failure, and returns how many there were in a row. Another reason starts a new `since`. */
    async note(failure: NotedFailure, now: Instant): Promise<number> {
      const { kind, scope, reason, message, final } = failure;
      const { rows } = await sql<{ times: number }>`
        insert into earshot.failures as f (kind, scope, reason, message, final, since)
        values (${kind}, ${scope}, ${reason}, ${message}, ${final}, ${at(now)})
        on conflict (kind, scope) do update set message = excluded.message, final = excluded.final,
          last_wall = now(), times = f.times + 1, reason = excluded.reason,
          since = case when ${GOES_ON} then f.since else excluded.since end,
          since_wall = case when ${GOES_ON} then f.since_wall else now() end
        returning times
      `.execute(db);
      return rows[0]?.times ?? 1;
    },

    /** The operation worked. */
    async clear(kind: FailureKind, scopes: readonly string[]): Promise<void> {
      await sql`
        delete from earshot.failures where kind = ${kind} and scope = any(${[...scopes]}::text[])
      `.execute(db);
    },

    /** Stores whether the receiver's own check fails like its messages do. */
    async noteCheck(scope: string, failed: boolean): Promise<void> {
      await sql`
        update earshot.failures set check_failed = ${failed} where kind = 'receiver' and scope = ${scope}
      `.execute(db);
    },

    async open(): Promise<Failure[]> {
      const { rows } = await sql<Failure>`
        select kind, scope, reason, message, final, since, times, check_failed as "checkFailed",
          extract(epoch from now() - since_wall)::float8 * 1000 as "forMs",
          extract(epoch from now() - last_wall)::float8 * 1000 as "lastAgoMs"
        from earshot.failures order by kind, scope limit 10000
      `.execute(db);
      return rows;
    },
  };
}

/**
 * A rate limit lets calls through now and then, so a success does not end it (see clear); minutes without a refusal do.
 */
const GOES_ON = sql`(f.reason = excluded.reason
  and (excluded.reason <> 'rate-limited' or f.last_wall > now() - interval '5 minutes'))`;

/** Outages that several processes saw, or that followed each other closely, are one outage. */
const APART_SECONDS = 30;

export function createOutageStore(db: Db) {
  return {
    /** Stores an outage, or extends the one that it belongs to. */
    async note({ engine, outcome, from, to, because }: Outage): Promise<void> {
      await db.transaction().execute(async (tx) => {
        await sql`select pg_advisory_xact_lock(hashtext('earshot.outages'))`.execute(tx);
        const { numAffectedRows } = await sql`
          update earshot.outages set from_at = least(from_at, ${at(from)}), to_at = greatest(to_at, ${at(to)}),
            because = coalesce(because, ${because}::text)
          where engine = ${engine} and outcome = ${outcome}
            and from_at <= ${at(to)} + make_interval(secs => ${APART_SECONDS})
            and to_at >= ${at(from)} - make_interval(secs => ${APART_SECONDS})
        `.execute(tx);
        if (numAffectedRows !== 0n) return;
        await sql`
          insert into earshot.outages (engine, outcome, from_at, to_at, because)
          values (${engine}, ${outcome}, ${at(from)}, ${at(to)}, ${because}::text)
        `.execute(tx);
      });
    },

    /** Those that ended after `since`, newest first, a hundred at most. */
    async endedAfter(since: Instant): Promise<Outage[]> {
      const { rows } = await sql<Outage>`
        select engine, outcome, from_at as "from", to_at as "to", because from earshot.outages
        where to_at > ${at(since)} order by to_at desc, id desc limit 100
      `.execute(db);
      return rows;
    },
  };
}

/** A mail that a bounce report may be about. */
interface SentMail {
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
