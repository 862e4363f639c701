import { type Kysely, sql } from "kysely";
import { DateTime } from "luxon";
import { codeOf } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { uuid7Floor } from "../../lib/uuid7.ts";

/** Tables partitioned by month, and whether their key is a moment or an id that orders by time. */
const TABLES = {
  mentions: "date",
  matches: "date",
  mention_workflow: "date",
  mention_steps: "date",
  source_edits: "id",
  counts: "moment",
  mention_counts: "moment",
  mention_days: "date",
  coverage: "moment",
  dead_letters: "moment",
  alerts: "id",
  alert_events: "id",
  alert_receivers: "id",
  incidents: "id",
  incident_alerts: "id",
  incident_entries: "id",
  incident_notes: "id",
  notifications: "id",
  deliveries: "id",
} as const;

type Db = Kysely<never>;

/**
 * Creates the partitions of the month of `at` and of the next one. Rows of other months are in the default partition.
 * If rows of this month are there already, they stay: nothing is moved under load.
 */
export async function ensurePartitions(db: Db, at: Instant): Promise<void> {
  const first = DateTime.fromMillis(at, { zone: "utc" }).startOf("month");
  const partitions = [first, first.plus({ months: 1 })].flatMap((month) =>
    Object.entries(TABLES).map(([table, kind]) => ({ table, kind, month, name: nameOf(table, month) })),
  );
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relnamespace = to_regnamespace('earshot')
      and relname = any(${partitions.map(({ name }) => name)}::text[])
  `.execute(db);
  const existing = new Set(rows.map(({ name }) => name));
  for (const { table, kind, month, name } of partitions) {
    if (existing.has(name)) continue;
    const [from, to] = [month, month.plus({ months: 1 })].map((moment) => boundOf(kind, moment));
    const statement = `create table earshot.${name} partition of earshot.${table} for values from (${from}) to (${to})`;
    try {
      await sql.raw(statement).execute(db);
    } catch (error) {
      if (!isExpected(error)) throw error;
    }
  }
}

function nameOf(table: string, month: DateTime): string {
  return `${table}_${month.toFormat("yyyy_MM")}`;
}

/** Drops the months of mention text, counts and dependent rows that ended before `before`. Returns their names. */
export async function dropPartitionsBefore(db: Db, before: Instant): Promise<string[]> {
  const limit = DateTime.fromMillis(before, { zone: "utc" }).startOf("month").toFormat("yyyy_MM");
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'earshot' and c.relname ~ '_[0-9]{4}_[0-9]{2}$' and right(c.relname, 7) < ${limit}
  `.execute(db);
  // Another process may drop them at the same time.
  for (const { name } of rows) await sql`drop table if exists ${sql.id("earshot", name)}`.execute(db);
  return rows.map((row) => row.name);
}

function boundOf(kind: "date" | "moment" | "id", moment: DateTime): string {
  switch (kind) {
    case "date":
      return `'${moment.toISODate()}'`;
    case "moment":
      return `'${moment.toISO()}'`;
    case "id":
      return `'${uuid7Floor(moment.toMillis())}'`;
  }
}

/** Another process made it first (42P07), or the default partition already has rows of that month (23514). */
function isExpected(error: unknown): boolean {
  const code = codeOf(error);
  return code === "42P07" || code === "23514" || code === "23505";
}
