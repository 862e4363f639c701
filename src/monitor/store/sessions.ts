import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { StoredSession } from "../model/session.ts";
import { at, type Db } from "./database.ts";

/** Logins of the console. All processes see them, also after a restart. */
export function createSessionStore(db: Db) {
  return {
    async open(session: StoredSession & { readonly secretHash: Buffer }): Promise<void> {
      const { id, secretHash, nameKey, credential, openedAt, until, address, agent } = session;
      // What has long expired is no longer looked at by anybody.
      await sql`delete from earshot.sessions where until < ${at(openedAt)}::timestamptz - interval '30 days'
      `.execute(db);
      await sql`
        insert into earshot.sessions
          (id, secret_hash, name_key, credential, opened_at, seen_at, until, address, agent)
        values (${id}::uuid, ${secretHash}, ${nameKey}, ${credential}, ${at(openedAt)}, ${at(openedAt)}, ${at(until)},
          ${address}, ${agent})
      `.execute(db);
    },

    /** The session of a cookie. Null: there is none, or it has ended. */
    async find(secretHash: Buffer, now: Instant): Promise<StoredSession | null> {
      const { rows } = await sql<StoredSession>`
        select ${COLUMNS} from earshot.sessions
        where secret_hash = ${secretHash} and ended_at is null and until > ${at(now)}
      `.execute(db);
      return rows[0] ?? null;
    },

    async isOpen(id: string, now: Instant): Promise<boolean> {
      const { rows } = await sql`
        select 1 from earshot.sessions where id = ${id}::uuid and ended_at is null and until > ${at(now)}
      `.execute(db);
      return rows.length > 0;
    },

    async sawAt(id: string, address: string, now: Instant): Promise<void> {
      await sql`
        update earshot.sessions set seen_at = ${at(now)}, address = ${address} where id = ${id}::uuid
      `.execute(db);
    },

    /** The open ones of a user, or of all; those that were used last come first. */
    async list(nameKey: string | null, now: Instant): Promise<StoredSession[]> {
      const { rows } = await sql<StoredSession>`
        select ${COLUMNS} from earshot.sessions
        where ended_at is null and until > ${at(now)} and (${nameKey}::text is null or name_key = ${nameKey})
        order by seen_at desc, id limit 500
      `.execute(db);
      return rows;
    },

    /** Ends one of a user, or of anybody. False: there is no such open session. */
    async end(id: string, nameKey: string | null, now: Instant): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.sessions set ended_at = ${at(now)}
        where id = ${id}::uuid and ended_at is null and (${nameKey}::text is null or name_key = ${nameKey})
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** Ends all of a user, or all but one. Returns how many. */
    async endAll(nameKey: string, now: Instant, except: string | null = null): Promise<number> {
      const { numAffectedRows } = await sql`
        update earshot.sessions set ended_at = ${at(now)}
        where name_key = ${nameKey} and ended_at is null and until > ${at(now)}
          and (${except}::uuid is null or id <> ${except}::uuid)
      `.execute(db);
      return Number(numAffectedRows ?? 0);
    },
  };
}

const COLUMNS = sql`id, name_key as "nameKey", credential, opened_at as "openedAt", seen_at as "seenAt", until, address, agent`;
