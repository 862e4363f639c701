import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { at, type Db } from "./database.ts";

/** The token of one account at the source, shared by every worker. */
export function createTokenStore(db: Db, account: string) {
  return {
    async get(): Promise<{ token: string; expiresAt: Instant } | null> {
      const { rows } = await sql<{ token: string; expiresAt: Instant }>`
        select token, expires_at as "expiresAt" from earshot.tokens where account = ${account}
      `.execute(db);
      return rows[0] ?? null;
    },

    async put(token: { token: string; expiresAt: Instant }): Promise<void> {
      await sql`
        insert into earshot.tokens (account, token, expires_at) values (${account}, ${token.token}, ${at(token.expiresAt)})
        on conflict (account) do update set token = excluded.token, expires_at = excluded.expires_at
      `.execute(db);
    },

    /** Deletes exactly this token: another worker may have stored a newer one. */
    async remove(token: string): Promise<void> {
      await sql`delete from earshot.tokens where account = ${account} and token = ${token}`.execute(db);
    },

    /** One process at a time logs in. The database's lock ends with its connection, also when that breaks. */
    exclusively: <T>(work: () => Promise<T>): Promise<T> =>
      db.connection().execute(async (connection) => {
        const key = sql`hashtext(${`earshot-login ${account}`})`;
        await sql`select pg_advisory_lock(${key})`.execute(connection);
        try {
          return await work();
        } finally {
          await sql`select pg_advisory_unlock(${key})`.execute(connection);
        }
      }),
  };
}
