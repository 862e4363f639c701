import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Pool } from "pg";
import { pino } from "pino";
import { createManualClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { DAY, type Instant } from "../../src/lib/instant.ts";
import { seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { createLocalApi } from "../../src/listening-api/create-local-api.ts";
import { type MentionFields, mentionRecord } from "../../src/listening-api/records/mention-record.ts";
import { wireTime } from "../../src/listening-api/records/wire.ts";
import { createDatabase } from "../../src/listening-api/store/database.ts";
import { insertMentions } from "../../src/listening-api/store/insert-mentions.ts";
import { ensureMentionMonths } from "../../src/listening-api/store/mention-months.ts";
import { migrateLocalApi } from "../../src/listening-api/store/migrate-local-api.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { logIn } from "../listening-api/fixture.ts";

/** What benchmarks of pages share: a local API over an embedded PostgreSQL, on a port, with as many mentions as wanted. */
export interface BenchServer {
  readonly pool: Pool;
  readonly databaseUrl: string;
  readonly postgresPid: number;
  readonly projectId: number;
  /** Of the project. */
  readonly url: string;
  readonly token: string;
  readonly queryIds: readonly number[];
  close(): Promise<void>;
}

export const FIRST: Instant = Date.UTC(2026, 0, 1);

export async function startBenchServer(queries: readonly string[]): Promise<BenchServer> {
  const closing = createClosing();
  const root = await mkdtemp(join(tmpdir(), "earshot-bench-"));
  closing.add(() => rm(root, { recursive: true, force: true }));
  await chmod(root, 0o755);
  const log = pino({ level: "warn" }, pino.destination(2));
  const server = await startEmbeddedPostgres({ dataDir: join(root, "postgres"), log });
  closing.add(server.stop);
  const pool = new Pool({ connectionString: server.url, max: 8 });
  pool.on("error", () => {});
  closing.add(() => pool.end());
  await migrateLocalApi(pool);
  const user = { username: "bench", password: "bench" };
  const account = await seedAccount(pool, {
    client: { name: "Bench", tags: { "ratelimit.limit": "1000000", "ratelimit.period": "10" } },
    user,
    project: { name: "Bench" },
    queries: queries.map((name) => ({ name })),
    at: FIRST,
  });
  const api = createLocalApi({
    pool,
    clock: createManualClock(FIRST + 200 * DAY),
    log: { info() {}, warn() {}, error: console.error },
    signingSecret: "bench",
  });
  closing.add(api.close);
  const baseUrl = await api.listen({ host: "127.0.0.1", port: 0 });
  const token = String((await logIn(api, user)).body.access_token);
  const queryIds = [...account.queries.values()];
  const { projectId } = account;
  const url = `${baseUrl}/projects/${projectId}`;
  return {
    pool,
    databaseUrl: server.url,
    postgresPid: server.pid,
    projectId,
    url,
    token,
    queryIds,
    close: closing.close,
  };
}

/**
 * One mention of each text is stored as every mention is; PostgreSQL makes the others of these, in turn, evenly over
 * the days and the queries.
 */
export async function fillMentions(
  { pool, queryIds }: BenchServer,
  { mentions, days, of }: { mentions: number; days: number; of: readonly Partial<MentionFields>[] },
): Promise<void> {
  const db = createDatabase(pool);
  const at = wireTime(FIRST);
  const [queryId = 0] = queryIds;
  const versions = of.map((fields, n) => ({
    version: 1,
    record: mentionRecord({
      ...{ resourceId: originalId(n), queryId, queryName: "One", date: at, added: at, updated: at },
      ...fields,
    }),
    ...{ date: FIRST, added: FIRST, updated: FIRST, visibleAt: FIRST, supersededAt: null },
    fullText: fields.snippet ?? null,
  }));
  await insertMentions(db, versions);
  const dates = Array.from({ length: days }, (_, day) => FIRST + day * DAY);
  await db.transaction().execute((transaction) => ensureMentionMonths(transaction, dates));
  const { rows } = await pool.query(`
    select column_name as name from information_schema.columns
    where table_schema = 'local_api' and table_name = 'mention' order by ordinal_position`);
  const made: Readonly<Record<string, string>> = {
    ...{ date: "made.at", added: "made.at", updated: "made.at", visible_at: "made.at", id: "made.n" },
    query_id: `(array[${queryIds.join(",")}])[1 + made.n % ${queryIds.length}]`,
    resource_id: "md5(made.n::text)",
    impact: "made.n % 101",
    filled_fields: "replace(given.filled_fields, given.resource_id, md5(made.n::text))",
  };
  const columns = rows.map((row: { name: string }) => row.name);
  await pool.query(`
    insert into local_api.mention (${columns.join(", ")})
    select ${columns.map((name: string) => made[name] ?? `given.${name}`).join(", ")}
    from generate_series(${of.length}, ${mentions - 1}) as n,
      lateral (select n, to_timestamp(${FIRST / 1_000})
        + n * interval '${Math.floor((days * DAY) / mentions)} milliseconds' as at) as made
      join local_api.mention given on given.resource_id = lpad((made.n % ${of.length})::text, 32, '0')`);
  await pool.query("vacuum analyze local_api.mention");
}

function originalId(n: number): string {
  return String(n).padStart(32, "0");
}
