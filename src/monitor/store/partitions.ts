import { type Kysely, sql } from "kysely";
import { DateTime } from "luxon";
import { codeOf } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { uuid7Floor } from "../../lib/uuid7.ts";

/** Tables partitioned by month: whether their key is a moment or an id that orders by time, and its column. */
const TABLES = {
  mentions: ["date", "day"],
  matches: ["date", "day"],
  mention_workflow: ["date", "day"],
  mention_steps: ["date", "day"],
  source_edits: ["id", "id"],
  counts: ["moment", "arrived"],
  mention_counts: ["moment", "quarter"],
  mention_days: ["date", "day"],
  coverage: ["moment", "started_at"],
  dead_letters: ["moment", "at"],
  alerts: ["id", "id"],
  alert_events: ["id", "alert_id"],
  alert_receivers: ["id", "alert_id"],
  incidents: ["id", "id"],
  incident_alerts: ["id", "alert_id"],
  incident_entries: ["id", "incident_id"],
  incident_notes: ["id", "incident_id"],
  notifications: ["id", "id"],
  deliveries: ["id", "notification_id"],
} as const;

/** Tables whose rows go with a mention. */
const OF_MENTIONS = ["matches", "mention_workflow", "mention_steps"];

type Db = Kysely<never>;

/**
 * Creates the partitions of the month of `at` and of the next one. Rows of other months are in the default partition.
 * If rows of this month are there already, they stay: nothing is moved under load.
 */
export async function ensurePartitions(db: Db, at: Instant): Promise<void> {
  const first = DateTime.fromMillis(at, { zone: "utc" }).startOf("month");
  const partitions = [first, first.plus({ months: 1 })].flatMap((month) =>
    Object.entries(TABLES).map(([table, [kind]]) => ({ table, kind, month, name: nameOf(table, month) })),
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
  for (const { name } of rows) await dropPartition(db, name);
  return rows.map((row) => row.name);
}

/**
 * Another process may drop it at the same time. They take turns: PostgreSQL looks for the parent of a partition before it
 * has locked it, and fails with "could not find tuple for parent" (XX000) if that is gone meanwhile.
 */
async function dropPartition(db: Db, name: string): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('earshot.partitions'))`.execute(transaction);
    await sql`drop table if exists ${sql.id("earshot", name)}`.execute(transaction);
  });
}

/**
 * Deletes what is from before the same months and in none of them: history from before the first month that was made, and
 * mentions with an odd date or without one, which stay as long after their arrival.
 */
export async function deleteRestBefore(db: Db, before: Instant): Promise<void> {
  const limit = DateTime.fromMillis(before, { zone: "utc" }).startOf("month");
  const moment = sql.raw(boundOf("moment", limit));
  await sql`delete from earshot.mentions_rest where event_at < ${moment} and added_at < ${moment}`.execute(
    db,
  );
  // One statement: a row of these that goes with a mention is looked up after that is gone.
  const others = Object.entries(TABLES).flatMap(([table, [kind, key]]) => {
    if (table === "mentions") return [];
    const isGone = OF_MENTIONS.includes(table)
      ? sql`not exists (select from earshot.mentions m where m.project_id = r.project_id and m.query_id = r.query_id
          and m.resource_id = r.resource_id and m.day = r.day)`
      : sql`true`;
    return sql`${sql.id(`old_${table}`)} as (delete from ${sql.id("earshot", `${table}_rest`)} r
      where ${sql.ref(`r.${key}`)} < ${sql.raw(boundOf(kind, limit))} and ${isGone})`;
  });
  await sql`with ${sql.join(others)} select`.execute(db);
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
