import { type Kysely, sql } from "kysely";

/** Tokens of programs, and what people changed or tried to. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}

const TABLES = `
-- A token acts for its user, with the rights that the user has at that moment.
create table earshot.access_tokens (
  id uuid primary key,
  -- SHA-256 of the token.
  secret_hash bytea not null unique,
  name_key text not null,
  label text not null,
  scope text not null check (scope in ('read', 'act', 'metrics', 'push')),
  created_at timestamptz not null,
  until timestamptz not null,
  used_at timestamptz,
  used_from text,
  ended_at timestamptz
);
create index access_tokens_of_user on earshot.access_tokens (name_key, created_at desc);

-- Never changed and never pruned by month: a few rows a day, and somebody asks for them years later.
create table earshot.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  -- Who: an Actor, with the role at that moment.
  actor jsonb not null,
  role text,
  -- From where: an address, a host.
  origin text not null,
  action text not null,
  target text not null,
  outcome text not null check (outcome in ('Done', 'Refused', 'Failed')),
  detail text not null
);
create index audit_by_time on earshot.audit (at desc, id desc);
`;
