import {
  type AlertActions,
  createAlertActions,
  createConsoleStore,
  createStores,
  migrate,
  openDatabase,
  type Stores,
} from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import type { Environment } from "../config/environment.ts";
import { databaseForCommands } from "./demo-database.ts";
import { openPostgres } from "./open-postgres.ts";

/** The stored alerts and what people can do about them, without the monitor itself. */
export interface OpenAlertActions {
  readonly actions: AlertActions;
  readonly stores: Stores;
  readonly facts: ReturnType<typeof createConsoleStore>;
  readonly clock: Clock;
  close(): Promise<void>;
}

/**
 * Uses `DATABASE_URL`, or the embedded PostgreSQL of the data folder: the server of a running Earshot, or one that is
 * started now and stopped by `close`.
 */
export async function openAlertActions(
  environment: Pick<Environment, "databaseUrl" | "home" | "configFile">,
  clock: Clock,
  log: Logger,
): Promise<OpenAlertActions> {
  return openTogether(async (closing) => {
    const server = await openPostgres(environment, log, { share: true });
    closing.add(server.stop);
    const url = await databaseForCommands(server.url, environment.configFile);
    await migrate(url);
    const database = openDatabase({
      url,
      connections: 4,
      onError: (error) => log.warn({ error: describeError(error) }, "a connection to the database broke"),
    });
    closing.add(database.close);
    const stores = createStores(database.db);
    return {
      actions: createAlertActions({ stores, clock }),
      stores,
      facts: createConsoleStore(database.db),
      clock,
      close: closing.close,
    };
  });
}
