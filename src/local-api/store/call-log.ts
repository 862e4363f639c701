import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

/**
 * Notes one call of a client and gives the number of its calls in the rolling period that ends now, this one
 * included. One caller at a time per client, so that two processes cannot both take the last call.
 */
export async function recordCall(
  db: Database,
  call: { clientId: number; at: Instant; periodMs: number },
): Promise<number> {
  const since = new Date(call.at - call.periodMs);
  return db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(${CALL_LOCK}, ${call.clientId}::integer)`.execute(transaction);
    await sql`
      delete from local_api.api_call where client_id = ${call.clientId} and called_at <= ${since}`.execute(
      transaction,
    );
    await sql`
      insert into local_api.api_call (client_id, called_at)
      values (${call.clientId}, ${new Date(call.at)})`.execute(transaction);
    const { rows } = await sql<{ used: string }>`
      select count(*) as used from local_api.api_call where client_id = ${call.clientId}`.execute(
      transaction,
    );
    return Number(rows[0]?.used ?? 0);
  });
}

/** Any number that no other lock of this kind uses. */
const CALL_LOCK = 4_178;
