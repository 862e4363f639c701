import type { BackendOptions } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import type { Environment } from "../config/environment.ts";
import { addressFault } from "./engine-address.ts";
import { openPostgres } from "./open-postgres.ts";

/** The database and the queue, given or embedded. */
export interface Engines {
  readonly databaseUrl: string;
  readonly queue: Exclude<BackendOptions, { kind: "in-process" }>;
  /** In words, for the banner. */
  readonly description: string;
  stop(): Promise<void>;
}

/** `DATABASE_URL`, or a PostgreSQL of our own; `REDIS_URL`, or queues in that PostgreSQL. */
export async function openEngines(environment: Environment, log: Logger): Promise<Engines> {
  const { databaseUrl, redisUrl } = environment;
  const fault = redisUrl === null ? null : addressFault("REDIS_URL", redisUrl);
  if (fault !== null) throw new UserError(fault.message, [fault.hint]);
  const { url, stop } = await openPostgres(environment, log, { share: false });
  return {
    databaseUrl: url,
    queue:
      redisUrl === null
        ? { kind: "postgres", url, schema: "earshot_queue" }
        : { kind: "redis", url: redisUrl, prefix: "earshot" },
    description: `${databaseUrl === null ? "embedded PostgreSQL" : "PostgreSQL of DATABASE_URL"}, queues on ${redisUrl === null ? "it" : "Redis"}`,
    stop,
  };
}
