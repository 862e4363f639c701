import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { Query } from "../model/query.ts";
import type { WalkKey } from "../model/walk.ts";
import { at, atOrNull, type Db } from "./database.ts";

/** A walk that this worker holds: nobody else can commit a page of it while the lease lives. */
export interface ClaimedWalk {
  readonly lease: string;
  /** As the arithmetic of `ingest/watermark.ts` left it; null before the first page. */
  readonly state: unknown;
  readonly failures: number;
}

/** Thrown when a page is committed under a lease that another worker has taken over meanwhile. */
class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  /** The new holder walks on from what is committed; there is nothing to repeat. */
  readonly retryable = false;
  /** It says nothing against what was to be committed. */
  readonly isPassing = true;
}

/** A due walk and what is known of its arrivals: the last weeks, this hour of the week, the last minutes. */
export interface WalkCandidate extends WalkKey, Query {
  readonly polledAt: Instant | null;
  readonly watchFrom: Instant;
  readonly nextAt: Instant;
  readonly watermark: Instant | null;
  /** It goes on from a cursor, closes a gap, or fails with others. */
  readonly alone: boolean;
  /** In a row. */
  readonly failures: number;
  readonly totalMentions: number | null;
  readonly totalMs: number | null;
  readonly hourMentions: number | null;
  readonly hourMs: number | null;
  readonly recentMentions: number | null;
  readonly recentMs: number | null;
  readonly recentUntil: Instant | null;
}

/** A dead worker's walk is free again after this. Renewed with every page and by a timer during long calls. */
const LEASE_SECONDS = 8;

export function createWalkStore(db: Db) {
  return {
    /** Makes sure that both walks of every watched query exist; new ones are due at once. */
    async ensure(now: Instant): Promise<void> {
      await sql`
        insert into earshot.walks (project_id, query_id, walk, state, next_at)
        select project_id, query_id, walk, 'null'::jsonb, ${at(now)}
        from earshot.queries cross join (values ('added'), ('updated')) as w(walk)
        where active
        on conflict do nothing
      `.execute(db);
    },

    /** Walks whose time has come and that nobody holds, the longest due first. */
    async due(now: Instant, limit: number): Promise<WalkKey[]> {
      const { rows } = await sql<WalkKey>`
        select w.project_id as "projectId", w.query_id as "queryId", w.walk
        from earshot.walks w join earshot.queries q using (project_id, query_id)
        where q.active and w.next_at <= ${at(now)}
          and (w.leased_until_wall is null or w.leased_until_wall < now())
          and (w.retry_at_wall is null or w.retry_at_wall <= now())
          and (w.planned_until_wall is null or w.planned_until_wall < now())
        order by w.next_at limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Walks that nobody holds, due or not, with what a plan wants to know of them. `hour`: of the week. */
    async candidates(hour: number, now: Instant): Promise<WalkCandidate[]> {
      const { rows } = await sql<WalkCandidate>`
        select w.project_id as "projectId", w.query_id as "queryId", w.walk, q.name, q.project_name as "projectName",
          q.timezone, w.polled_at as "polledAt", q.watch_from as "watchFrom", w.next_at as "nextAt",
          w.failures, (w.state ->> 'watermark')::float8 as watermark,
          w.own_call or w.state -> 'running' ->> 'cursor' is not null
            or coalesce(jsonb_typeof(w.state -> 'gap'), 'null') = 'object'
              and ((w.state -> 'gap' ->> 'tries')::int <= ${GAP_TRIES}
                or coalesce((w.state -> 'gap' ->> 'nextAt')::float8, 0) <= ${now}) as alone,
          t.mentions as "totalMentions", t.ms as "totalMs", h.mentions as "hourMentions", h.ms as "hourMs",
          r.mentions as "recentMentions", r.ms as "recentMs", r.until_at as "recentUntil"
        from earshot.walks w join earshot.queries q using (project_id, query_id)
        left join earshot.arrival_rates t on (t.project_id, t.query_id, t.walk, t.hour)
          = (w.project_id, w.query_id, w.walk, -1)
        left join earshot.arrival_rates r on (r.project_id, r.query_id, r.walk, r.hour)
          = (w.project_id, w.query_id, w.walk, -2)
        left join earshot.arrival_rates h on (h.project_id, h.query_id, h.walk, h.hour)
          = (w.project_id, w.query_id, w.walk, ${hour})
        where q.active
          and (w.leased_until_wall is null or w.leased_until_wall < now())
          and (w.retry_at_wall is null or w.retry_at_wall <= now())
          and (w.planned_until_wall is null or w.planned_until_wall < now())
      `.execute(db);
      return rows;
    },

    /** A job for these walks is on its way: no plan counts on them until it is done or forgotten. Who rides along is due. */
    async plan(keys: readonly WalkKey[], now: Instant): Promise<void> {
      await sql`
        update earshot.walks w set planned_until_wall = now() + make_interval(secs => ${PLANNED_SECONDS}),
          next_at = least(next_at, ${at(now)})
        from ${keysAsRows(keys)} where ${isKeyOf}
      `.execute(db);
    },

    /** When each is polled next as the plan stands. An empty list: there is no plan, every walk is polled when due. */
    async promise(plan: readonly (WalkKey & { readonly nextPollAt: Instant })[]): Promise<void> {
      if (plan.length === 0) {
        await sql`update earshot.walks set next_poll_at = null where next_poll_at is not null`.execute(db);
        return;
      }
      const rows = plan.map(({ projectId, queryId, walk, nextPollAt }) => ({
        projectId,
        queryId,
        walk,
        at: nextPollAt,
      }));
      await sql`
        update earshot.walks w set next_poll_at = to_timestamp(k.at / 1000)
        from json_to_recordset(${JSON.stringify(rows)}::json)
          as k("projectId" text, "queryId" text, walk text, at double precision)
        where ${isKeyOf}
      `.execute(db);
    },

    /** These walks get calls of their own until one has gone well. */
    async walkAlone(keys: readonly WalkKey[]): Promise<void> {
      await sql`update earshot.walks w set own_call = true from ${keysAsRows(keys)} where ${isKeyOf}`.execute(
        db,
      );
    },

    /** Makes every walk due, whatever its time: a replay has come to its end and wants to know everything. */
    async hurry(now: Instant): Promise<void> {
      await sql`update earshot.walks set next_at = least(next_at, ${at(now)})`.execute(db);
    },

    /** How many walks somebody holds or waits to repeat: a driver that waits for quiet waits for these too. */
    async unsettled(): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.walks join earshot.queries q using (project_id, query_id)
        where q.active and (leased_until_wall > now() or retry_at_wall > now())
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** Takes the walk, if it is due and free. Null: somebody else has it, or there is nothing to do now. */
    async claim(key: WalkKey, now: Instant): Promise<ClaimedWalk | null> {
      const { rows } = await sql<ClaimedWalk>`
        update earshot.walks
        set lease = gen_random_uuid(), leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isWalk(key)} and next_at <= ${at(now)}
          and (leased_until_wall is null or leased_until_wall < now())
          and (retry_at_wall is null or retry_at_wall <= now())
        returning lease, state, failures
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Keeps the lease alive during a long call. */
    async renew(key: WalkKey, lease: string): Promise<void> {
      await sql`
        update earshot.walks set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isWalk(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** Part of the page's transaction: the walk moves only if the lease is still ours. */
    async advance(key: WalkKey, lease: string, state: unknown): Promise<void> {
      const { numAffectedRows } = await sql`
        update earshot.walks
        set state = ${JSON.stringify(state)}::jsonb, failures = 0, last_error = null, retry_at_wall = null,
          leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isWalk(key)} and lease = ${lease}::uuid
      `.execute(db);
      if (numAffectedRows !== 1n)
        throw new LeaseLostError(`the walk ${key.walk} of query ${key.queryId} was taken over`);
    },

    /** The walk has come to its end: it knows everything up to `completeUntil` and is due again at `nextAt`. */
    async finish(
      key: WalkKey,
      lease: string,
      end: { completeUntil: Instant | null; polledAt: Instant; nextAt: Instant },
    ): Promise<void> {
      await sql`
        update earshot.walks
        set complete_until = greatest(complete_until, ${atOrNull(end.completeUntil)}), polled_at = ${at(end.polledAt)},
          next_at = ${at(end.nextAt)}, lease = null, leased_until_wall = null, planned_until_wall = null,
          own_call = false
        where ${isWalk(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** The walk broke off: what is committed stands, and it is tried again after `retryAfterMs` of wall time. */
    async fail(key: WalkKey, lease: string, error: string, retryAfterMs: number): Promise<void> {
      await sql`
        update earshot.walks
        set failures = failures + 1, last_error = ${error}, lease = null, leased_until_wall = null,
          planned_until_wall = null,
          retry_at_wall = now() + make_interval(secs => ${retryAfterMs / 1000})
        where ${isWalk(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** No call could be made: it is tried again after `retryAfterMs`, and nothing has failed. */
    async postpone(key: WalkKey, lease: string, retryAfterMs: number): Promise<void> {
      await sql`
        update earshot.walks
        set lease = null, leased_until_wall = null, planned_until_wall = null,
          retry_at_wall = now() + make_interval(secs => ${retryAfterMs / 1000})
        where ${isWalk(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** Up to when every mention that entered the query is stored. Null before the first finished walk. */
    async completeUntil(projectId: string, queryId: string): Promise<Instant | null> {
      const { rows } = await sql<{ until: Instant | null }>`
        select complete_until as until from earshot.walks
        where project_id = ${projectId} and query_id = ${queryId} and walk = 'added'
      `.execute(db);
      return rows[0]?.until ?? null;
    },

    /** Up to when every one of these queries is stored; null when one of them has no finished walk yet. */
    async completeUntilOf(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
    ): Promise<Instant | null> {
      const { rows } = await sql<{ until: Instant | null }>`
        select case when bool_or(w.complete_until is null) then null else min(w.complete_until) end as until
        from json_to_recordset(${JSON.stringify(queries)}::json) as q("projectId" text, "queryId" text)
        left join earshot.walks w on w.project_id = "projectId" and w.query_id = "queryId" and w.walk = 'added'
      `.execute(db);
      return rows[0]?.until ?? null;
    },

    /** Queries that have closed buckets which nobody has judged yet. */
    async windowsDue(bucketMs: number): Promise<{ projectId: string; queryId: string }[]> {
      const { rows } = await sql<{ projectId: string; queryId: string }>`
        select w.project_id as "projectId", w.query_id as "queryId"
        from earshot.walks w join earshot.queries q using (project_id, query_id)
        where q.active and w.walk = 'added'
          and w.complete_until >= q.ticked_until + make_interval(secs => ${bucketMs / 1000})
      `.execute(db);
      return rows;
    },
  };
}

/** A gap that was gone over so often is gone over again at its `nextAt`; before that at once. */
const GAP_TRIES = 2;

/** After this a job that was planned counts as lost, and its walks are planned anew. */
const PLANNED_SECONDS = 30;

function keysAsRows(keys: readonly WalkKey[]) {
  const rows = keys.map(({ projectId, queryId, walk }) => ({ projectId, queryId, walk }));
  return sql`json_to_recordset(${JSON.stringify(rows)}::json) as k("projectId" text, "queryId" text, walk text)`;
}

const isKeyOf = sql`w.project_id = k."projectId" and w.query_id = k."queryId" and w.walk = k.walk`;

function isWalk(key: WalkKey) {
  return sql`project_id = ${key.projectId} and query_id = ${key.queryId} and walk = ${key.walk}`;
}
