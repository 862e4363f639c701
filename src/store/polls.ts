import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import { OWN_QUERY } from "../model/own-query.ts";
import type { PollKey } from "../model/poll.ts";
import { at, type Db } from "./database.ts";
import { createPollLeaseStore } from "./poll-leases.ts";
import { createPollPlanStore } from "./poll-plans.ts";

/** Polls: when each is due, who holds it, what is planned for it, and how far it is complete. */
export function createPollStore(db: Db) {
  return {
    ...createPollLeaseStore(db),
    ...createPollPlanStore(db),

    /** Makes sure that both polls of every watched query exist; new ones are due at once. */
    async ensure(now: Instant): Promise<void> {
      await sql`
        insert into earshot.polls (project_id, query_id, poll, state, next_at)
        select project_id, query_id, poll, 'null'::jsonb, ${at(now)}
        from earshot.queries cross join (values ('added'), ('updated')) as w(poll)
        where active
        on conflict do nothing
      `.execute(db);
    },

    /** Polls that are due and free, the longest due first. */
    async due(now: Instant, limit: number): Promise<PollKey[]> {
      const { rows } = await sql<PollKey>`
        select w.project_id as "projectId", w.query_id as "queryId", w.poll
        from earshot.polls w join earshot.queries q using (project_id, query_id)
        where q.active and w.next_at <= ${at(now)}
          and (w.leased_until_wall is null or w.leased_until_wall < now())
          and (w.retry_at_wall is null or w.retry_at_wall <= now())
          and (w.planned_until_wall is null or w.planned_until_wall < now())
        order by w.next_at limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Makes every poll due now: a replay has ended and must read everything. */
    async hurry(now: Instant): Promise<void> {
      await sql`update earshot.polls set next_at = least(next_at, ${at(now)})`.execute(db);
    },

    /** How many polls are held or wait for a retry: a driver that waits for quiet waits for these too. */
    async unsettled(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.polls join earshot.queries q using (project_id, query_id)
        where q.active and (leased_until_wall > now() or retry_at_wall > now())
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** Up to when all mentions that entered the query are stored. Null before the first finished poll. */
    async completeUntil(projectId: string, queryId: string): Promise<Instant | null> {
      const { rows } = await sql<{ until: Instant | null }>`
        select complete_until as until from earshot.polls
        where project_id = ${projectId} and query_id = ${queryId} and poll = 'added'
      `.execute(db);
      return rows[0]?.until ?? null;
    },

    /** Up to when every one of these queries is complete; null if one of them has no finished poll yet. */
    async completeUntilOf(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
    ): Promise<Instant | null> {
      const { rows } = await sql<{ until: Instant | null }>`
        select case when bool_or(w.complete_until is null) then null else min(w.complete_until) end as until
        from json_to_recordset(${JSON.stringify(queries)}::json) as q("projectId" text, "queryId" text)
        left join earshot.polls w on w.project_id = "projectId" and w.query_id = "queryId" and w.poll = 'added'
      `.execute(db);
      return rows[0]?.until ?? null;
    },

    /** Queries with closed buckets that are not evaluated yet, and unwatched ones with open alerts. */
    async windowsDue(bucketMs: number): Promise<{ projectId: string; queryId: string }[]> {
      const { rows } = await sql<{ projectId: string; queryId: string }>`
        select w.project_id as "projectId", w.query_id as "queryId"
        from earshot.polls w join earshot.queries q using (project_id, query_id)
        where q.active and w.poll = 'added'
          and w.complete_until >= q.ticked_until + make_interval(secs => ${bucketMs / 1000})
        union
        select l.project_id, l.query_id from earshot.latest_alerts l join earshot.queries q using (project_id, query_id)
        where l.open and not q.active and q.query_id <> ${OWN_QUERY.queryId}
      `.execute(db);
      return rows;
    },
  };
}
