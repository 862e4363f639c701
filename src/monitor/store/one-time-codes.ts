import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { at, type Db } from "./database.ts";

/** What a link or a code is for. */
type CodePurpose = "invitation" | "slack";

/** Links and codes that work once, for one user. */
export function createOneTimeCodeStore(db: Db) {
  return {
    /** Those of before, for the same user and purpose, work no more. */
    async add(code: {
      readonly secretHash: Buffer;
      readonly purpose: CodePurpose;
      readonly nameKey: string;
      readonly until: Instant;
    }): Promise<void> {
      const { secretHash, purpose, nameKey, until } = code;
      await sql`
        delete from earshot.one_time_codes where name_key = ${nameKey} and purpose = ${purpose}
      `.execute(db);
      await sql`
        insert into earshot.one_time_codes (secret_hash, purpose, name_key, until)
        values (${secretHash}, ${purpose}, ${nameKey}, ${at(until)})
      `.execute(db);
    },

    /** Whose it is. Null: there is none, it was used, or its time is over. */
    async find(purpose: CodePurpose, secretHash: Buffer, now: Instant): Promise<string | null> {
      const { rows } = await sql<{ nameKey: string }>`
        select name_key as "nameKey" from earshot.one_time_codes
        where secret_hash = ${secretHash} and purpose = ${purpose} and used_at is null and until > ${at(now)}
      `.execute(db);
      return rows[0]?.nameKey ?? null;
    },

    /** The same, and it works no more. Of two who use it at once, one gets it. */
    async use(purpose: CodePurpose, secretHash: Buffer, now: Instant): Promise<string | null> {
      const { rows } = await sql<{ nameKey: string }>`
        update earshot.one_time_codes set used_at = ${at(now)}
        where secret_hash = ${secretHash} and purpose = ${purpose} and used_at is null and until > ${at(now)}
        returning name_key as "nameKey"
      `.execute(db);
      return rows[0]?.nameKey ?? null;
    },

    /** The users with one that is not used and not over, and until when. */
    async open(purpose: CodePurpose, now: Instant): Promise<{ nameKey: string; until: Instant }[]> {
      const { rows } = await sql<{ nameKey: string; until: Instant }>`
        select name_key as "nameKey", until from earshot.one_time_codes
        where purpose = ${purpose} and used_at is null and until > ${at(now)}
      `.execute(db);
      return rows;
    },

    async endAll(purpose: CodePurpose, nameKey: string): Promise<void> {
      await sql`
        delete from earshot.one_time_codes where name_key = ${nameKey} and purpose = ${purpose}
      `.execute(db);
    },
  };
}
