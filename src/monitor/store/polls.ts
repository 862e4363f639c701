import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { TransientError } from "../../lib/retry.ts";
import { JUDGED_AHEAD_MS } from "../model/judging.ts";
import type { PollKey } from "../model/poll.ts";
import type { CarriedCounts } from "../model/poll-state.ts";
import { OWN_QUERY, type SourceName } from "../model/query.ts";
import { at, atOrNull, type Db, withoutSync } from "./database.ts";
import { REPLAYED_BY_POLL } from "./dead-letters.ts";
import { LEASE_SECONDS } from "./lease-seconds.ts";
import { createPollPlanStore, isDueAt } from "./poll-plans.ts";
import { IN_ONE_ORDER, isKeyOf, keysAsRows } from "./poll-rows.ts";
import { isOfSource } from "./queries.ts";

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

    /**
     * Makes polls due because their source has announced mentions; returns those that are watched. A poll that runs may
     * have read before these mentions were there: it is due again when it ends. One that does not run is not skipped.
     */
    async wake(
      keys: readonly Pick<PollKey, "queryId" | "poll">[],
      now: Instant,
    ): Promise<readonly PollKey[]> {
      const { rows } = await sql<PollKey>`
        with announced as materialized (
          select w.project_id, w.query_id, w.poll
          from json_to_recordset(${storableJson(keys)}::json) as k("queryId" text, poll text)
          join earshot.queries q on q.query_id = k."queryId"
          join earshot.polls w on (w.project_id, w.query_id, w.poll) = (q.project_id, q.query_id, k.poll)
          where q.active
          ${IN_ONE_ORDER})
        update earshot.polls w set next_at = least(w.next_at, ${at(now)}), woken = true
        from announced a where (w.project_id, w.query_id, w.poll) = (a.project_id, a.query_id, a.poll) and ${withoutSync}
        returning w.project_id as "projectId", w.query_id as "queryId", w.poll
      `.execute(db);
      return rows;
    },

    /** Polls of a source that are due, and whose last poll has read everything up to a known revision. */
    async dueAndRead(now: Instant, source: SourceName): Promise<readonly ReadPoll[]> {
      const { rows } = await sql<ReadPoll>`
        select w.project_id as "projectId", w.query_id as "queryId", w.poll, w.state -> 'read' ->> 'revision' as revision,
          (w.state -> 'read' ->> 'at')::float8 as "readAt", w.state -> 'read' ->> 'version' as version
        from earshot.polls w join earshot.queries q using (project_id, query_id)
        where q.active and ${isOfSource(source, "w")} and ${maySkip(now)}
          and not exists (select from earshot.dead_letters d
            where (d.project_id, d.query_id) = (w.project_id, w.query_id) and ${REPLAYED_BY_POLL})
      `.execute(db);
      return rows;
    },

    /**
     * Ends these polls without a call, if nobody holds or has woken them meanwhile, and returns those. They are due
     * again at `nextAt`.
     */
    async skip(
      polls: readonly (PollKey & { readonly nextAt: Instant })[],
      { polledAt, completeUntil }: { readonly polledAt: Instant; readonly completeUntil: Instant },
    ): Promise<readonly PollKey[]> {
      const keys = polls.map(({ projectId, queryId, poll, nextAt }) => ({
        projectId,
        queryId,
        poll,
        nextAt,
      }));
      const { rows } = await sql<PollKey>`
        with skipped as materialized (
          select w.project_id, w.query_id, w.poll, k."nextAt" from earshot.polls w
          join json_to_recordset(${storableJson(keys)}::json)
            as k("projectId" text, "queryId" text, poll text, "nextAt" double precision) on ${isKeyOf}
          where ${maySkip(polledAt)}
          ${IN_ONE_ORDER})
        update earshot.polls w
        set complete_until = ${completeFrom(polledAt, completeUntil)}, polled_at = ${at(polledAt)},
          next_at = to_timestamp(p."nextAt" / 1000)
        from skipped p where (w.project_id, w.query_id, w.poll) = (p.project_id, p.query_id, p.poll) and ${withoutSync}
        returning w.project_id as "projectId", w.query_id as "queryId", w.poll
      `.execute(db);
      return rows;
    },

    /** Makes every poll due now: a replay has ended and must read everything. */
    async hurry(now: Instant): Promise<void> {
      await sql`update earshot.polls set next_at = least(next_at, ${at(now)})`.execute(db);
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
        from json_to_recordset(${storableJson(queries)}::json) as q("projectId" text, "queryId" text)
        left join earshot.polls w on w.project_id = "projectId" and w.query_id = "queryId" and w.poll = 'added'
      `.execute(db);
      return rows[0]?.until ?? null;
    },
  };
}

/** A poll that is due, and what its last one has read. */
export interface ReadPoll extends PollKey {
  readonly revision: string;
  readonly readAt: Instant;
  readonly version: string | null;
}

/** A poll that is due and free, and has nothing to do but read what was written since. */
function maySkip(now: Instant) {
  return sql`w.next_at <= ${at(now)} and not w.woken and w.failures = 0 and w.reread_from is null
    and (w.leased_until_wall is null or w.leased_until_wall < now()) and w.state -> 'read' is not null
    and coalesce(jsonb_typeof(w.state -> 'running'), 'null') = 'null'
    and coalesce(jsonb_typeof(w.state -> 'gap'), 'null') = 'null'`;
}

/** Never back; but a clock that was ahead has claimed what had not happened yet. */
function completeFrom(polledAt: Instant, completeUntil: Instant | null) {
  return sql`greatest(case when complete_until <= ${at(polledAt + JUDGED_AHEAD_MS)} then complete_until end,
    ${atOrNull(completeUntil)})`;
}

/** Polls of a source that are due and free, the longest due first. */
export function pollsDue(now: Instant, limit: number, source: SourceName) {
  return sql<PollKey>`
    select w.project_id as "projectId", w.query_id as "queryId", w.poll
    from earshot.polls w join earshot.queries q using (project_id, query_id)
    where q.active and ${isDueAt(now)} and ${isOfSource(source, "w")}
      and (w.leased_until_wall is null or w.leased_until_wall < now())
      and (w.retry_at_wall is null or w.retry_at_wall <= now())
      and (w.planned_until_wall is null or w.planned_until_wall < now())
    order by w.next_at limit ${limit}`;
}

/**
 * Queries with closed buckets that are not evaluated yet, those that a clock ahead of ours has judged too far, and
 * unwatched ones with open alerts or incidents.
 */
export function windowsDue(bucketMs: number, now: Instant) {
  return sql<{ projectId: string; queryId: string }>`
    select w.project_id as "projectId", w.query_id as "queryId"
    from earshot.polls w join earshot.queries q using (project_id, query_id)
    where q.active and w.poll = 'added'
      and (w.complete_until >= q.ticked_until + make_interval(secs => ${bucketMs / 1000})
        or q.ticked_until > ${at(now + JUDGED_AHEAD_MS)} and w.complete_until <= ${at(now)})
    union
    select l.project_id, l.query_id from earshot.latest_alerts l join earshot.queries q using (project_id, query_id)
    where l.open and not q.active and q.query_id <> ${OWN_QUERY.queryId}
    union
    select i.project_id, i.query_id from earshot.incidents i join earshot.queries q using (project_id, query_id)
    where i.ended_at is null and not q.active`;
}

/** A poll that this worker holds: only it can commit a page of the poll while the lease lives. */
interface ClaimedPoll {
  readonly lease: string;
  /** As `ingest/watermark.ts` returned it; null before the first page. */
  readonly state: unknown;
  readonly failures: number;
  /** It begins here at the latest; null: where its state says. */
  readonly rereadFrom: Instant | null;
}

/** Leases of polls: one worker at a time takes a poll, advances it page by page, and gives it back. */
function createPollLeaseStore(db: Db) {
  /** Takes those that are due and free: thousands, if groups of the account name them. */
  const claimAll = async (
    keys: readonly PollKey[],
    now: Instant,
  ): Promise<readonly (ClaimedPoll & PollKey)[]> => {
    const { rows } = await sql<ClaimedPoll & PollKey>`
      with free as materialized (
        select w.project_id, w.query_id, w.poll from earshot.polls w join ${keysAsRows(keys)} on ${isKeyOf}
        where ${isDueAt(now)} and (w.leased_until_wall is null or w.leased_until_wall < now())
          and (w.retry_at_wall is null or w.retry_at_wall <= now())
        ${IN_ONE_ORDER})
      update earshot.polls w
      set lease = gen_random_uuid(), leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS}), woken = false
      from free where (w.project_id, w.query_id, w.poll) = (free.project_id, free.query_id, free.poll)
        and ${withoutSync}
      returning w.project_id as "projectId", w.query_id as "queryId", w.poll, w.lease, w.state, w.failures,
        w.reread_from as "rereadFrom"
    `.execute(db);
    return rows;
  };
  return {
    /** Takes the poll if it is due and free. Null: another worker has it, or it is not due. */
    claim: async (key: PollKey, now: Instant): Promise<ClaimedPoll | null> =>
      (await claimAll([key], now))[0] ?? null,

    claimAll,

    /** Keeps leases alive during a long call. */
    async renew(held: readonly { readonly key: PollKey; readonly lease: string }[]): Promise<void> {
      const leases = new Map(held.map(({ key, lease }) => [key, lease]));
      await sql`
        with held as materialized (
          select w.project_id, w.query_id, w.poll from earshot.polls w join ${keysAsRows([...leases.keys()])} on ${isKeyOf}
          where w.lease = any(${[...leases.values()]}::uuid[])
          ${IN_ONE_ORDER})
        update earshot.polls w set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        from held where (w.project_id, w.query_id, w.poll) = (held.project_id, held.query_id, held.poll)
          and ${withoutSync}
      `.execute(db);
    },

    /** Part of the page's transaction: the poll moves only if the lease is still ours. */
    async advance(key: PollKey, lease: string, state: unknown): Promise<void> {
      const { numAffectedRows } = await sql`
        update earshot.polls
        set state = ${storableJson(state)}::jsonb, failures = 0, last_error = null, retry_at_wall = null,
          leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
      if (numAffectedRows !== 1n)
        throw new TransientError("LeaseLost", `the poll ${key.poll} of query ${key.queryId} was taken over`);
    },

    /** The poll ended: it is complete up to `completeUntil`, and due again at `nextAt`, or at once if it was woken. */
    async finish(
      key: PollKey,
      lease: string,
      end: {
        completeUntil: Instant | null;
        polledAt: Instant;
        nextAt: Instant;
        /** As it was claimed: what was asked for since is still to be done. */
        rereadFrom?: Instant | null;
      },
    ): Promise<void> {
      await sql`
        update earshot.polls
        set complete_until = ${completeFrom(end.polledAt, end.completeUntil)}, polled_at = ${at(end.polledAt)},
          next_at = case when woken then ${at(end.polledAt)} else ${at(end.nextAt)} end, lease = null, leased_until_wall = null, planned_until_wall = null,
          own_call = false,
          reread_from = case when reread_from is distinct from ${atOrNull(end.rereadFrom ?? null)}
            then reread_from end
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** The poll failed: committed pages stay, and it is retried after `retryAfterMs` of wall time. */
    async fail(
      key: PollKey,
      lease: string,
      error: string,
      retryAfterMs: number,
      carried: CarriedCounts | null = null,
    ): Promise<void> {
      await sql`
        update earshot.polls
        set ${withCarried(carried)} failures = failures + 1, last_error = ${error}, lease = null, leased_until_wall = null,
          planned_until_wall = null,
          retry_at_wall = now() + make_interval(secs => ${retryAfterMs / 1000})
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** No call could be made: it is retried after `retryAfterMs`, and does not count as failed. */
    async postpone(
      key: PollKey,
      lease: string,
      retryAfterMs: number,
      carried: CarriedCounts | null = null,
    ): Promise<void> {
      await sql`
        update earshot.polls
        set ${withCarried(carried)} lease = null, leased_until_wall = null, planned_until_wall = null,
          retry_at_wall = now() + make_interval(secs => ${retryAfterMs / 1000})
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
    },
  };
}

/** What the poll has stored so far becomes part of its state, if it stored anything. */
function withCarried(carried: CarriedCounts | null) {
  return carried === null
    ? sql``
    : sql`state = jsonb_set(state, '{carried}', ${storableJson(carried)}::jsonb),`;
}

function isPollKind(key: PollKey) {
  return sql`project_id = ${key.projectId} and query_id = ${key.queryId} and poll = ${key.poll}`;
}
