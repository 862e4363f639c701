import { chmod, mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import type { Closing } from "../../src/lib/closing.ts";
import { type Database, openDatabase } from "../../src/monitor/store/database.ts";
import { loginsOf } from "../../src/monitor/store/embedded/app-role.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { migrate } from "../../src/monitor/store/migrate.ts";

/** A new embedded PostgreSQL that syncs every commit, with Earshot's tables; it goes with `closing`. */
export async function openBenchDatabase(closing: Closing): Promise<Database> {
  const url = await openBenchDatabaseUrl(closing);
  await migrate(url);
  const database = openDatabase({ url, connections: 4, onError: (error) => log.warn(error) });
  closing.add(database.close);
  return database;
}

const log = pino({ level: "warn" }, pino.destination(2));

/** The same without tables; its address. One that is kept stays in this folder, and is opened again by the next. */
export async function openBenchDatabaseUrl(closing: Closing, kept?: string): Promise<string> {
  const root = kept ?? (await mkdtemp(join(tmpdir(), "earshot-bench-")));
  if (kept === undefined) closing.add(() => rm(root, { recursive: true, force: true }));
  else await mkdir(root, { recursive: true });
  await chmod(root, 0o755);
  const dataDir = join(root, "postgres");
  const postgres = await startEmbeddedPostgres({ dataDir, log });
  if (kept === undefined) closing.add(() => removeElsewhere(dataDir));
  closing.add(postgres.stop);
  await allowCheckpoints(dataDir, postgres.url);
  return postgres.url;
}

/** Benchmarks write everything out between two runs, which Earshot's role may not ask for. */
async function allowCheckpoints(dataDir: string, url: string): Promise<void> {
  const password = (await readFile(`${dataDir}.password`, "utf8")).trim();
  const { superuserUrl } = loginsOf(password);
  const client = new pg.Client({ connectionString: superuserUrl(Number(new URL(url).port), "postgres") });
  await client.connect();
  await client.query("grant pg_checkpoint to earshot_app");
  await client.end();
}

/** Where the tables could not lie below the temporary folder, they lie where this file says. */
async function removeElsewhere(dataDir: string): Promise<void> {
  const elsewhere = (await readFile(`${dataDir}.location`, "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, { recursive: true, force: true });
}
