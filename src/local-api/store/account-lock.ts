import { sql } from "kysely";
import type { Database } from "./database.ts";

/** Any number that no other lock uses: one apply at a time, until the end of its transaction. */
const APPLY_LOCK = 4_178_303;

export async function accountLock(transaction: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock(${APPLY_LOCK})`.execute(transaction);
}
