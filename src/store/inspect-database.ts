import { sql } from "kysely";
import type { Db } from "./database.ts";

export interface DatabaseFacts {
  /** As a number: 160004 is 16.4. */
  readonly versionNumber: number;
  readonly version: string;
  readonly bytes: number;
  readonly maxConnections: number;
  readonly connections: number;
  readonly readOnly: boolean;
  /** The server's current time, in epoch milliseconds. */
  readonly now: number;
  readonly fsync: boolean;
  /** The directory of the server's tables; null if this user may not read it. */
  readonly dataDirectory: string | null;
}

/** What the server reports about itself. */
export async function inspectDatabase(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version_num')::int as "versionNumber", current_setting('server_version') as version,
      pg_database_size(current_database()) as bytes, current_setting('max_connections')::int as "maxConnections",
      (select count(*) from pg_stat_activity) as connections,
      pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "readOnly",
      extract(epoch from clock_timestamp())::float8 * 1000 as now, current_setting('fsync')::bool as fsync,
      case when pg_has_role(current_user, 'pg_read_all_settings', 'member')
        then current_setting('data_directory', true) end as "dataDirectory"
  `.execute(db);
  const [facts] = rows;
  if (facts === undefined) throw new Error("the server returned no facts about itself");
  return facts;
}
