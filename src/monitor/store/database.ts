import { Kysely, PostgresDialect, sql } from "kysely";
import pg from "pg";
import { BusyError } from "../../lib/errors.ts";
import { type Instant, SECOND } from "../../lib/instant.ts";
import { TransientError } from "../../lib/retry.ts";
import { ALL_PROJECTS } from "../model/digest.ts";
import { Client, mapErrors, Pool } from "./driver.ts";

/** Statements are SQL templates. test/statements.test.ts has PostgreSQL check them, and the rows that they claim. */
export type Db = Kysely<never>;

export interface Database {
  readonly db: Db;
  /** For what is no statement, such as listening. */
  readonly pool: pg.Pool;
  close(): Promise<void>;
}

interface PoolOptions {
  readonly url: string;
  readonly connections?: number;
  /** How long a statement may take, and how long it waits for a free connection: later, it is a BusyError. */
  readonly limits?: { readonly statementMs: number; readonly waitMs: number };
  /** Called when an idle connection breaks. The pool replaces it by itself. */
  readonly onError: (error: Error) => void;
}

/** For whoever reads: a page that takes longer helps nobody, and what it waits for is wanted by others. */
export const READER_LIMITS = { statementMs: 15 * SECOND, waitMs: 3 * SECOND };

/** The driver's own pool, for parts of the program that keep tables of their own. */
export function openPool(options: PoolOptions, types?: pg.CustomTypesConfig): pg.Pool {
  const { limits } = options;
  const pool = new (limits === undefined ? Pool : BusyPool)({
    connectionString: options.url,
    max: options.connections ?? 10,
    application_name: "earshot",
    ...(limits === undefined && { Client: PreparingClient, onConnect: noteDirect }),
    ...(limits !== undefined && {
      Client: BusyClient,
      // Not a parameter of the connection: a PgBouncer refuses those that it does not know.
      onConnect: (client: pg.ClientBase) =>
        client.query(`set statement_timeout = ${limits.statementMs}; ${SESSION}`).then(() => {}),
    }),
    // What is sent together goes in one packet. Only here: a COPY cannot go like that.
    ...(types === undefined ? {} : { types, pipeline: true }),
    // An event after a quiet hour finds some that are open and know the statements.
    min: (options.connections ?? 10) < 10 ? 0 : 3,
    // Without this a statement hangs for ever when the server's machine vanishes.
    keepAlive: true,
    connectionTimeoutMillis: limits?.waitMs ?? 10_000,
  });
  // A server that stops while the pool closes reports an error on the closing connections: ignore it.
  pool.on("error", (error) => {
    if (!pool.ending) options.onError(error);
  });
  // A connection that breaks between two statements of its holder has no other listener. Without this one the whole
  // process would end. The holder gets the error from its next statement.
  pool.on("connect", (client) => {
    client.on("error", () => {});
  });
  return pool;
}

/**
 * Gives each statement with parameters a name, by which the server knows it again: reading and planning it costs more
 * than most of them do.
 */
class PreparingClient extends Client {
  /** Nothing between us and the server hands our statements to another of its processes. */
  isDirect = false;

  // Only calls with a text and values are changed.
  override query(...words: unknown[]): never {
    const [text, values] = words;
    if (this.isDirect && typeof text === "string" && Array.isArray(values) && values.length > 0) {
      const name = nameOf(text);
      if (name !== null) words.splice(0, 2, { name, text, values });
    }
    return super.query(...words);
  }
}

/**
 * What is estimated for months of mentions looks dear, and compiling it takes longer than it runs. Moments and days are
 * read as ISO 8601, however a server writes them otherwise.
 */
const SESSION = "set jit = off; set datestyle = iso";

/** A pooler has process numbers of its own. Behind it a statement may meet a process that does not know its name. */
async function noteDirect(client: pg.ClientBase): Promise<void> {
  await client.query(SESSION);
  const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  if (client instanceof PreparingClient) client.isDirect = rows[0]?.pid === processID;
}

function nameOf(text: string): string | null {
  const known = statements.get(text);
  if (known !== undefined) return known;
  // A statement that is put together has many forms, and each would stay in the memory of the server.
  if (statements.size >= MOST_NAMED) return null;
  const name = `statement ${statements.size}`;
  statements.set(text, name);
  return name;
}

const MOST_NAMED = 1_000;
const statements = new Map<string, string>();

/** A statement that took too long is a BusyError. */
class BusyClient extends Client {
  override query(...words: unknown[]): never {
    return mapErrors(super.query(...words), busy);
  }
}

/** Waiting too long for a connection is a BusyError. */
class BusyPool extends Pool {
  override connect(...words: unknown[]): never {
    return mapErrors(super.connect(...words), busy);
  }
}

function busy(error: unknown): unknown {
  if (!(error instanceof TransientError)) return error;
  if (error.code === "Canceled") return new BusyError("a statement took too long", { cause: error });
  if (error.code === "NotConnected")
    return new BusyError("no connection of the pool was free in time", { cause: error });
  return error;
}

/**
 * Opens a pool on the PostgreSQL at `url`. 64-bit counts are read as numbers and moments as `Instant`s, here and
 * nowhere else.
 */
export function openDatabase(options: PoolOptions): Database {
  const pool = openPool(options, {
    getTypeParser: (oid: number, format?: "text" | "binary") =>
      PARSERS.get(oid) ?? pg.types.getTypeParser(oid, format as "text"),
  });
  const db = new Kysely<never>({ dialect: new PostgresDialect({ pool }) });
  const close = async () => {
    await db.destroy();
    // Kysely ends a pool only after it has used it itself.
    if (!pool.ending) await pool.end();
  };
  return { db, pool, close };
}

/**
 * Does the work of a transaction so that statements which are sent together do not wait for each other's answers: they
 * are done in the order in which they were sent. Kysely alone sends each after the answer to the one before.
 */
export async function together<T>(tx: Db, work: (db: Db) => Promise<T>): Promise<T> {
  const inTurns = tx.getExecutor();
  const connection = await inTurns.provideConnection(async (one) => one);
  let isOver = false;
  const executor = inTurns.withConnectionProvider({
    provideConnection: async (use) => {
      // One of several has failed while another went on: what it sends would be done behind the rollback.
      if (isOver) throw new Error("the transaction has ended");
      return use(connection);
    },
  });
  try {
    return await work(Object.create(tx, { getExecutor: { value: () => executor } }) as Db);
  } finally {
    isOver = true;
  }
}

/**
 * A condition that is always true, and lets the commit of its statement not wait for the disk. A server that crashes may
 * forget what was committed in its last half second: for leases and limits, which are only lost then. It counts for the
 * whole transaction, so the statement must be one.
 */
export const withoutSync = sql`(select set_config('synchronous_commit', 'off', true)) = 'off'`;

/** `Instant` → timestamptz parameter. */
export function at(instant: Instant): ReturnType<typeof sql<Date>> {
  return sql<Date>`to_timestamp(${instant}::double precision / 1000)`;
}

/** `Instant` or null → timestamptz parameter. */
export function atOrNull(instant: Instant | null): ReturnType<typeof sql<Date | null>> {
  return instant === null ? sql<null>`null::timestamptz` : at(instant);
}

const INT8 = 20;
const TIMESTAMPTZ = 1184;
const DATE = 1082;
const PARSERS = new Map<number, (text: string) => unknown>([
  [INT8, Number],
  [TIMESTAMPTZ, (text) => pg.types.getTypeParser(TIMESTAMPTZ)(text)?.valueOf()],
  [DATE, (text) => text],
]);

/** Resolves when the database answers. */
export async function ping(db: Db): Promise<void> {
  await sql`select 1`.execute(db);
}

export interface DatabaseFacts {
  /** As a number: 160004 is 16.4. */
  readonly versionNumber: number;
  readonly version: string;
  readonly bytes: number;
  readonly maxConnections: number;
  readonly connections: number;
  readonly readOnly: boolean;
  /** The server's current time, in epoch milliseconds. */
  readonly now: number;
  readonly fsync: boolean;
  /** The directory of the server's tables; null if this user may not read it. */
  readonly dataDirectory: string | null;
}

/** What the server reports about itself. */
export async function inspectDatabase(db: Db): Promise<DatabaseFacts> {
  const { rows } = await sql<DatabaseFacts>`
    select current_setting('server_version_num')::int as "versionNumber", current_setting('server_version') as version,
      pg_database_size(current_database()) as bytes, current_setting('max_connections')::int as "maxConnections",
      (select count(*) from pg_stat_activity) as connections,
      pg_is_in_recovery() or current_setting('default_transaction_read_only')::bool as "readOnly",
      extract(epoch from clock_timestamp())::float8 * 1000 as now, current_setting('fsync')::bool as fsync,
      case when pg_has_role(current_user, 'pg_read_all_settings', 'member')
        then current_setting('data_directory', true) end as "dataDirectory"
  `.execute(db);
  const [facts] = rows;
  if (facts === undefined) throw new Error("the server returned no facts about itself");
  return facts;
}

/** All project ids. Keys lead with the project, so a look-up by id alone lists them all. */
export const projects = sql`(select distinct project_id from earshot.queries union select ${ALL_PROJECTS})`;
