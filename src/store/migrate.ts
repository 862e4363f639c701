import { type Kysely, type Migration, Migrator, sql } from "kysely";
import { UserError } from "../lib/errors.ts";
import { openDatabase } from "./database.ts";
import * as facts from "./migrations/0001-facts.ts";
import * as noHash from "./migrations/0002-no-hash.ts";
import * as budget from "./migrations/0010-budget.ts";
import * as explainedAlerts from "./migrations/0020-explained-alerts.ts";
import * as voicesAndValues from "./migrations/0021-voices-and-values.ts";
import * as watch from "./migrations/0030-watch.ts";
import * as desk from "./migrations/0040-desk.ts";
import * as unsubscribed from "./migrations/0050-unsubscribed.ts";
import * as slack from "./migrations/0070-slack.ts";
import * as bounces from "./migrations/0080-bounces.ts";
import * as digestsByTheHour from "./migrations/0081-digests-by-the-hour.ts";
import * as telling from "./migrations/0090-telling.ts";
import * as toldTexts from "./migrations/0091-told-texts.ts";
import * as sourceTraits from "./migrations/0100-source-traits.ts";
import * as countChecks from "./migrations/0101-count-checks.ts";
import * as outages from "./migrations/0110-outages.ts";
import * as consoleSecurity from "./migrations/0120-console-security.ts";
import * as arrivalsOfAQuery from "./migrations/0130-arrivals-of-a-query.ts";
import * as alertProgress from "./migrations/0160-alert-progress.ts";
import * as redelivered from "./migrations/0170-redelivered.ts";

/** Every migration, in order. A released one is never edited; a new one follows it. */
export const MIGRATIONS: Record<string, Migration> = {
  "0001-facts": facts,
  "0002-no-hash": noHash,
  "0010-budget": budget,
  "0020-explained-alerts": explainedAlerts,
  "0021-voices-and-values": voicesAndValues,
  "0030-watch": watch,
  "0040-desk": desk,
  "0050-unsubscribed": unsubscribed,
  "0070-slack": slack,
  "0080-bounces": bounces,
  "0081-digests-by-the-hour": digestsByTheHour,
  "0090-telling": telling,
  "0091-told-texts": toldTexts,
  "0100-source-traits": sourceTraits,
  "0101-count-checks": countChecks,
  "0110-outages": outages,
  "0120-console-security": consoleSecurity,
  "0130-arrivals-of-a-query": arrivalsOfAQuery,
  "0160-alert-progress": alertProgress,
  "0170-redelivered": redelivered,
};

/**
 * Brings the schema `earshot` up to date; rejects with a UserError where later code has been at it. Kysely holds a lock, so any number
 * of processes may start at once.
 */
export async function migrate(url: string): Promise<void> {
  // A connection that breaks makes the statement reject, which is all that there is to say.
  const { db, close } = openDatabase({ url, connections: 2, onError: () => {} });
  try {
    await migrateDatabase(db);
  } finally {
    await close();
  }
}

async function migrateDatabase(db: Kysely<never>): Promise<void> {
  const done = await doneMigrations(db);
  const known = Object.keys(MIGRATIONS);
  const later = done.filter((name) => !known.includes(name));
  if (later.length > 0) {
    throw new UserError(`a later Earshot has changed the database (migration ${later.at(-1)})`, [
      "start that version again, or go back to a backup from before it",
    ]);
  }
  // Kysely reads the whole catalogue before its own list: a fifth of a second at every start of every process.
  if (done.length === known.length) return;
  // Two processes that create the schema in the same instant would collide in the catalogue; the lock is the database's.
  await db.transaction().execute(async (tx) => {
    await sql`select pg_advisory_xact_lock(hashtext('earshot-schema'))`.execute(tx);
    await sql`create schema if not exists earshot`.execute(tx);
  });
  const migrator = new Migrator({
    db,
    provider: { getMigrations: async () => MIGRATIONS },
    migrationTableSchema: "earshot",
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === "Error")?.migrationName;
    throw new Error(`the database could not be brought up to date${failed ? ` (migration ${failed})` : ""}`, {
      cause: error,
    });
  }
}

/** Names of the migrations that the database has had, in order. */
export async function doneMigrations(db: Kysely<never>): Promise<readonly string[]> {
  const { rows: found } = await sql<{ exists: boolean }>`
    select to_regclass('earshot.kysely_migration') is not null as exists`.execute(db);
  if (found[0]?.exists !== true) return [];
  const { rows } = await sql<{ name: string }>`
    select name from earshot.kysely_migration order by name collate "C"`.execute(db);
  return rows.map(({ name }) => name);
}
