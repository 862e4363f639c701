import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresDialect,
  PostgresIntrospector,
  type PostgresPoolClient,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from "kysely";
import type { Pool, PoolClient } from "pg";
import { from as copyFrom } from "pg-copy-streams";

/** The pool that the caller passes to the local API. */
export type DatabasePool = Pool;

/** The local API's view of PostgreSQL: statements are written as `sql`, tables live in the schema `local_api`. */
export type Database = Kysely<unknown>;

/** Wraps a pool that belongs to the caller: never destroyed here. */
export function createDatabase(pool: DatabasePool): Database {
  const connect = async () => withCopy(await pool.connect());
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool: { connect, end: () => pool.end() } }) });
}

/** Nothing is in it, and nothing is kept: for readers of requests that look up what a request names. */
export function emptyDatabase(): Database {
  return new Kysely<unknown>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
}

/** Throws, or never answers, where the server cannot be reached. */
export async function isReachable(db: Database): Promise<boolean> {
  await sql`select 1`.execute(db);
  return true;
}

/**
 * Sends lines of PostgreSQL's text format (see `copyLine`) on the connection, and in the transaction, of `db`: one text
 * after the other, so that they need not be in memory together.
 */
export async function copyLines(
  db: Database,
  copyStatement: string,
  lines: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(copyStatement, [new CopyLines(lines)]));
}

class CopyLines {
  readonly lines: Iterable<string> | AsyncIterable<string>;
  constructor(lines: Iterable<string> | AsyncIterable<string>) {
    this.lines = lines;
  }
}

/** Kysely has no COPY and exposes no connection, so a statement with lines is sent as a COPY here. */
function withCopy(client: PoolClient): PostgresPoolClient {
  async function query(text: string, parameters: readonly unknown[]): Promise<unknown> {
    const [first] = parameters;
    if (!(first instanceof CopyLines)) return client.query(text, [...parameters]);
    const stream = client.query(copyFrom(text));
    await pipeline(Readable.from(first.lines), stream);
    return { command: "COPY", rowCount: stream.rowCount, rows: [] };
  }
  return { query, release: () => client.release() } as PostgresPoolClient;
}

let cursors = 0;

/**
 * The rows of one statement, some at a time, as they were when it began. Inside a transaction. PostgreSQL searches them
 * once; a new statement for each batch would repeat the search.
 */
export async function* rowsAtATime<Row>(
  db: Database,
  select: RawBuilder<Row>,
  atATime: number,
): AsyncGenerator<readonly Row[]> {
  const cursor = sql.ref(`rows_${++cursors}`);
  // All rows are wanted: a plan that has the first ones soon is no good.
  await sql`set local cursor_tuple_fraction = 1`.execute(db);
  await sql`declare ${cursor} no scroll cursor for ${select}`.execute(db);
  try {
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(atATime)} from ${cursor}`.execute(db);
      if (rows.length > 0) yield rows;
      if (rows.length < atATime) break;
    }
  } finally {
    // After a failure the transaction takes nothing any more, and ends the cursor itself.
    await sql`close ${cursor}`.execute(db).catch(() => {});
  }
}
