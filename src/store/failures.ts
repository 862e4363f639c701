import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { Failure, FailureKind, NotedFailure, Outage } from "../model/failure.ts";
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
