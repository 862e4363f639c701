import { type Kysely, sql } from "kysely";

/** Users of the console, their sessions and tokens. Of what opens something, only hashes are kept. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(USERS).execute(db);
}

const USERS = `
-- A user is never deleted: the history names it, and its name must not come to mean somebody else.
create table earshot.users (
  id uuid primary key,
  name text not null,
  -- The name without regard to capitals.
  name_key text not null unique,
  role text not null check (role in ('viewer', 'responder', 'editor', 'admin')),
  email text,
  password_hash text,
  created_at timestamptz not null,
  created_by text not null,
  ended_at timestamptz
);

-- Also of users that earshot.yaml names, so a session names its user by the key of the name.
create table earshot.sessions (
  id uuid primary key,
  -- SHA-256 of what the cookie holds.
  secret_hash bytea not null unique,
  name_key text not null,
  -- Of the password with which it was opened, so that a new one ends it.
  credential text not null,
  opened_at timestamptz not null,
  seen_at timestamptz not null,
  until timestamptz not null,
  address text not null,
  agent text not null,
  ended_at timestamptz
);
create index sessions_of_user on earshot.sessions (name_key, opened_at desc);
create index sessions_by_end on earshot.sessions (until);

drop table earshot.closed_sessions;
`;
