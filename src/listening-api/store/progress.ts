import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

interface StreamHour {
  readonly projectId: number;
  readonly seed: string;
  readonly hour: Instant;
}

/** Hours of the stream that are stored and begin from `from` to before `to`. */
export async function listStreamHours(
  db: Database,
  stream: { projectId: number; seed: string; from: Instant; to: Instant },
): Promise<Set<Instant>> {
  const { rows } = await sql<{ hour: Date }>`
    select hour from local_api.stream_hour
    where project_id = ${stream.projectId} and seed = ${stream.seed}
      and hour >= ${new Date(stream.from)} and hour < ${new Date(stream.to)}`.execute(db);
  return new Set(rows.map((row) => row.hour.getTime()));
}

/**
 * Marks an hour as stored, inside the transaction that stores it. False when it is already; while another process
 * stores the same hour this waits for its end.
 */
export async function claimStreamHour(db: Database, { projectId, seed, hour }: StreamHour): Promise<boolean> {
  const { rows } = await sql`
    insert into local_api.stream_hour (project_id, seed, hour) values (${projectId}, ${seed}, ${new Date(hour)})
    on conflict do nothing returning hour`.execute(db);
  return rows.length > 0;
}

/** Lines of the file whose mentions are stored, by an import that did not reach its end; 0: none. */
export async function readImportProgress(db: Database, key: Buffer): Promise<number> {
  const { rows } = await sql<{ lines: string }>`
    select lines from local_api.import_progress where key = ${key}`.execute(db);
  return Number(rows[0]?.lines ?? 0);
}

/** In the transaction that stores the lines. */
export async function putImportProgress(db: Database, key: Buffer, lines: number): Promise<void> {
  await sql`
    insert into local_api.import_progress (key, lines) values (${key}, ${lines})
    on conflict (key) do update set lines = excluded.lines, at = clock_timestamp()`.execute(db);
}

export async function deleteImportProgress(db: Database, key: Buffer): Promise<void> {
  await sql`
    delete from local_api.import_progress where key = ${key} or at < clock_timestamp() - interval '90 days'
  `.execute(db);
}
