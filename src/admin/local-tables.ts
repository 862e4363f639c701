import { migrateFeeds } from "#feeds";
import type { DatabasePool } from "#listening-api";
import { openPool } from "#monitor";
import { openTogether } from "../lib/closing.ts";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../lib/log.ts";
import type { Environment } from "./config/environment.ts";
import { openDemoDatabase } from "./open/demo-database.ts";
import { openPostgres } from "./open/open-postgres.ts";

/** The tables of the local Listening API and of feeds, ready for use. */
export interface LocalTables {
  readonly pool: DatabasePool;
  /** In words, for the banner. */
  readonly description: string;
  close(): Promise<void>;
}

/**
 * Opens them in `DATABASE_URL`, or in the embedded PostgreSQL of the data folder: in the server that another Earshot
 * runs there, or in a new one that `close` stops. `ofDemo` opens those of the running demo.
 */
export async function openLocalTables(
  environment: Pick<Environment, "databaseUrl" | "home">,
  log: Logger,
  { ofDemo }: { readonly ofDemo: boolean },
): Promise<LocalTables> {
  return openTogether(async (closing) => {
    const server = await openPostgres(environment, log, { share: true });
    closing.add(server.stop);
    const { description } = server;
    const url = ofDemo ? await openDemoDatabase(server.url) : server.url;
    const pool = openPool({
      url,
      connections: 12,
      onError: (error) => log.warn({ error: describeError(error) }, "a connection to the database broke"),
    });
    closing.add(() => pool.end());
    await migrateFeeds(pool);
    return { pool, description, close: closing.close };
  });
}
