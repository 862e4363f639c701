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
type TokenSelection =
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

/** What attempts are counted for: a login name, an address. */
interface AttemptSubject {
  readonly hash: Buffer;
  /** Attempts in the window that may have failed before the next one has to wait. */
  readonly allowed: number;
}

type AttemptOutcome =
  | { readonly kind: "may-try"; readonly attemptIds: readonly string[] }
  | { readonly kind: "has-to-wait"; readonly seconds: number };

/**
 * Takes one attempt for every subject, or none. Attempts count from their beginning, so that many at once count each
 * other; `forgetAttempts` returns a successful one.
 */
export async function beginAttempt(
  db: Database,
  subjects: readonly AttemptSubject[],
  windowSeconds: number,
): Promise<AttemptOutcome> {
  // Always in the same order, so that two attempts cannot wait for each other.
  const inOrder = [...subjects].sort((a, b) => Buffer.compare(a.hash, b.hash));
  return db.transaction().execute(async (transaction) => {
    let seconds = 0;
    for (const { hash, allowed } of inOrder) {
      await sql`select pg_advisory_xact_lock(hashtextextended(encode(${hash}::bytea, 'hex'), ${LOCK}))
      `.execute(transaction);
      const { rows } = await sql<{ seconds: number }>`
        select ceil(extract(epoch from attempted_at - clock_timestamp()) + ${windowSeconds})::integer as seconds
        from local_api.login_attempt
        where subject = ${hash} and attempted_at > clock_timestamp() - ${windowSeconds} * interval '1 second'
        order by attempted_at desc offset ${allowed - 1} limit 1`.execute(transaction);
      seconds = Math.max(seconds, rows[0]?.seconds ?? 0);
    }
    if (seconds > 0) return { kind: "has-to-wait", seconds };
    const { rows } = await sql<{ id: string }>`
      insert into local_api.login_attempt (subject)
      select unnest(${inOrder.map(({ hash }) => hash)}::bytea[]) returning id`.execute(transaction);
    return { kind: "may-try", attemptIds: rows.map((row) => row.id) };
  });
}

/** After a login that succeeded: gives its own attempts back, and forgets all of the login name. */
export async function forgetAttempts(
  db: Database,
  attemptIds: readonly string[],
  loginName: Buffer,
): Promise<void> {
  await sql`
    delete from local_api.login_attempt where id = any(${attemptIds}::bigint[]) or subject = ${loginName}
  `.execute(db);
}

/** Deletes attempts outside every window. Skips rows that others are deleting. */
export async function pruneAttempts(db: Database, windowSeconds: number): Promise<void> {
  await sql`
    delete from local_api.login_attempt where id in (
      select id from local_api.login_attempt
      where attempted_at < clock_timestamp() - ${windowSeconds} * interval '1 second'
      order by attempted_at limit 1000 for update skip locked)`.execute(db);
}

/** Any number that no other lock of this kind uses. */
const LOCK = 4_179;
