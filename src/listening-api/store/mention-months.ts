import { sql } from "kysely";
import { DateTime } from "luxon";
import { type Instant, toIso } from "../../lib/instant.ts";
import type { Database } from "./database.ts";
import { lockWriting } from "./write-order.ts";

/** Any number that no other lock uses: two processes never make the same month. */
const MONTHS_LOCK = 4_178_302;
/** What lies outside has a table of its own, made with the schema. */
const [FIRST, LAST] = [Date.UTC(2000, 0, 1), Date.UTC(2100, 0, 1)];

/**
 * Creates the missing tables of the months of these dates, inside the caller's transaction. A month is created apart
 * and then attached, which blocks neither readers nor writers of the others.
 */
export async function ensureMentionMonths(db: Database, dates: Iterable<Instant>): Promise<void> {
  const months = new Set<string>();
  for (const at of dates) if (at >= FIRST && at < LAST) months.add(monthOf(at));
  const missing = await missingMonths(db, [...months].sort());
  if (missing.length === 0) return;
  await sql`select pg_advisory_xact_lock(${MONTHS_LOCK})`.execute(db);
  for (const month of await missingMonths(db, missing)) await makeMonth(db, month);
}

/**
 * Drops the months that ended at or before the moment, and gives the names of their tables. Mentions from before the
 * year 2000 go with the first month that goes.
 */
export async function dropMentionMonthsBefore(db: Database, before: Instant): Promise<string[]> {
  if (!db.isTransaction) return db.transaction().execute((own) => dropMentionMonthsBefore(own, before));
  if ((await listMentionMonthsBefore(db, before)).length === 0) return [];
  // Stored totals include the deleted mentions. Locks in the order in which writers take them: the projects, the queries,
  // each by id, then the making of months, and then the mentions.
  await lockWriting(db, "all");
  await sql`
    update local_api.query set revision = revision + 1
    where id in (select id from local_api.query order by id for no key update)`.execute(db);
  await sql`select pg_advisory_xact_lock(${MONTHS_LOCK})`.execute(db);
  const tables = await listMentionMonthsBefore(db, before);
  await sql`lock table local_api.mention in access exclusive mode`.execute(db);
  for (const table of tables) await sql`drop table ${sql.id("local_api", table)}`.execute(db);
  await sql`truncate local_api.mention_early`.execute(db);
  return tables;
}

/** The tables of the months that ended at or before the moment. */
export async function listMentionMonthsBefore(db: Database, before: Instant): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i
    join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'local_api.mention'::regclass
      and c.relname ~ '^mention_[0-9]{4}_[0-9]{2}$' and right(c.relname, 7) < ${monthOf(before)}
    order by 1`.execute(db);
  return rows.map((row) => row.name);
}

/** Asks the table of tables: `to_regclass` may remember what another process has just changed. */
async function missingMonths(db: Database, months: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ month: string }>`
    select month from unnest(${months}::text[]) as month
    where not exists (select from pg_class
      where relname = 'mention_' || month and relnamespace = 'local_api'::regnamespace)
    order by month`.execute(db);
  return rows.map((row) => row.month);
}

/** Rows stay whole in the table up to a page of it: reading pages of mentions is what it is for. */
async function makeMonth(db: Database, month: string): Promise<void> {
  const table = sql.id("local_api", `mention_${month}`);
  const from = DateTime.fromFormat(month, "yyyy_MM", { zone: "utc" });
  const bounds = [from, from.plus({ months: 1 })].map((bound) => sql.lit(`${bound.toISODate()} 00:00:00+00`));
  await sql`create table ${table} (like local_api.mention including defaults)
    with (toast_tuple_target = 8160)`.execute(db);
  await sql`alter table local_api.mention attach partition ${table}
    for values from (${bounds[0]}) to (${bounds[1]})`.execute(db);
}

function monthOf(at: Instant): string {
  return toIso(at).slice(0, 7).replace("-", "_");
}
