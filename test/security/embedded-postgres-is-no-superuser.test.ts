import { chmod, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { migrateLocalApi } from "../../src/listening-api/store/migrate-local-api.ts";
import { migrateQueueSchema } from "../../src/monitor/queue/backend.ts";
import { inspectDatabase, openDatabase, openPool } from "../../src/monitor/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/monitor/store/embedded.ts";
import { migrate } from "../../src/monitor/store/migrate.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { dropSiblingDatabase, ensureSiblingDatabase } from "../../src/monitor/store/sibling-database.ts";

const SIBLING = "earshot_replay_0123456789ab";
const LATER = Date.UTC(2031, 4, 1);

let root: string;
let dataDir: string;
let stops: (() => Promise<unknown>)[];

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "earshot-no-superuser-"));
  await chmod(root, 0o755);
  dataDir = join(root, "postgres");
  stops = [];
});
afterEach(async () => {
  for (const stop of stops.reverse()) await stop();
  const elsewhere = (await readFile(`${dataDir}.location`, "utf8").catch(() => "")).trim();
  if (elsewhere !== "") await rm(elsewhere, { recursive: true, force: true });
  await rm(root, { recursive: true, force: true });
});

async function start(share = false): Promise<EmbeddedPostgres> {
  const log = pino({ level: "silent" });
  const server = await startEmbeddedPostgres({ dataDir, log, share, settings: { fsync: "off" } });
  stops.push(server.stop);
  return server;
}

async function superuserUrl(server: EmbeddedPostgres, database: string): Promise<string> {
  const password = (await readFile(`${dataDir}.password`, "utf8")).trim();
  return `postgres://earshot:${password}@${new URL(server.url).host}/${database}`;
}

async function ask(url: string, ...statements: string[]): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: unknown[] = [];
    for (const sql of statements) rows = (await client.query(sql)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

/** Everything that Earshot makes in a database. */
async function makeTables(url: string): Promise<void> {
  await migrate(url);
  await migrateQueueSchema({ kind: "postgres", url, schema: "earshot_queue" });
  const pool = openPool({ url, onError: () => {} });
  await migrateLocalApi(pool);
  await pool.end();
}

async function withDatabase<T>(
  url: string,
  work: (db: Parameters<typeof inspectDatabase>[0]) => Promise<T>,
): Promise<T> {
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    return await work(database.db);
  } finally {
    await database.close();
  }
}

const makePartitions = (url: string): Promise<void> =>
  withDatabase(url, (db) => ensurePartitions(db as unknown as Parameters<typeof ensurePartitions>[0], LATER));

/** What is in the way of a role that shall do everything but leave the database. Empty is right. */
async function faultsOf(url: string): Promise<string[]> {
  const rows = await ask(url, "select from pg_roles where rolname = current_user and not rolsuper");
  const faults: string[] = rows.length === 1 ? [] : ["a superuser"];
  for (const sql of [
    "copy (select 'x') to program 'cat'",
    "create temp table stolen (line text); copy stolen from program 'id -un'",
    "create temp table stolen (line text); copy stolen from '/etc/passwd'",
    "select pg_read_file('/etc/passwd')",
    "select pg_ls_dir('/')",
    "select lo_import('/etc/passwd')",
    "select rolpassword from pg_authid",
    "set role earshot",
    "set session authorization earshot",
    "alter role earshot_app superuser",
    "create role another superuser",
    "grant pg_execute_server_program to earshot_app",
    "alter system set archive_command = 'true'",
    "create function run(cstring) returns int language c as 'libc', 'system'",
  ]) {
    const refused = await ask(url, sql).then(
      () => "done",
      (error: pg.DatabaseError) => error.code ?? String(error),
    );
    // 42501: insufficient privilege.
    if (refused !== "42501") faults.push(`${sql}: ${refused}`);
  }
  return faults;
}

const NOT_OURS = `
  select 'table ' || oid::regclass as name from pg_class
  where relowner <> 'earshot_app'::regrole and relnamespace in (select oid from named)
  union all select 'routine ' || oid::regprocedure from pg_proc
  where proowner <> 'earshot_app'::regrole and pronamespace in (select oid from named)
  union all select 'type ' || oid::regtype from pg_type
  where typowner <> 'earshot_app'::regrole and typnamespace in (select oid from named)
  union all select 'collation ' || collname from pg_collation
  where collowner <> 'earshot_app'::regrole and collnamespace in (select oid from named)
  union all select 'statistics ' || stxname from pg_statistic_ext
  where stxowner <> 'earshot_app'::regrole and stxnamespace in (select oid from named)
  union all select 'schema ' || nspname from named
  where nspowner <> 'earshot_app'::regrole and nspname <> 'public'
  union all select 'database' from pg_database
  where datname = current_database() and datdba <> 'earshot_app'::regrole`;

async function notHandedOver(url: string): Promise<string[]> {
  const rows = await ask(
    url,
    `with named as (select * from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema') ${NOT_OURS}`,
  );
  return (rows as { name: string }[]).map(({ name }) => name);
}

test("the role of the pools cannot leave the database, and everything that Earshot does works with it", async () => {
  const { url } = await start();
  expect(await faultsOf(url)).toEqual([]);

  await makeTables(url);
  await makePartitions(url);
  expect(await ask(url, "select to_regclass('earshot.mentions_2031_05') is not null as made")).toEqual([
    { made: true },
  ]);
  expect(await notHandedOver(url)).toEqual([]);

  const sibling = await ensureSiblingDatabase(url, SIBLING);
  await makeTables(sibling.url);
  expect(await faultsOf(sibling.url)).toEqual([]);
  await dropSiblingDatabase(url, SIBLING);

  // For the doctor's look at the disk.
  const { dataDirectory } = await withDatabase(url, inspectDatabase);
  expect(dataDirectory).toContain("postgres");
});

/** A folder as earlier versions left it: all is the superuser's, and there is no other role. Answers before it is stopped. */
async function makeOldFolder(): Promise<EmbeddedPostgres> {
  const server = await start();
  const admin = await superuserUrl(server, "postgres");
  await ask(
    admin,
    "drop database earshot",
    "drop owned by earshot_app",
    "drop role earshot_app",
    "create database earshot",
  );
  await ask(admin, `create database ${SIBLING}`);
  for (const name of ["earshot", SIBLING]) {
    const url = await superuserUrl(server, name);
    await makeTables(url);
    await ask(
      url,
      `insert into earshot.settings (key, value) values ('kept', '42')`,
      "create table public.numbered (id serial primary key, at bigint generated always as identity)",
      `create sequence public."Free ""one"""`,
      "create view public.seen as select id from public.numbered",
      "create materialized view public.frozen as select id from public.numbered",
      "create type public.mood as enum ('good')",
      "create type public.pair as (a int, b int)",
      "create type public.span as range (subtype = int)",
      "create domain public.positive as int check (value > 0)",
      "create procedure public.nothing(a int, b public.mood[]) language sql as 'select 1'",
      "create aggregate public.total(int) (sfunc = int4pl, stype = int)",
      "create statistics public.both on id, at from public.numbered",
      "create extension pg_trgm",
    );
  }
  return server;
}

async function expectHandedOver(server: EmbeddedPostgres): Promise<void> {
  for (const name of ["earshot", SIBLING]) {
    const url = server.url.replace(/\/earshot$/, `/${name}`);
    expect(await faultsOf(url)).toEqual([]);
    const left = await notHandedOver(url);
    // Members of an extension keep their owner, and so do the helpers that every range type has.
    expect(
      left.filter((one) => !/trgm|similarity|gin_|gtrgm|set_limit|show_limit|routine span/.test(one)),
    ).toEqual([]);
    expect(await ask(url, "select value from earshot.settings where key = 'kept'")).toEqual([{ value: 42 }]);
    await ask(
      url,
      "insert into public.numbered default values",
      "alter table public.numbered add column if not exists more int",
    );
    await makeTables(url);
    await makePartitions(url);
  }
}

test("the tables of an earlier version are handed over at the first start", async () => {
  const old = await makeOldFolder();
  await old.stop();
  const next = await start();
  await expectHandedOver(next);
  const password = new URL(next.url).password;
  await next.stop();

  const again = await start();
  expect(new URL(again.url).password).toBe(password);
  await expectHandedOver(again);
});

test("a hand-over that was interrupted between two tables ends at the next start", async () => {
  const old = await makeOldFolder();
  await ask(await superuserUrl(old, "postgres"), "create role earshot_app nologin");
  await ask(
    await superuserUrl(old, "earshot"),
    "alter schema earshot owner to earshot_app",
    "alter table earshot.mentions owner to earshot_app",
    "alter table public.numbered owner to earshot_app",
    "alter database earshot owner to earshot_app",
  );
  await old.stop();
  await expectHandedOver(await start());
});

test("a hand-over that fails in one database changes nothing there, and the next start ends it", async () => {
  const old = await makeOldFolder();
  // Fails once, half way: a sequence does not go back with its transaction.
  await ask(
    await superuserUrl(old, SIBLING),
    "create sequence public.attempts",
    `create function public.interrupt() returns event_trigger language plpgsql as $$
     begin
       if nextval('public.attempts') = 20 then raise exception 'the power went'; end if;
     end $$`,
    "create event trigger interrupt on ddl_command_end execute function public.interrupt()",
  );
  await old.stop();

  await expect(start()).rejects.toMatchObject({
    details: expect.arrayContaining([expect.stringContaining("the power went")]),
  });
  const next = await start();
  await ask(await superuserUrl(next, SIBLING), "drop event trigger interrupt");
  await expectHandedOver(next);
});

test("a command that meets a running earlier version asks to restart it", async () => {
  await makeOldFolder();
  await expect(start(true)).rejects.toThrow(/it is an earlier version/);
});
