import { sql } from "kysely";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Database } from "./database.ts";
import { revokeTokens } from "./logins.ts";

export interface StoredClient {
  readonly id: number;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Fields of the client record that somebody has set, such as `website` or `contactName`. */
  readonly details: ClientDetails;
  readonly createdAt: Instant;
}

export type ClientDetails = Readonly<Record<string, string | number | boolean | null>>;

export interface StoredUser {
  readonly id: number;
  readonly username: string;
  readonly passwordHash: string;
  readonly firstName: string;
  readonly lastName: string;
  /** How long its tokens live; undefined: as long as the server says. */
  readonly tokenLifetimeSeconds: number | undefined;
  /** Calls and minutes, such as `60/1`; undefined: only its client's limit counts. */
  readonly rateLimit: string | undefined;
  readonly createdAt: Instant;
}

/** A login name as the database compares it: to it, a letter such as `İ` is an `i`, and to JavaScript it is not. */
export async function foldUsername(db: Database, username: string): Promise<string> {
  const { rows } = await sql<{ name: string }>`select lower(${username}) as name`.execute(db);
  return rows[0]?.name ?? username;
}

/** Capitals do not count. */
export async function findUser(db: Database, username: string): Promise<StoredUser | undefined> {
  const { rows } = await sql<UserRow>`
    select id, username, password_hash, first_name, last_name, token_lifetime_seconds, rate_limit, created_at
    from local_api.api_user where lower(username) = lower(${username})`.execute(db);
  return rows[0] && toUser(rows[0]);
}

/** The login that the client record shows as its owner: the one that was in it first. */
export async function findOwner(db: Database, clientId: number): Promise<string> {
  const { rows } = await sql<{ username: string }>`
    select u.username from local_api.membership m join local_api.api_user u on u.id = m.user_id
    where m.client_id = ${clientId} order by u.id limit 1`.execute(db);
  return rows[0]?.username ?? "";
}

/** Throws a `UserError` when there is a client of that name already. Gives its id. */
export async function createClient(
  db: Database,
  client: {
    name: string;
    /** `ratelimit.limit` (calls) and `ratelimit.period` (minutes) switch the rate limit on. */
    tags?: Readonly<Record<string, string>>;
    details?: ClientDetails;
    createdAt: Instant;
  },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.client (name, tags, details, created_at)
    values (${client.name}, ${storableJson(client.tags ?? {})}::jsonb,
      ${storableJson(client.details ?? {})}::jsonb, ${new Date(client.createdAt)})
    on conflict (name) do nothing returning id`.execute(db);
  if (rows[0] === undefined) throw new UserError(`There is a client ${storableJson(client.name)} already.`);
  return Number(rows[0].id);
}

/** In a client or in none. Throws a `UserError` when there is a login of that name, in whatever capitals. Gives its id. */
export async function createUser(
  db: Database,
  { clientId, role, ...user }: Omit<NewUser, "clientId" | "role"> & Partial<NewUser>,
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.api_user
      (username, password_hash, first_name, last_name, token_lifetime_seconds, rate_limit, created_at)
    values (${user.username}, ${user.passwordHash}, ${user.firstName}, ${user.lastName},
      ${user.tokenLifetimeSeconds ?? null}, ${user.rateLimit ?? null}, ${new Date(user.createdAt)})
    on conflict (lower(username)) do nothing returning id`.execute(db);
  if (rows[0] === undefined) throw new UserError(`There is a login ${storableJson(user.username)} already.`);
  const id = Number(rows[0].id);
  if (clientId !== undefined && role !== undefined) await putMembership(db, { userId: id, clientId, role });
  return id;
}

/** Without a password hash the password stays. */
export async function updateUser(
  db: Database,
  id: number,
  user: Pick<NewUser, "username" | "firstName" | "lastName" | "tokenLifetimeSeconds" | "rateLimit"> & {
    readonly passwordHash?: string | undefined;
  },
): Promise<void> {
  await sql`
    update local_api.api_user set username = ${user.username}, first_name = ${user.firstName},
      last_name = ${user.lastName}, token_lifetime_seconds = ${user.tokenLifetimeSeconds ?? null},
      rate_limit = ${user.rateLimit ?? null},
      password_hash = coalesce(${user.passwordHash ?? null}, password_hash)
    where id = ${id}`.execute(db);
}

/** Creates the client or replaces the tags of the one with that name. Gives its id. */
export async function putClient(
  db: Database,
  client: { name: string; tags: Readonly<Record<string, string>>; createdAt: Instant },
): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.client (name, tags, created_at)
    values (${client.name}, ${storableJson(client.tags)}::jsonb, ${new Date(client.createdAt)})
    on conflict (name) do update set tags = excluded.tags returning id`.execute(db);
  return Number(rows[0]?.id);
}

interface NewUser extends Omit<StoredUser, "id" | "tokenLifetimeSeconds" | "rateLimit"> {
  readonly tokenLifetimeSeconds?: number;
  readonly rateLimit?: string;
  readonly clientId: number;
  /** Others than Regular and Admin are stored and then refused by the API. */
  readonly role: string;
}

/** Creates the login or replaces its password and names. Gives its id. */
export async function putUser(db: Database, user: NewUser): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.api_user
      (username, password_hash, first_name, last_name, token_lifetime_seconds, created_at)
    values (${user.username}, ${user.passwordHash}, ${user.firstName}, ${user.lastName},
      ${user.tokenLifetimeSeconds ?? null}, ${new Date(user.createdAt)})
    on conflict (lower(username)) do update set password_hash = excluded.password_hash,
      first_name = excluded.first_name, last_name = excluded.last_name,
      token_lifetime_seconds = excluded.token_lifetime_seconds
    returning id`.execute(db);
  const id = Number(rows[0]?.id);
  await putMembership(db, { userId: id, clientId: user.clientId, role: user.role });
  return id;
}

export interface UserRow {
  id: string;
  username: string;
  password_hash: string;
  first_name: string;
  last_name: string;
  token_lifetime_seconds: number | null;
  rate_limit: string | null;
  created_at: Date;
}

export interface ClientRow {
  client_id: string;
  client_name: string;
  tags: Record<string, string>;
  details: ClientDetails;
  client_created_at: Date;
}

export function toUser(row: UserRow): StoredUser {
  return {
    id: Number(row.id),
    username: row.username,
    passwordHash: row.password_hash,
    firstName: row.first_name,
    lastName: row.last_name,
    tokenLifetimeSeconds: row.token_lifetime_seconds ?? undefined,
    rateLimit: row.rate_limit ?? undefined,
    createdAt: row.created_at.getTime(),
  };
}

export function toClient(row: ClientRow): StoredClient {
  return {
    id: Number(row.client_id),
    name: row.client_name,
    tags: row.tags,
    details: row.details,
    createdAt: row.client_created_at.getTime(),
  };
}

interface Membership {
  readonly clientId: number;
  readonly role: string;
}

/** The clients that a login belongs to, with its role in each. */
export async function listMemberships(db: Database, userId: number): Promise<Membership[]> {
  const { rows } = await sql<{ client_id: string; role: string }>`
    select client_id, role from local_api.membership where user_id = ${userId} order by client_id
  `.execute(db);
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

/** Any number that no other lock uses: one apply at a time, until the end of its transaction. */
const APPLY_LOCK = 4_178_303;

export async function accountLock(transaction: Database): Promise<void> {
  await sql`select pg_advisory_xact_lock(${APPLY_LOCK})`.execute(transaction);
}
