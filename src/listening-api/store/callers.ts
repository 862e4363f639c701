import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import {
  type ClientRow,
  type StoredClient,
  type StoredUser,
  toClient,
  toUser,
  type UserRow,
} from "./accounts.ts";
import type { Database } from "./database.ts";

/** The login and client of a token. */
export interface Caller {
  readonly user: StoredUser;
  readonly client: StoredClient;
  readonly role: string;
}

/** The caller of a token: undefined once it is expired or revoked or its user has left the client. */
export async function findCaller(db: Database, tokenHash: Buffer): Promise<Caller | undefined> {
  const { rows } = await sql<UserRow & ClientRow & { role: string }>`
    select u.id, u.username, u.password_hash, u.first_name, u.last_name, u.created_at,
      u.token_lifetime_seconds, u.rate_limit, m.role, c.id as client_id, c.name as client_name, c.tags, c.details,
      c.created_at as client_created_at
    from local_api.token t
    join local_api.api_user u on u.id = t.user_id
    join local_api.client c on c.id = t.client_id
    join local_api.membership m on m.user_id = u.id and m.client_id = c.id
    where t.hash = ${tokenHash} and t.expires_at > now()`.execute(db);
  const row = rows[0];
  return row && { user: toUser(row), client: toClient(row), role: row.role };
}

/** Whose calls are counted. */
export interface Budget {
  readonly of: "client" | "login";
  readonly id: number;
}

const COUNTED = {
  client: { record: "record_call", calls: "api_call", column: "client_id" },
  login: { record: "record_login_call", calls: "login_call", column: "user_id" },
} as const;

interface CountedCall {
  readonly at: Instant | undefined;
  readonly periodMs: number;
}

/**
 * Notes one call. Gives the number of calls in the rolling period that ends with this one, exact up to `countTo`. `at` is
 * undefined where the wall's time counts: then the database's clock says when, the same for all server processes. The
 * function `record_call` of the schema says why no call is ever one too many.
 */
export async function recordCall(
  db: Database,
  { of, id }: Budget,
  call: CountedCall & { readonly countTo: number },
): Promise<number> {
  const at = call.at === undefined ? null : new Date(call.at);
  const { rows } = await sql<{ used: string }>`
    select ${sql.id("local_api", COUNTED[of].record)}(${id}::bigint, ${at}::timestamptz,
      ${call.periodMs}::double precision * interval '1 millisecond', ${call.countTo}::integer) as used
  `.execute(db);
  return Number(rows[0]?.used ?? 0);
}

/** How long until another call is within the limit, in milliseconds, if nobody calls meanwhile. */
export async function untilFewerCalls(
  db: Database,
  { of, id }: Budget,
  call: CountedCall & { readonly limit: number },
): Promise<number> {
  const at = call.at === undefined ? sql`clock_timestamp()` : sql`${new Date(call.at)}::timestamptz`;
  const { calls, column } = COUNTED[of];
  const { rows } = await sql<{ wait: number | null }>`
    select extract(epoch from called_at - ${at})::double precision * 1000 + ${call.periodMs}::double precision as wait
    from ${sql.id("local_api", calls)} where ${sql.id(column)} = ${id}
    order by called_at desc offset ${Math.max(0, call.limit - 1)} limit 1`.execute(db);
  return rows[0]?.wait ?? 0;
}
