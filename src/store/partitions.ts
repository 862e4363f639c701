import { type Kysely, sql } from "kysely";
import { DateTime } from "luxon";
import type { Instant } from "../lib/instant.ts";
import { uuid7Floor } from "../lib/uuid7.ts";

/** Tables partitioned by month, and whether their key is a moment or an id that orders by time. */
const TABLES = {
  mentions: "date",
  matches: "date",
  counts: "moment",
  coverage: "moment",
  dead_letters: "moment",
  alerts: "id",
  alert_events: "id",
  alert_receivers: "id",
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
  for (const month of [first, first.plus({ months: 1 })]) {
    for (const table of Object.keys(TABLES) as (keyof typeof TABLES)[]) await ensureMonth(db, table, month);
  }
}

async function ensureMonth(db: Db, table: keyof typeof TABLES, month: DateTime): Promise<void> {
  const name = `${table}_${month.toFormat("yyyy_MM")}`;
  const bound = (moment: DateTime) => boundOf(TABLES[table], moment);
  const exists = await sql<{
    found: boolean;
  }>`select to_regclass(${`earshot.${name}`}) is not null as found`.execute(db);
  if (exists.rows[0]?.found === true) return;
  const statement = `create table earshot.${name} partition of earshot.${table} for values from (${bound(month)}) to (${bound(month.plus({ months: 1 }))})`;
  try {
    await sql.raw(statement).execute(db);
  } catch (error) {
    if (!isExpected(error)) throw error;
  }
}

/** Drops the months of mention text, counts and dependent rows that ended before `before`. Returns their names. */
export async function dropPartitionsBefore(db: Db, before: Instant): Promise<string[]> {
  const limit = DateTime.fromMillis(before, { zone: "utc" }).startOf("month").toFormat("yyyy_MM");
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'earshot' and c.relname ~ '_[0-9]{4}_[0-9]{2}$' and right(c.relname, 7) < ${limit}
  `.execute(db);
  for (const { name } of rows) await sql`drop table ${sql.id("earshot", name)}`.execute(db);
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
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return code === "42P07" || code === "23514" || code === "23505";
}
