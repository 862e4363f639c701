import { type Kysely, sql } from "kysely";

/**
 * Incidents, the alerts in them, and their timelines. An alert is in one incident at most. No words of mentions are in
 * these tables, so what a person asks to be forgotten is not in them either.
 */
export async function up(db: Kysely<never>): Promise<void> {
  for (const [table, columns, key, partition] of TABLES) {
    await sql.raw(`create table earshot.${table} (${columns}) partition by range (${partition})`).execute(db);
    await sql.raw(`alter table earshot.${table} add primary key (${key})`).execute(db);
    await sql.raw(`create table earshot.${table}_rest partition of earshot.${table} default`).execute(db);
  }
  await sql
    .raw(`
    create index on earshot.incidents (project_id, query_id, ended_at);
    create index on earshot.incident_alerts (project_id, incident_id);
  `)
    .execute(db);
}

const TABLES = [
  [
    "incidents",
    `project_id text not null,
    id uuid not null,
    query_id text not null,
    status text not null check (status in ('open', 'handled', 'watching', 'over')),
    opened_at timestamptz not null,
    ended_at timestamptz,
    body jsonb not null`,
    "project_id, id",
    "id",
  ],
  [
    "incident_alerts",
    `project_id text not null,
    alert_id uuid not null,
    incident_id uuid not null,
    joined_at timestamptz not null,
    because text not null`,
    "project_id, alert_id",
    "alert_id",
  ],
  [
    "incident_entries",
    `project_id text not null,
    incident_id uuid not null,
    seq bigint generated always as identity,
    at timestamptz not null,
    kind text not null,
    detail text not null,
    alert_id uuid,
    actor jsonb`,
    "project_id, incident_id, seq",
    "incident_id",
  ],
] as const;
