import { once } from "node:events";
import { afterAll, expect } from "vitest";
import { type Database, openDatabase } from "../src/monitor/store/database.ts";
import { createStores, type Stores } from "../src/monitor/store/stores.ts";
import { createTestDatabase } from "./postgres.ts";

export interface TestStores {
  readonly url: string;
  readonly database: Database;
  readonly stores: Stores;
}

/**
 * The stores of a test file over a database of its own, which ends with the file. Where a test cuts connections,
 * `onError` takes what the pool says of it; elsewhere that is a failure.
 *
 *     const { stores } = await useStores();
 */
export async function useStores(
  options: { onError?: (error: Error) => void; connections?: number } = {},
): Promise<TestStores> {
  const { url, drop } = await createTestDatabase();
  const database = openDatabase({ url, onError: (error) => expect.fail(error.message), ...options });
  const closed = countClosing(database.pool);
  afterAll(async () => {
    await database.close();
    await closed();
    await drop();
  });
  return { url, database, stores: createStores(database.db) };
}

/** A pool has ended before its connections are closed; one that is open while its database is dropped is cut. */
function countClosing(pool: Database["pool"]): () => Promise<void> {
  let open = 0;
  pool.on("connect", () => open++).on("remove", () => open--);
  return async () => {
    while (open > 0) await once(pool, "remove");
  };
}
