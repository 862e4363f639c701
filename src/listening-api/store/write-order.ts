import { sql } from "kysely";
import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

/**
 * The one order in which mentions of a project are written. A writer holds the row of the project from before its first
 * stamp until its commit, and each stamp is above all earlier ones. So a reader that sees a stamp sees everything below it,
 * and no cursor passes a mention that is still to come. Readers never wait. A writer that dies lets go of the row.
 */

/**
 * A clock that is further behind was set back: a demo or a replay has begun anew, and its order with it. Clocks of machines
 * that are wrong by less lose nothing: stamps go on from the newest one.
 */
const SET_BACK_MS = HOUR;
/** A state that is older is worth less than the certainty that it stays. */
const RECENT_MS = MINUTE;

/** The moment whose state is shown: now, or that of the newest write where writers were faster than the clock. */
export function presentMoment(now: Instant, writtenAt: Instant): Instant {
  return writtenAt > now + SET_BACK_MS ? now : Math.max(now, writtenAt);
}

/** Before every lock on queries: those are taken in the order of their ids by all writers. */
export async function lockWriting(db: Database, projectIds: readonly number[] | "all"): Promise<void> {
  const which = projectIds === "all" ? sql`true` : sql`id = any(${[...projectIds]}::bigint[])`;
  await sql`select from local_api.project where ${which} order by id for no key update`.execute(db);
}

/** Waits for its turn, and gives the moment at which the caller's transaction writes. The clock is read after the wait. */
export async function beginWriting(
  db: Database,
  projectIds: readonly number[],
  now: () => Instant,
): Promise<Instant> {
  await lockWriting(db, projectIds);
  return nextMoment(db, projectIds, now());
}

/** Waits for its turn, if this is the first, and gives a stamp that is above all that went before. */
export async function nextMoment(
  db: Database,
  projectIds: readonly number[],
  now: Instant,
): Promise<Instant> {
  const { rows } = await sql<{ written_at: Date }>`
    with locked as (
      select id, greatest(written_at, promised_at) as last from local_api.project
      where id = any(${[...projectIds]}::bigint[]) order by id for no key update)
    update local_api.project p set written_at = (
      select greatest(${new Date(now)}, max(last) + interval '1 millisecond') from locked
      where last <= ${new Date(now + SET_BACK_MS)})
    from locked where p.id = locked.id returning p.written_at`.execute(db);
  return rows[0]?.written_at.getTime() ?? now;
}

/**
 * A moment whose state stays as it is: everything that is written from now on gets a later one. Now, unless a writer is
 * at work; then the last moment before it, if that was within the last minute. Never waits.
 */
export async function settledMoment(db: Database, projectId: number, now: Instant): Promise<Instant> {
  const { rows } = await sql<{ at: Date }>`
    with free as (
      select id, written_at from local_api.project where id = ${projectId} for no key update skip locked),
    promised as (
      update local_api.project p set promised_at = ${new Date(now)} from free
      where p.id = free.id and free.written_at < ${new Date(now)} and p.promised_at < ${new Date(now)})
    select case when exists (select from free) then ${new Date(now)}::timestamptz
      when written_at between ${new Date(now - RECENT_MS)} and ${new Date(now)} then written_at
      else ${new Date(now)}::timestamptz end as at
    from local_api.project where id = ${projectId}`.execute(db);
  return rows[0]?.at.getTime() ?? now;
}

/** The projects of queries. */
export async function projectsOfQueries(
  db: Database,
  queryIds: readonly number[],
): Promise<readonly number[]> {
  const { rows } = await sql<{ project_id: string }>`
    select distinct project_id from local_api.query where id = any(${[...new Set(queryIds)]}::bigint[])
  `.execute(db);
  return rows.map((row) => Number(row.project_id));
}
