import { sql } from "kysely";
import { DAY, type Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { GroupFlush, ReceiverEntry } from "../model/notification.ts";
import type { Severity } from "../model/severity.ts";
import { at, type Db } from "./database.ts";
import { severityOf } from "./severity-order.ts";

/** Decisions about each receiver of an alert, and when the next one is due. */
export function createDecisionStore(db: Db) {
  return {
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
        from json_to_recordset(${storableJson(entries)}::json) as e("projectId" text, "alertId" uuid, receiver text,
          entry jsonb, "nextAt" double precision)
        on conflict (project_id, alert_id, receiver) do update set entry = excluded.entry, next_at = excluded.next_at
      `.execute(db);
    },

    /**
     * Serialises notification decisions within a project until the transaction ends: one message may cover alerts of
     * several queries, and a receiver's share must be counted right. The caller holds the lock of a query, or none, and
     * takes no other afterwards.
     */
    async lockNotifications(projectId: string): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtext('earshot-decisions'), hashtext(${projectId}))
      `.execute(db);
    },

    /**
     * The alerts of a query with a due decision for some receiver, and all alerts of the project that wait for the same
     * combined message to that receiver.
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

    /** Makes the decisions about an alert due again: a person acted on it. */
    async reconsider(projectId: string, alertId: string, now: Instant): Promise<void> {
      await sql`
        update earshot.alert_receivers set next_at = ${at(now)}
        where project_id = ${projectId} and alert_id = ${alertId}::uuid
      `.execute(db);
    },

    /**
     * Makes decisions held for this reason due again, because the reason may have ended, and those of escalations, whose
     * steps count only while it does not hold. Null: in all projects. Waits for transactions that are deciding now, since
     * they may still read the old state.
     */
    async wake(projectId: string | null, reason: string, now: Instant): Promise<number> {
      await sql`
        select pg_advisory_xact_lock(hashtext('earshot-decisions'), project)
        from (select distinct hashtext(project_id) as project from earshot.queries
          where ${projectId}::text is null or project_id = ${projectId} order by 1) p
      `.execute(db);
      const { numAffectedRows } = await sql`
        update earshot.alert_receivers set next_at = ${at(now)}
        where next_at > ${at(now)} and entry->>'last' in (${reason}, 'EscalationWaits')
          and (${projectId}::text is null or project_id = ${projectId})
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },

    /** When receivers were last notified of the groups of a project, in the last week. */
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
        from json_to_recordset(${storableJson(flushes)}::json)
          as f("projectId" text, receiver text, key text, at double precision)
        on conflict (project_id, receiver, key) do update set at = excluded.at
      `.execute(db);
      await sql`
        delete from earshot.group_flushes
        where project_id = ${first.projectId} and at < ${at(first.at - 7 * DAY)}
      `.execute(db);
    },

    /**
     * When notifications about alerts were decided, with the severity that their alerts had. `since`: from which moment
     * on, for each receiver. The earliest one stands in the statement by itself, so that old partitions are left out.
     */
    async decidedSince(
      since: ReadonlyMap<string, Instant>,
    ): Promise<{ receiver: string; at: Instant; severity: Severity }[]> {
      if (since.size === 0) return [];
      const starts = [...since].map(([receiver, from]) => ({ receiver, from: from / 1_000 }));
      const { rows } = await sql<{ receiver: string; at: Instant; severity: Severity }>`
        select receiver, n.at, ${severityOf(sql`n.urgency`)} as severity
        from json_to_recordset(${storableJson(starts)}::json) as r(receiver text, "from" double precision)
        cross join lateral (
          select created_at as at, urgency from earshot.notifications
          where receiver = r.receiver and alert_id is not null and created_at >= to_timestamp(r."from")
            and created_at >= ${at(Math.min(...since.values()))}
          order by created_at desc limit ${MOST_LOOKED_BACK_ON}) n
      `.execute(db);
      return rows;
    },
  };
}

/** More than any throttle lets through in its time. */
const MOST_LOOKED_BACK_ON = 10_000;

/**
 * Queries with an alert whose decision for some receiver is due. While a query is polled, or about to be, its
 * decisions wait for the result, which may resolve an alert: for that of one poll, since the next may always be due. A
 * source that is away delays none.
 */
export function decisionsDue(now: Instant) {
  return sql<{ projectId: string; queryId: string }>`
    select distinct r.project_id as "projectId", a.query_id as "queryId"
    from earshot.alert_receivers r join earshot.alerts a on a.project_id = r.project_id and a.id = r.alert_id
    where r.next_at <= ${at(now)} and not ${isBeingRead(now)}`;
}

/** Held to be combined with others in one message. */
const TOGETHER = sql`('HeldByGroup', 'HeldByThrottle')`;

/** Whether the query of the alert `a` is being polled, or about to be, for the first time since the decision `r` was due. */
function isBeingRead(now: Instant) {
  return sql`exists (
    select from earshot.polls w
    where w.project_id = a.project_id and w.query_id = a.query_id and w.poll = 'added' and w.next_at <= ${at(now)}
      and (w.polled_at is null or w.polled_at < r.next_at)
      and (w.retry_at_wall is null or w.retry_at_wall <= now()))`;
}
