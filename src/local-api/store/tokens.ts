import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Token life is not domain time: it is counted by the database's own clock, the same for all server processes. */
export async function insertToken(
  db: Database,
  token: { hash: Buffer; userId: number; clientId: number; lifetimeSeconds: number },
): Promise<void> {
  await sql`delete from local_api.token where user_id = ${token.userId} and expires_at <= now()`.execute(db);
  await sql`
    insert into local_api.token (hash, user_id, client_id, expires_at)
    values (${token.hash}, ${token.userId}, ${token.clientId},
      now() + ${token.lifetimeSeconds}::double precision * interval '1 second')`.execute(db);
}

/** Which tokens: all that fit every given field. At least one has to be given. */
export type TokenSelection =
  | { readonly hash: Buffer }
  | { readonly userId: number; readonly clientId?: number }
  | { readonly clientId: number };

/** Takes tokens back at once, in every server process. Gives how many there were. */
export async function revokeTokens(db: Database, selection: TokenSelection): Promise<number> {
  const hash = "hash" in selection ? selection.hash : null;
  const userId = "userId" in selection ? selection.userId : null;
  const clientId = "clientId" in selection ? (selection.clientId ?? null) : null;
  if (hash === null && userId === null && clientId === null) return 0;
  const { numAffectedRows } = await sql`
    delete from local_api.token
    where (${hash}::bytea is null or hash = ${hash}::bytea)
      and (${userId}::bigint is null or user_id = ${userId}::bigint)
      and (${clientId}::bigint is null or client_id = ${clientId}::bigint)`.execute(db);
  return Number(numAffectedRows ?? 0);
}
