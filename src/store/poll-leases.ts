import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { PollKey } from "../model/poll.ts";
import { at, atOrNull, type Db } from "./database.ts";

/** A poll that this worker holds: only it can commit a page of the poll while the lease lives. */
export interface ClaimedPoll {
  readonly lease: string;
  /** As `ingest/watermark.ts` returned it; null before the first page. */
  readonly state: unknown;
  readonly failures: number;
}

/** Thrown when a page is committed under a lease that another worker has taken over. */
class LeaseLostError extends Error {
  override readonly name = "LeaseLostError";
  /** The new holder continues from what is committed; there is nothing to retry. */
  readonly retryable = false;
  /** The page itself is not at fault. */
  readonly isTransient = true;
}

/** If the worker dies, the poll is free again after this. Renewed with every page and by a timer during long calls. */
const LEASE_SECONDS = 8;

/** Leases of polls: one worker at a time takes a poll, advances it page by page, and gives it back. */
export function createPollLeaseStore(db: Db) {
  return {
    /** Takes the poll if it is due and free. Null: another worker has it, or it is not due. */
    async claim(key: PollKey, now: Instant): Promise<ClaimedPoll | null> {
      const { rows } = await sql<ClaimedPoll>`
        update earshot.polls
        set lease = gen_random_uuid(), leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isPollKind(key)} and next_at <= ${at(now)}
          and (leased_until_wall is null or leased_until_wall < now())
          and (retry_at_wall is null or retry_at_wall <= now())
        returning lease, state, failures
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Keeps the lease alive during a long call. */
    async renew(key: PollKey, lease: string): Promise<void> {
      await sql`
        update earshot.polls set leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** Part of the page's transaction: the poll moves only if the lease is still ours. */
    async advance(key: PollKey, lease: string, state: unknown): Promise<void> {
      const { numAffectedRows } = await sql`
        update earshot.polls
        set state = ${JSON.stringify(state)}::jsonb, failures = 0, last_error = null, retry_at_wall = null,
          leased_until_wall = now() + make_interval(secs => ${LEASE_SECONDS})
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
      if (numAffectedRows !== 1n)
        throw new LeaseLostError(`the poll ${key.poll} of query ${key.queryId} was taken over`);
    },

    /** The poll ended: it is complete up to `completeUntil` and due again at `nextAt`. */
    async finish(
      key: PollKey,
      lease: string,
      end: { completeUntil: Instant | null; polledAt: Instant; nextAt: Instant },
    ): Promise<void> {
      await sql`
        update earshot.polls
        set complete_until = greatest(complete_until, ${atOrNull(end.completeUntil)}), polled_at = ${at(end.polledAt)},
          next_at = ${at(end.nextAt)}, lease = null, leased_until_wall = null, planned_until_wall = null,
          own_call = false
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** The poll failed: committed pages stay, and it is retried after `retryAfterMs` of wall time. */
    async fail(key: PollKey, lease: string, error: string, retryAfterMs: number): Promise<void> {
      await sql`
        update earshot.polls
        set failures = failures + 1, last_error = ${error}, lease = null, leased_until_wall = null,
          planned_until_wall = null,
          retry_at_wall = now() + make_interval(secs => ${retryAfterMs / 1000})
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
    },

    /** No call could be made: it is retried after `retryAfterMs`, and does not count as failed. */
    async postpone(key: PollKey, lease: string, retryAfterMs: number): Promise<void> {
      await sql`
        update earshot.polls
        set lease = null, leased_until_wall = null, planned_until_wall = null,
          retry_at_wall = now() + make_interval(secs => ${retryAfterMs / 1000})
        where ${isPollKind(key)} and lease = ${lease}::uuid
      `.execute(db);
    },
  };
}

function isPollKind(key: PollKey) {
  return sql`project_id = ${key.projectId} and query_id = ${key.queryId} and poll = ${key.poll}`;
}
