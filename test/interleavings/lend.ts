import { setTimeout as delay } from "node:timers/promises";
import { Kysely, PostgresDialect } from "kysely";
import type pg from "pg";
import type { Closing } from "../../src/lib/closing.ts";
import type { Database } from "../../src/monitor/store/database.ts";

/**
 * Lends a pool to a process: its connections stay open for the next one. At the end of the process all of them have to be
 * free, and from then on it gets none.
 */
export function lend(pool: pg.Pool, closing: Closing): pg.Pool {
  let isOver = false;
  closing.add(async () => {
    isOver = true;
    for (let waitedMs = 0; pool.idleCount < pool.totalCount || pool.waitingCount > 0; waitedMs += LOOK_MS) {
      if (waitedMs > MOST_MS) throw new Error("a process has ended and keeps a connection");
      await delay(LOOK_MS);
    }
  });
  return new Proxy(pool, {
    get: (_, name) => {
      if (isOver && (name === "connect" || name === "query"))
        return () => Promise.reject(new Error("a process has ended and asks for a connection"));
      const value: unknown = Reflect.get(pool, name, pool);
      return typeof value === "function" ? value.bind(pool) : value;
    },
  });
}

export function lendDatabase(database: Database, closing: Closing): Database {
  const pool = lend(database.pool, closing);
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  return { db, pool, close: async () => {} };
}

const LOOK_MS = 2;
const MOST_MS = 5_000;
