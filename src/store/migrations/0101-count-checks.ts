import { type Kysely, sql } from "kysely";

/** How many mentions the source says it has of a time that is over, held against what is stored of it. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}

const TABLES = `
create table earshot.count_checks (
  id uuid primary key,
  project_id text not null,
  query_ids text[] not null,
  -- Dates of the mentions themselves, both ends included.
  from_at timestamptz not null,
  to_at timestamptz not null,
  claimed integer not null,
  asked_at timestamptz not null,
  -- Null while the walks have not caught up with the question.
  stored integer,
  outcome text
);

create index count_checks_open on earshot.count_checks (asked_at) where outcome is null;

create table earshot.counted_queries (
  project_id text not null,
  query_id text not null,
  next_at timestamptz not null,
  -- Checks in a row after which something was missing although it had been looked for.
  fruitless integer not null default 0,
  primary key (project_id, query_id)
);
`;
