import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { ClientDetails } from "./accounts.ts";
import type { Database } from "./database.ts";

interface ListedClient {
  readonly id: number;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly details: ClientDetails;
}

/** Every client of these tables, without access checks. For commands, not for calls. */
export async function listClients(db: Database): Promise<ListedClient[]> {
  const { rows } = await sql<Omit<ListedClient, "id"> & { id: string }>`
    select id, name, tags, details from local_api.client order by id`.execute(db);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

export async function updateClient(db: Database, { id, name, tags, details }: ListedClient): Promise<void> {
  await sql`
    update local_api.client set name = ${name}, tags = ${storableJson(tags)}::jsonb,
      details = ${storableJson(details)}::jsonb
    where id = ${id}`.execute(db);
}

export interface ListedUser {
  readonly id: number;
  /** The login. */
  readonly name: string;
  readonly firstName: string;
  readonly lastName: string;
  /** Null: as long as the server says. */
  readonly tokenLifetimeSeconds: number | null;
  readonly rateLimit: string | null;
  readonly memberships: readonly {
    readonly clientId: number;
    readonly client: string;
    readonly role: string;
  }[];
}

/** Every login of these tables. For commands, not for calls. */
export async function listUsers(db: Database): Promise<ListedUser[]> {
  const { rows } = await sql<UserRow>`
    select u.id, u.username, u.first_name, u.last_name, u.token_lifetime_seconds, u.rate_limit,
      coalesce((select jsonb_agg(jsonb_build_object('clientId', c.id, 'client', c.name, 'role', m.role) order by c.id)
        from local_api.membership m join local_api.client c on c.id = m.client_id
        where m.user_id = u.id), '[]') as memberships
    from local_api.api_user u order by u.id`.execute(db);
  return rows.map((row) => ({
    id: Number(row.id),
    name: row.username,
    firstName: row.first_name,
    lastName: row.last_name,
    tokenLifetimeSeconds: row.token_lifetime_seconds,
    rateLimit: row.rate_limit,
    memberships: row.memberships,
  }));
}

/** Login names of a client. */
export async function listUsernames(db: Database, clientId: number): Promise<string[]> {
  return (await listMembers(db, clientId)).map(({ username }) => username);
}

interface Member {
  readonly id: number;
  readonly username: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly uiRole: string;
}

/** Logins of a client, by id. */
export async function listMembers(db: Database, clientId: number): Promise<Member[]> {
  const { rows } = await sql<Omit<Member, "id"> & { id: string }>`
    select u.id, u.username, u.first_name as "firstName", u.last_name as "lastName", m.role as "uiRole"
    from local_api.api_user u join local_api.membership m on m.user_id = u.id
    where m.client_id = ${clientId} order by u.id`.execute(db);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

interface UserRow {
  id: string;
  username: string;
  first_name: string;
  last_name: string;
  token_lifetime_seconds: number | null;
  rate_limit: string | null;
  memberships: { clientId: number; client: string; role: string }[];
}
