import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { at, type Db } from "./database.ts";

interface StoredSecondFactor {
  readonly sealed: Buffer;
  readonly confirmedAt: Instant | null;
  /** Recovery codes that are left. */
  readonly recoveryLeft: number;
}

/** The second factor of users: an app that knows a secret, and codes on paper for when it is lost. */
export function createSecondFactorStore(db: Db) {
  return {
    /** Null: there is none, not even one that is not confirmed. */
    async find(nameKey: string): Promise<StoredSecondFactor | null> {
      const { rows } = await sql<StoredSecondFactor>`
        select sealed, confirmed_at as "confirmedAt", cardinality(recovery) as "recoveryLeft"
        from earshot.second_factors where name_key = ${nameKey}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** The keys of the names that have one. */
    async list(): Promise<string[]> {
      const { rows } = await sql<{ nameKey: string }>`
        select name_key as "nameKey" from earshot.second_factors where confirmed_at is not null
      `.execute(db);
      return rows.map(({ nameKey }) => nameKey);
    },

    /** A new secret in the place of one that was never confirmed. False: there is a confirmed one. */
    async begin(nameKey: string, sealed: Buffer): Promise<boolean> {
      const { numAffectedRows } = await sql`
        insert into earshot.second_factors (name_key, sealed) values (${nameKey}, ${sealed})
        on conflict (name_key) do update set sealed = excluded.sealed, last_step = 0
        where second_factors.confirmed_at is null
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    async confirm(nameKey: string, recovery: readonly Buffer[], now: Instant): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.second_factors set confirmed_at = ${at(now)}, recovery = ${recovery}::bytea[]
        where name_key = ${nameKey} and confirmed_at is null
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** Uses the code of a step. False: this one, or a later one, was used before. */
    async useStep(nameKey: string, step: number): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.second_factors set last_step = ${step}, tries = 0
        where name_key = ${nameKey} and last_step < ${step}
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** Uses a recovery code. False: there is no such code, or it was used. */
    async useRecovery(nameKey: string, hash: Buffer): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.second_factors set recovery = array_remove(recovery, ${hash}::bytea), tries = 0
        where name_key = ${nameKey} and confirmed_at is not null and ${hash}::bytea = any(recovery)
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /**
     * Counts a try before it is made, so that many at once are no more than `most` since that moment. False: it was the
     * last. A right code begins anew.
     */
    async takeTry(
      nameKey: string,
      { since, most }: { since: Instant; most: number },
      now: Instant,
    ): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.second_factors set
          tries = case when tries_since <= ${at(since)} then 1 else tries + 1 end,
          tries_since = case when tries_since <= ${at(since)} then ${at(now)} else tries_since end
        where name_key = ${nameKey} and (tries_since <= ${at(since)} or tries < ${most})
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** False: there was none. */
    async end(nameKey: string): Promise<boolean> {
      const { numAffectedRows } = await sql`
        delete from earshot.second_factors where name_key = ${nameKey}
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },
  };
}
