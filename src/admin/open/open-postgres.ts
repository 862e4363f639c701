import { resolve } from "node:path";
import { openDatabase, ping, startEmbeddedPostgres } from "#monitor";
import { describeError, UserError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import type { Environment } from "../config/environment.ts";
import { addressFault, withoutAddress } from "./engine-address.ts";

/** A PostgreSQL to work on. */
interface OpenPostgres {
  /** Contains the password. Never log it. */
  readonly url: string;
  /** In words, for the banner. */
  readonly description: string;
  /** Stops what was started for this; a server that ran before continues. */
  stop(): Promise<void>;
}

/**
 * `DATABASE_URL`, or else the embedded PostgreSQL of the data folder. With `share`, for commands, the server of a
 * running Earshot is used; without it, a running Earshot is a UserError. Rejects, and says what to check, if
 * `DATABASE_URL` does not answer.
 */
export async function openPostgres(
  { databaseUrl, home }: Pick<Environment, "databaseUrl" | "home">,
  log: Logger,
  { share }: { readonly share: boolean },
): Promise<OpenPostgres> {
  if (databaseUrl !== null) {
    await reach(databaseUrl);
    return { url: databaseUrl, description: "the PostgreSQL of DATABASE_URL", stop: async () => {} };
  }
  const dataDir = resolve(home, "postgres");
  const { url, shared, stop } = await startEmbeddedPostgres({ dataDir, log, maxConnections: 200, share });
  const description = shared
    ? `the embedded PostgreSQL in ${home}, which another Earshot runs`
    : `an embedded PostgreSQL in ${home}`;
  return { url, description, stop };
}

/**
 * A PostgreSQL for data that may be lost, such as that of rule tests: an embedded one of its own beside the tables, which
 * syncs nothing, so that a database is made and dropped in milliseconds; where `DATABASE_URL` is set, that one.
 */
export async function openScratchPostgres(
  { databaseUrl, home }: Pick<Environment, "databaseUrl" | "home">,
  log: Logger,
): Promise<Pick<OpenPostgres, "url" | "stop">> {
  if (databaseUrl !== null) return openPostgres({ databaseUrl, home }, log, { share: true });
  const settings = {
    fsync: "off",
    full_page_writes: "off",
    synchronous_commit: "off",
    autovacuum: "off",
    shared_buffers: "64MB",
  };
  const dataDir = resolve(home, "scratch");
  return startEmbeddedPostgres({
    dataDir,
    log,
    maxConnections: 100,
    settings,
    share: true,
    fileSocket: true,
  });
}

/** The driver's message names neither the variable nor what to do; and it may repeat the password. */
async function reach(url: string): Promise<void> {
  const fault = addressFault("DATABASE_URL", url);
  if (fault !== null) throw new UserError(fault.message, [fault.hint]);
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    await ping(database.db);
  } catch (error) {
    throw new Error(
      `the PostgreSQL of DATABASE_URL cannot be asked: ${withoutAddress(describeError(error), url)}; is it up, and are address, user and password right? (earshot doctor looks at all of it)`,
    );
  } finally {
    await database.close();
  }
}
