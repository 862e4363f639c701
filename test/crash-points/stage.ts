import { randomBytes, scryptSync } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { migrateFeeds } from "../../src/feeds/store/migrate-feeds.ts";
import { type Closing, createClosing } from "../../src/lib/closing.ts";
import { createLog } from "../../src/lib/log.ts";
import { type AccountSeed, seedAccount } from "../../src/listening-api/account/seed-account.ts";
import { migrateQueueSchema } from "../../src/monitor/queue/backend.ts";
import { openPool } from "../../src/monitor/store/database.ts";
import { loginsOf } from "../../src/monitor/store/embedded/app-role.ts";
import { startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { migrate } from "../../src/monitor/store/migrate.ts";
import { databaseAt } from "../database-at.ts";
import { storyTime } from "../flows/story-time.ts";
import { createStream, type Stream } from "../flows/stream.ts";
import { startRedis } from "../redis.ts";

export type QueueKind = "redis" | "postgres";

/** An account of the Listening API: its queries, and what people say. */
export interface Account extends Pick<AccountSeed, "categories"> {
  /** A high one: turns of polls are a matter of the wall's clock, which nobody moves forward. */
  readonly rateLimit?: { readonly limit: number; readonly minutes: number };
  readonly queries: readonly string[];
  readonly write: (stream: Stream) => void;
}

/** What is played: the account that all share, and the rules. */
export interface Script extends Account {
  /** The texts of the rule files, by name. */
  readonly rules: Readonly<Record<string, string>>;
}

/** What all sandboxes share: the engines, the mentions, and the rules. */
export interface Stage {
  /** The address of a database of our PostgreSQL. */
  urlOf(database: string): string;
  /** The same, as superuser. */
  superuserUrlOf(database: string): string;
  /** One statement in the server's own database. */
  administrate(sql: string): Promise<void>;
  readonly postgresPort: number;
  /** Null where the queues live in PostgreSQL. */
  readonly redisPort: number | null;
  readonly queue: QueueKind;
  readonly apiPool: pg.Pool;
  /** Writes an account into a database. */
  writeAccount(url: string, account: Account): Promise<void>;
  /** Folder of the rule files. */
  readonly rules: string;
  readonly closing: Closing;
}

export const USER = { username: "monitor@acme.example", password: "correct horse battery" };
export const EMPTY = "crash_empty";
const API = "crash_api";

/** A worker opens some thirty connections: proving its password takes both sides longer than opening them. The superuser proves it. */
const HBA = `
host all earshot 127.0.0.1/32 scram-sha-256
host all all 127.0.0.1/32 trust
`;

/**
 * Workers die here, and servers never do: so nothing has to reach a disk, and the tables lie in memory where there is
 * room. `now()` of a session is the server's moved forward: a lease of the dead runs out when the harness says so.
 */
export async function openStage(queue: QueueKind, script: Script): Promise<Stage> {
  const closing = createClosing();
  try {
    const folder = await mkdtemp(
      join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "earshot-crash-points-"),
    );
    await chmod(folder, 0o755);
    closing.add(() => rm(folder, { recursive: true, force: true }));
    const trusting = join(folder, "trusting");
    await writeFile(trusting, HBA);
    const dataDir = join(folder, "postgres");
    const server = await startEmbeddedPostgres({
      dataDir,
      log: createLog({ level: "silent" }),
      maxConnections: 1_000,
      settings: {
        fsync: "off",
        synchronous_commit: "off",
        full_page_writes: "off",
        autovacuum: "off",
        hba_file: trusting,
      },
    });
    closing.add(server.stop);
    const urlOf = (database: string): string => databaseAt(server.url, database);
    const postgresPort = Number(new URL(server.url).port);
    const logins = loginsOf((await readFile(`${dataDir}.password`, "utf8")).trim());
    const admin = new pg.Pool({ connectionString: server.url, max: 4 });
    // A connection that still closes while the server stops reports an error, which would end the process before its report.
    admin.on("error", () => {});
    closing.add(() => admin.end());
    const administrate = async (sql: string): Promise<void> => void (await admin.query(sql));
    for (const name of [EMPTY, API]) await administrate(`create database ${name}`);
    await makeEmpty(urlOf(EMPTY), administrate);
    const apiPool = openPool({ url: urlOf(API), connections: 24, onError: () => {} });
    closing.add(() => apiPool.end());
    await writeAccount(apiPool, script);
    const redis = queue === "redis" ? await startRedis() : null;
    if (queue === "redis" && redis === null) throw new Error("there is no redis-server on the PATH");
    if (redis !== null) closing.add(redis.stop);
    const rules = join(folder, "rules-of-the-story");
    await mkdir(rules);
    for (const [name, text] of Object.entries(script.rules))
      await writeFile(join(rules, `${name}.yaml`), text);
    return {
      superuserUrlOf: (database) => logins.superuserUrl(postgresPort, database),
      ...{ urlOf, administrate, postgresPort, queue, apiPool, rules, closing },
      writeAccount: async (url, account) => {
        const pool = openPool({ url, connections: 2, onError: () => {} });
        await writeAccount(pool, account);
        await pool.end();
      },
      redisPort: redis === null ? null : Number(new URL(redis.url).port),
    };
  } catch (error) {
    await closing.close();
    throw error;
  }
}

async function makeEmpty(url: string, administrate: (sql: string) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(CLOCK);
  // Every session of this user finds `now()` there first, and so do the defaults of the tables to come.
  await administrate("alter role current_user set search_path = harness, pg_catalog, public");
  await client.end();
  await migrate(url);
  await migrateQueueSchema({ kind: "postgres", url, schema: "earshot_queue" });
}

const CLOCK = `
create schema harness;
create table harness.wall (ahead interval not null);
insert into harness.wall values ('0');
create function harness.now() returns timestamptz language sql stable parallel safe
  return pg_catalog.now() + (select ahead from harness.wall);
create function harness.put_forward(seconds double precision) returns void language sql
  as 'update harness.wall set ahead = ahead + make_interval(secs => seconds)'`;

/** Writes an account and its mentions into the tables of the Listening API. */
async function writeAccount(
  pool: pg.Pool,
  { queries, categories, rateLimit, write }: Account,
): Promise<void> {
  await migrateFeeds(pool);
  const account = await seedAccount(pool, {
    client: { name: "Acme", tags: rateLimit === undefined ? {} : tagsOf(rateLimit) },
    user: USER,
    project: { name: "Brands" },
    queries: queries.map((name) => ({ name })),
    ...(categories !== undefined && { categories }),
    at: storyTime("00:00"),
  });
  await pool.query("update local_api.api_user set password_hash = $1", [cheapHash()]);
  const stream = createStream(pool, account.queries);
  write(stream);
  await stream.write();
}

function tagsOf({ limit, minutes }: NonNullable<Account["rateLimit"]>): Record<string, string> {
  return { "ratelimit.limit": String(limit), "ratelimit.period": String(minutes) };
}

/** The password of `USER`, at the least cost: the API's own takes 40 ms for each login. */
function cheapHash(): string {
  const [N, r, p, salt] = [2, 1, 1, randomBytes(16)];
  const key = scryptSync(USER.password, salt, 32, { N, r, p });
  return ["scrypt", N, r, p, salt.toString("base64url"), key.toString("base64url")].join("$");
}
