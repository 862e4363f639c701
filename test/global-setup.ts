import { readFile, rm } from "node:fs/promises";
import pg from "pg";
import { pino } from "pino";
import type { TestProject } from "vitest/node";
import { migrateFeeds } from "../src/feeds/store/migrate-feeds.ts";
import { migrateQueueSchema } from "../src/monitor/queue/backend.ts";
import { openPool } from "../src/monitor/store/database.ts";
import { loginsOf } from "../src/monitor/store/embedded/app-role.ts";
import { startEmbeddedPostgres } from "../src/monitor/store/embedded.ts";
import { migrate } from "../src/monitor/store/migrate.ts";
import { databaseAt } from "./database-at.ts";
import { ODD_CLOCK, ODD_PATH, ODD_ZONE } from "./odd-world.ts";
import { makeRunFolder, tablesOf } from "./run-folder.ts";
import { TEMPLATE } from "./template-name.ts";

/**
 * One PostgreSQL for the whole run, with one migrated template that every test file clones (test/postgres.ts). What
 * makes a real one safe against power cuts is off: nobody needs these tables after the run.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await makeRunFolder();
  const dataDir = tablesOf(folder);
  const server = await startEmbeddedPostgres({
    dataDir,
    log: pino({ level: "warn" }, pino.destination(2)),
    maxConnections: 300,
    fileSocket: true,
    settings: {
      ...{ fsync: "off", synchronous_commit: "off", full_page_writes: "off" },
      search_path: ODD_PATH,
      timezone: ODD_ZONE,
    },
  });
  await makeTemplate(server.url);
  project.provide("postgresUrl", server.url);
  const logins = loginsOf((await readFile(`${dataDir}.password`, "utf8")).trim());
  project.provide("superuserUrl", logins.superuserUrl(Number(new URL(server.url).port), "postgres"));
  return async () => {
    await server.stop();
    const elsewhere = (await readFile(`${dataDir}.location`, "utf8").catch(() => "")).trim();
    if (elsewhere !== "") await rm(elsewhere, { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
}

/** All tables that a test may want: making them anew takes a database longer than being cloned. */
async function makeTemplate(server: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(`create database ${TEMPLATE}`);
  await client.end();
  const url = databaseAt(server, TEMPLATE);
  const own = new pg.Client({ connectionString: url });
  await own.connect();
  await own.query(ODD_CLOCK);
  await own.end();
  await migrate(url);
  await migrateQueueSchema({ kind: "postgres", url, schema: "earshot_queue" });
  const pool = openPool({ url, onError: () => {} });
  await migrateFeeds(pool);
  await pool.end();
}

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
    /** Of the same server, for the few who set what only a superuser may. */
    superuserUrl: string;
    /** Everything is tested (vitest.config.ts). */
    isThorough: boolean;
  }
}
