import { sql } from "kysely";
import type { Db } from "./database.ts";

/**
 * `Rewritten`: nothing that was deleted is left in the files of the tables. `Partly`: it is in unused places of some, until
 * others write there, because they are large, in use, or this role may not.
 */
export type FilesOutcome = "Rewritten" | "Partly";

/** Nobody can use a table while it is written anew: this much takes some seconds. */
const LARGEST_BYTES = 512 * 1024 * 1024;
const PAGE = 8_192;
/** As long as a transaction of ours, or of the server's own upkeep, may take. */
const LONGEST_WAIT_S = 30;
const SCHEMAS = ["earshot", "feeds", "local_api"];

/**
 * Writes the tables anew, since deleted rows stay in the files of tables and indexes. Statistics, which may quote values,
 * come last; the checkpoint lets PostgreSQL remove the old files, and reuse the write-ahead log, which still has the words.
 */
export async function rewriteTables(db: Db): Promise<FilesOutcome> {
  return db.connection().execute(async (one) => {
    const tries = async (statement: string): Promise<boolean> =>
      sql
        .raw(statement)
        .execute(one)
        .then(
          () => true,
          () => false,
        );
    const isSeenByNobody = await waitForReaders(one);
    const { rows } = await sql<{ name: string; bytes: number }>`
      select format('%I.%I', n.nspname, c.relname) as name, pg_total_relation_size(c.oid) as bytes
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind = 'r' and n.nspname = any(${SCHEMAS}::text[])
        -- Most partitions never had a row: no page of their own, and one for each index.
        and (pg_relation_size(c.oid) > 0
          or pg_indexes_size(c.oid) > (select count(*) from pg_index i where i.indrelid = c.oid) * ${PAGE})
      order by 1
    `.execute(one);
    const done = [isSeenByNobody];
    try {
      // Who waits for a table longer than this would make others wait behind it.
      await tries("set lock_timeout = '5s'");
      for (const { name, bytes } of rows) {
        const isWhole = bytes <= LARGEST_BYTES && (await tries(`vacuum (full, analyze) ${name}`));
        done.push(isWhole);
        if (!isWhole) await tries(`vacuum (analyze) ${name}`);
      }
      done.push(await tries("vacuum (full) pg_catalog.pg_statistic"));
      done.push(await tries("checkpoint"));
    } finally {
      await tries("reset lock_timeout");
    }
    return done.every(Boolean) ? "Rewritten" : "Partly";
  });
}

/** Rows that a transaction may still see are written anew with all others. False: one went on for too long. */
async function waitForReaders(db: Db): Promise<boolean> {
  const { rows } = await sql<{
    now: string;
  }>`select (pg_current_xact_id()::text::bigint % 4294967296)::text as now`.execute(db);
  for (let tenths = 0; tenths <= LONGEST_WAIT_S * 10; tenths++) {
    const { rows: older } = await sql`
      select from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and age(backend_xmin) >= age(${rows[0]?.now}::xid)
      limit 1`.execute(db);
    if (older.length === 0) return true;
    await sql`select pg_sleep(0.1)`.execute(db);
  }
  return false;
}
