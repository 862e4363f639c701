import { type Kysely, sql } from "kysely";

/** What the pages of rules show besides the files: the last result of each rule test, and who changed a rule there. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql.raw(TABLES).execute(db);
}

const TABLES = `
create table earshot.rule_tests (
  rule text not null,
  test text not null,
  outcome text not null check (outcome in ('passed', 'failed', 'broken')),
  detail text not null,
  -- Of the rule that was tested, so that an old result is known to be old.
  rule_version text not null,
  ran_at timestamptz not null,
  took_ms integer not null,
  primary key (rule, test)
);

create table earshot.rule_edits (
  id bigint generated always as identity primary key,
  rule text not null,
  at timestamptz not null,
  actor jsonb not null,
  before text,
  after text not null
);
create index rule_edits_of on earshot.rule_edits (rule, id desc);
`;
