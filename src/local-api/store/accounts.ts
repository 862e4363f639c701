import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

export interface StoredClient {
  readonly id: number;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly createdAt: Instant;
}

export interface StoredUser {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly createdAt: Instant;
}

export interface Membership {
  readonly clientId: number;
  readonly role: string;
}

/** Who a token speaks for. */
export interface Caller {
  readonly user: StoredUser;
  readonly client: StoredClient;
  readonly role: string;
}

export async function findUser(db: Database, username: string): Promise<StoredUser | undefined> {
  const { rows } = await sql<UserRow>`
    select id, username, password_hash, first_name, last_name, created_at
    from local_api.api_user where username = ${username}`.execute(db);
  return rows[0] && toUser(rows[0]);
}

export async function listMemberships(db: Database, userId: number): Promise<Membership[]> {
  const { rows } = await sql<{ client_id: string; role: string }>`
    select client_id, role from local_api.membership where user_id = ${userId} order by client_id`.execute(
    db,
  );
  return rows.map((row) => ({ clientId: Number(row.client_id), role: row.role }));
}

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

export async function findCaller(db: Database, tokenHash: Buffer): Promise<Caller | undefined> {
  const { rows } = await sql<UserRow & ClientRow & { role: string }>`
    select u.id, u.username, u.password_hash, u.first_name, u.last_name, u.created_at, m.role,
      c.id as client_id, c.name as client_name, c.tags, c.created_at as client_created_at
    from local_api.token t
    join local_api.api_user u on u.id = t.user_id
    join local_api.client c on c.id = t.client_id
    join local_api.membership m on m.user_id = u.id and m.client_id = c.id
    where t.hash = ${tokenHash} and t.expires_at > now()`.execute(db);
  const row = rows[0];
  return row && { user: toUser(row), client: toClient(row), role: row.role };
}

/** Creates the client or replaces the tags of the one with that name. */
export async function putClient(
  db: Database,
  client: { name: string; tags: Readonly<Record<string, string>>; createdAt: Instant },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.client (name, tags, created_at)
    values (${client.name}, ${JSON.stringify(client.tags)}::jsonb, ${new Date(client.createdAt)})
    on conflict (name) do update set tags = excluded.tags returning id`.execute(db);
  return Number(rows[0]?.id);
}

/** Creates the login or replaces its password and names. */
export async function putUser(
  db: Database,
  user: Omit<StoredUser, "id"> & { clientId: number; role: string },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.api_user (username, password_hash, first_name, last_name, created_at)
    values (${user.username}, ${user.passwordHash}, ${user.firstName}, ${user.lastName},
      ${new Date(user.createdAt)})
    on conflict (username) do update set password_hash = excluded.password_hash,
      first_name = excluded.first_name, last_name = excluded.last_name
    returning id`.execute(db);
  const id = Number(rows[0]?.id);
  await sql`
    insert into local_api.membership (user_id, client_id, role) values (${id}, ${user.clientId}, ${user.role})
    on conflict (user_id, client_id) do update set role = excluded.role`.execute(db);
  return id;
}

interface UserRow {
  id: string;
  username: string;
  password_hash: string;
  first_name: string;
  last_name: string;
  created_at: Date;
}

interface ClientRow {
  client_id: string;
  client_name: string;
  tags: Record<string, string>;
  client_created_at: Date;
}

function toUser(row: UserRow): StoredUser {
  return {
    id: Number(row.id),
    username: row.username,
    passwordHash: row.password_hash,
    firstName: row.first_name,
    lastName: row.last_name,
    createdAt: row.created_at.getTime(),
  };
}

function toClient(row: ClientRow): StoredClient {
  return {
    id: Number(row.client_id),
    name: row.client_name,
    tags: row.tags,
    createdAt: row.client_created_at.getTime(),
  };
}
