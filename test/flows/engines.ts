import { Redis } from "ioredis";
import pg from "pg";
import type { BackendOptions } from "../../src/monitor/queue/backend.ts";
import { hasRedis, NO_REDIS, startRedis, type TestRedis } from "../redis.ts";

/** Where the queues of a story are. */
export interface Engine {
  readonly name: string;
  open(): Promise<void>;
  /** Each story has its own database, so its name separates stories on one Redis. */
  backend(databaseUrl: string): BackendOptions;
  /** Throws away everything that the queue knows. */
  lose(databaseUrl: string): Promise<void>;
  close(): Promise<void>;
}

const SCHEMA = "earshot_queue";

const postgres: Engine = {
  name: "PostgreSQL",
  open: async () => {},
  backend: (url) => ({ kind: "postgres", url, schema: SCHEMA }),
  lose: async (url) => {
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    // Locks of the workers come first: a statement that locks all tables at once may lose in a deadlock.
    const truncate = () =>
      client.query(
        `truncate ${SCHEMA}.job, ${SCHEMA}.scheduler, ${SCHEMA}.dedup, ${SCHEMA}.dedup_next cascade`,
      );
    await truncate().catch(truncate).catch(truncate);
    await client.end();
  },
  close: async () => {},
};

function onRedis(): Engine {
  let redis: TestRedis | null = null;
  return {
    name: "Redis",
    open: async () => {
      redis = await startRedis();
    },
    backend: (url) => ({ kind: "redis", url: redis?.url ?? "", prefix: new URL(url).pathname.slice(1) }),
    lose: async () => {
      const client = new Redis(redis?.url ?? "");
      await client.flushall();
      client.disconnect();
    },
    close: async () => redis?.stop(),
  };
}

/** PostgreSQL always; Redis where a `redis-server` is found, and a word where it is not. */
export function queueEngines(): readonly Engine[] {
  if (hasRedis()) return [postgres, onRedis()];
  process.stderr.write(`flows on Redis ${NO_REDIS}\n`);
  return [postgres];
}
