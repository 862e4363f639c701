import { resolve } from "node:path";
import type { Surroundings } from "../config.ts";
import type { Logger } from "../log.ts";
import { startEmbeddedPostgres } from "../store/embedded.ts";

/** A PostgreSQL to work on. */
export interface OpenPostgres {
  /** With its password: never to be logged. */
  readonly url: string;
  /** In words, for the banner. */
  readonly description: string;
  /** Ends what was started for this; a server that was there goes on. */
  stop(): Promise<void>;
}

/**
 * `DATABASE_URL`, or else the embedded PostgreSQL of the data folder. With `share`, for commands, the server that
 * another Earshot runs there is good enough; without it, that is a UserError.
 */
export async function openPostgres(
  { databaseUrl, home }: Pick<Surroundings, "databaseUrl" | "home">,
  log: Logger,
  { share }: { readonly share: boolean },
): Promise<OpenPostgres> {
  if (databaseUrl !== null)
    return { url: databaseUrl, description: "the PostgreSQL of DATABASE_URL", stop: async () => {} };
  const dataDir = resolve(home, "postgres");
  const { url, shared, stop } = await startEmbeddedPostgres({ dataDir, log, maxConnections: 200, share });
  const description = shared
    ? `the embedded PostgreSQL in ${home}, which another Earshot runs`
    : `an embedded PostgreSQL in ${home}`;
  return { url, description, stop };
}
