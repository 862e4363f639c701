import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

/**
 * Notes one call of a client and gives the number of its calls in the rolling period that ends with it, this one
 * included. `at` is undefined where the wall's time counts: then the database's clock, the same for all server
 * processes, says when. It is exact up to `countTo`, where it ends. See `record_call` in migration 030 for why no call
 * is ever one too many.
 */
export async function recordCall(
  db: Database,
  call: { clientId: number; at: Instant | undefined; periodMs: number; countTo: number },
): Promise<number> {
  const at = call.at === undefined ? null : new Date(call.at);
  const { rows } = await sql<{ used: string }>`
    select local_api.record_call(${call.clientId}::bigint, ${at}::timestamptz,
      ${call.periodMs}::double precision * interval '1 millisecond', ${call.countTo}::integer) as used`.execute(
    db,
  );
  return Number(rows[0]?.used ?? 0);
}
