import { resolve } from "node:path";
import type { Surroundings } from "../config.ts";
import { openTogether } from "../lib/closing.ts";
import { describeError } from "../lib/errors.ts";
import type { DatabasePool } from "../local-api/store/database.ts";
import { migrateLocalApi } from "../local-api/store/migrate-local-api.ts";
import type { Logger } from "../log.ts";
import { openPool } from "../store/database.ts";
import { startEmbeddedPostgres } from "../store/embedded.ts";

/** The tables of the local Listening API, ready for use. */
export interface LocalTables {
  readonly pool: DatabasePool;
  /** In words, for the banner. */
  readonly description: string;
  close(): Promise<void>;
}

/**
 * In `DATABASE_URL`, or in the embedded PostgreSQL of the data folder: in the server that another Earshot runs there,
 * or in one that is started now and stopped by `close`.
 */
export async function openLocalTables(
  { databaseUrl, home }: Pick<Surroundings, "databaseUrl" | "home">,
  log: Logger,
): Promise<LocalTables> {
  return openTogether(async (closing) => {
    const dataDir = resolve(home, "postgres");
    const embedded =
      databaseUrl === null
        ? await startEmbeddedPostgres({ dataDir, log, maxConnections: 200, share: true })
        : null;
    if (embedded !== null) closing.add(embedded.stop);
    const pool = openPool({
      url: databaseUrl ?? embedded?.url ?? "",
      connections: 12,
      onError: (error) => log.warn({ error: describeError(error) }, "a connection to the database broke"),
    });
    closing.add(() => pool.end());
    await migrateLocalApi(pool);
    const description =
      databaseUrl !== null
        ? "the PostgreSQL of DATABASE_URL"
        : embedded?.shared === true
          ? `the embedded PostgreSQL in ${home}, which another Earshot runs`
          : `an embedded PostgreSQL in ${home}`;
    return { pool, description, close: closing.close };
  });
}
