import { sql } from "kysely";
import type { Database } from "./database.ts";

/** From now on the token is refused. */
export async function revokeToken(db: Database, hash: Buffer): Promise<void> {
  await sql`delete from local_api.token where hash = ${hash}`.execute(db);
}

/** Revokes every token that fits, all of them when neither is given. Gives their number. */
export async function revokeTokens(
  db: Database,
  of: { readonly userId?: number; readonly clientId?: number },
): Promise<number> {
  const { rows } = await sql`
    delete from local_api.token
    where (${of.userId ?? null}::bigint is null or user_id = ${of.userId ?? null})
      and (${of.clientId ?? null}::bigint is null or client_id = ${of.clientId ?? null})
    returning hash`.execute(db);
  return rows.length;
}
