import { type Kysely, sql } from "kysely";

/** Which process runs which version of the configuration. A few rows: one for each process that lives. */
export async function up(db: Kysely<never>): Promise<void> {
  await sql`
    create table earshot.processes (
      id uuid primary key,
      host text not null,
      pid integer not null,
      roles text[] not null,
      started_wall timestamptz not null default now(),
      version text not null,
      since_wall timestamptz not null default now(),
      refused jsonb,
      answered uuid,
      -- A process that was killed is known by its age.
      seen_wall timestamptz not null default now()
    )`.execute(db);
}
