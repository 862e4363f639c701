import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { StoredToken } from "../model/access-token.ts";
import { at, type Db } from "./database.ts";

/** Tokens with which programs use the console. */
export function createAccessTokenStore(db: Db) {
  return {
    async add(
      token: Omit<StoredToken, "usedAt" | "usedFrom"> & { readonly secretHash: Buffer },
    ): Promise<void> {
      const { id, secretHash, nameKey, label, scope, createdAt, until } = token;
      await sql`
        insert into earshot.access_tokens (id, secret_hash, name_key, label, scope, created_at, until)
        values (${id}::uuid, ${secretHash}, ${nameKey}, ${label}, ${scope}, ${at(createdAt)}, ${at(until)})
      `.execute(db);
    },

    /** Null: there is none, or it has ended. */
    async find(secretHash: Buffer, now: Instant): Promise<StoredToken | null> {
      const { rows } = await sql<StoredToken>`
        select ${COLUMNS} from earshot.access_tokens
        where secret_hash = ${secretHash} and ended_at is null and until > ${at(now)}
      `.execute(db);
      return rows[0] ?? null;
    },

    async noteUse(id: string, address: string, now: Instant): Promise<void> {
      await sql`
        update earshot.access_tokens set used_at = ${at(now)}, used_from = ${address} where id = ${id}::uuid
      `.execute(db);
    },

    /** Those that have not ended, of a user or of all; the newest first. */
    async list(nameKey: string | null, now: Instant): Promise<StoredToken[]> {
      const { rows } = await sql<StoredToken>`
        select ${COLUMNS} from earshot.access_tokens
        where ended_at is null and until > ${at(now)} and (${nameKey}::text is null or name_key = ${nameKey})
        order by created_at desc, id limit 1000
      `.execute(db);
      return rows;
    },

    /** Ends one of a user, or of anybody. False: there is no such token, or it has ended. */
    async end(id: string, nameKey: string | null, now: Instant): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.access_tokens set ended_at = ${at(now)}
        where id = ${id}::uuid and ended_at is null and (${nameKey}::text is null or name_key = ${nameKey})
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },
  };
}

const COLUMNS = sql`id, name_key as "nameKey", label, scope, created_at as "createdAt", until, used_at as "usedAt",
  used_from as "usedFrom"`;
