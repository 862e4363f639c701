import type { Environment } from "../../config.ts";
import { openTogether } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import type { DatabasePool } from "../../local-api/store/database.ts";
import { migrateLocalApi } from "../../local-api/store/migrate-local-api.ts";
import type { Logger } from "../../log.ts";
import { openPool } from "../../store/database.ts";
import { openPostgres } from "../open-postgres.ts";

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
  surroundings: Pick<Environment, "databaseUrl" | "home">,
  log: Logger,
): Promise<LocalTables> {
  return openTogether(async (closing) => {
    const { url, description, stop } = await openPostgres(surroundings, log, { share: true });
    closing.add(stop);
    const pool = openPool({
      url,
      connections: 12,
      onError: (error) => log.warn({ error: describeError(error) }, "a connection to the database broke"),
    });
    closing.add(() => pool.end());
    await migrateLocalApi(pool);
    return { pool, description, close: closing.close };
  });
}
