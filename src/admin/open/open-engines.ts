import type { BackendOptions } from "#monitor";
import { UserError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import type { Environment } from "../config/environment.ts";
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
  refuseOtherAddress(redisUrl);
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

function refuseOtherAddress(redisUrl: string | null): void {
  if (redisUrl === null) return;
  if (/^(rediss?|unix):$/.test(parseUrl(redisUrl)?.protocol ?? "")) return;
  // A path is a socket; ioredis takes it unchanged.
  if (redisUrl.startsWith("/")) return;
  throw new UserError("REDIS_URL is no address of a Redis", [
    "it looks like redis://user:password@host:6379 (rediss:// for TLS); without it the queue lives in PostgreSQL",
  ]);
}
