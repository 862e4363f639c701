import { type LocalTables, openLocalTables, readEnvironment, readLocalAddress } from "#admin";
import { createDatabase, type Database } from "#listening-api";
import { systemClock } from "../../lib/clock.ts";
import { commandLog } from "../common/command-log.ts";

/** The tables of the local API, open during one command. */
interface LocalApiTables extends Pick<LocalTables, "pool"> {
  readonly db: Database;
}

/** Opens the tables, does the work, and closes them even if it fails. */
export async function withTables<Outcome>(
  env: NodeJS.ProcessEnv,
  work: (actions: LocalApiTables) => Promise<Outcome>,
): Promise<Outcome> {
  const log = commandLog(env);
  const environment = readEnvironment(env);
  const running = await readLocalAddress(environment.home, systemClock);
  const tables = await openLocalTables(environment, log, { ofDemo: running?.isDemo === true });
  try {
    return await work({ pool: tables.pool, db: createDatabase(tables.pool) });
  } finally {
    await tables.close();
  }
}
