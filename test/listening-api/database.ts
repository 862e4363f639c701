import { Pool } from "pg";
import { createTestDatabase } from "../postgres.ts";

/** A database of one test file. */
export interface TestDatabase {
  readonly pool: Pool;
  stop(): Promise<void>;
}

export async function startDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const pool = new Pool({ connectionString: database.url, max: 8 });
  // A pool that ends lets go of its connections before they are closed; the server's goodbye is no failure.
  pool.on("error", () => {});
  return {
    pool,
    stop: async () => {
      await pool.end();
      await database.drop();
    },
  };
}
