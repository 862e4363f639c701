import { userInfo } from "node:os";
import { resolve } from "node:path";
import { createDesk, type Desk } from "../../app/desk.ts";
import { readSurroundings } from "../../config.ts";
import { type Clock, systemClock } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import { describeError } from "../../lib/errors.ts";
import { createLog } from "../../log.ts";
import { createConsoleStore } from "../../store/console.ts";
import { type Database, openDatabase } from "../../store/database.ts";
import { startEmbeddedPostgres } from "../../store/embedded.ts";
import { migrate } from "../../store/migrate.ts";
import { createStores, type Stores } from "../../store/stores.ts";
import { readLocalAddress } from "../local-address.ts";

/** The facts of the monitor, for the time of one command. */
export interface DeskCommand {
  readonly desk: Desk;
  readonly stores: Stores;
  readonly facts: ReturnType<typeof createConsoleStore>;
  readonly database: Database;
  /** The demo's, where a demo runs here. */
  readonly clock: Clock;
}

/** Opens the database that the monitor uses, beside it where it runs; does the work and closes it again. */
export async function withDesk<Outcome>(
  env: NodeJS.ProcessEnv,
  work: (command: DeskCommand) => Promise<Outcome>,
): Promise<Outcome> {
  const { databaseUrl, home } = readSurroundings(env);
  const log = createLog({ level: env["LOG_LEVEL"] ?? "warn" });
  const opened = await openTogether(async (closing) => {
    const embedded =
      databaseUrl === null
        ? await startEmbeddedPostgres({
            dataDir: resolve(home, "postgres"),
            log,
            maxConnections: 200,
            share: true,
          })
        : null;
    if (embedded !== null) closing.add(embedded.stop);
    const url = databaseUrl ?? embedded?.url ?? "";
    await migrate(url);
    const database = openDatabase({
      url,
      connections: 4,
      onError: (error) => log.warn({ error: describeError(error) }, "a connection to the database broke"),
    });
    closing.add(database.close);
    return { database, close: closing.close };
  });
  try {
    const { database } = opened;
    const clock = (await readLocalAddress(home, systemClock))?.clock ?? systemClock;
    const stores = createStores(database.db);
    const facts = createConsoleStore(database.db);
    return await work({ desk: createDesk({ stores, clock }), stores, facts, database, clock });
  } finally {
    await opened.close();
  }
}

/** Who sits at the shell, unless a flag says otherwise. */
export function shellName(): string {
  try {
    return userInfo().username;
  } catch {
    return "the shell";
  }
}
