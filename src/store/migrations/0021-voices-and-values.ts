import { type Kysely, sql } from "kysely";

/**
 * What counts once however often it is said (an author, a story), and what was never seen before. Both are keyed by
 * hashes, lead with the project, and are forgotten by age.
 */
export async function up(db: Kysely<never>): Promise<void> {
  await sql
    .raw(`
create table earshot.voices (
  project_id text not null,
  query_id text not null,
  series text not null,
  voice text not null,
  -- Start of the span in which the voice counts once; each voice has spans of its own.
  span timestamptz not null,
  -- Where its one count stands.
  bucket timestamptz not null,
  mentions integer not null,
  primary key (project_id, query_id, series, voice, span)
);
create index voices_by_span on earshot.voices (span);

create table earshot.seen_values (
  project_id text not null,
  query_id text not null,
  series text not null,
  value text not null,
  -- Earliest mention that had it, by the mention's own time.
  first_at timestamptz not null,
  -- Hashes of who used it while it was new.
  voices jsonb not null,
  primary key (project_id, query_id, series, value)
);
`)
    .execute(db);
}
