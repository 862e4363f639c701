import { finished } from "node:stream/promises";
import { CompiledQuery, Kysely, PostgresDialect, type PostgresPoolClient } from "kysely";
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

/** Sends lines of PostgreSQL's text format (see `copy-line.ts`) on the connection, and in the transaction, of `db`. */
export async function copyLines(db: Database, copyStatement: string, lines: string): Promise<void> {
  await db.executeQuery(CompiledQuery.raw(copyStatement, [new CopyLines(lines)]));
}

class CopyLines {
  readonly lines: string;
  constructor(lines: string) {
    this.lines = lines;
  }
}

/** Kysely has no COPY and exposes no connection, so a statement with lines is sent as a COPY here. */
function withCopy(client: PoolClient): PostgresPoolClient {
  async function query(text: string, parameters: readonly unknown[]): Promise<unknown> {
    const [first] = parameters;
    if (!(first instanceof CopyLines)) return client.query(text, [...parameters]);
    const stream = client.query(copyFrom(text));
    stream.end(first.lines);
    await finished(stream);
    return { command: "COPY", rowCount: stream.rowCount, rows: [] };
  }
  return { query, release: () => client.release() } as PostgresPoolClient;
}
