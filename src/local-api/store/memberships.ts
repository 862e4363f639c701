import { sql } from "kysely";
import type { Database } from "./database.ts";
import { revokeTokens } from "./tokens.ts";

export interface Membership {
  readonly clientId: number;
  readonly role: string;
}

/** The clients that a login belongs to, with its role in each. */
export async function listMemberships(db: Database, userId: number): Promise<Membership[]> {
  const { rows } = await sql<{ client_id: string; role: string }>`
    select client_id, role from local_api.membership where user_id = ${userId} order by client_id`.execute(
    db,
  );
  return rows.map((row) => ({ clientId: Number(row.client_id), role: row.role }));
}

/** Gives the login access to the client, or changes its role there. Only Regular and Admin may use the API. */
export async function putMembership(
  db: Database,
  membership: { userId: number; clientId: number; role: string },
): Promise<void> {
  const { userId, clientId, role } = membership;
  await sql`
    insert into local_api.membership (user_id, client_id, role) values (${userId}, ${clientId}, ${role})
    on conflict (user_id, client_id) do update set role = excluded.role`.execute(db);
}

/** Ends the login's access to the client and revokes its tokens there. Returns whether it had access. */
export async function removeMembership(
  db: Database,
  { userId, clientId }: { userId: number; clientId: number },
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from local_api.membership where user_id = ${userId} and client_id = ${clientId}`.execute(db);
  await revokeTokens(db, { userId, clientId });
  return Number(numAffectedRows ?? 0) > 0;
}
