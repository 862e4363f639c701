import { Kysely, PostgresDialect } from "kysely";
import type { Pool } from "pg";

/** The pool that the local API is lent. */
export type DatabasePool = Pool;

/** The local API's view of PostgreSQL: statements are written as `sql`, tables live in the schema `local_api`. */
export type Database = Kysely<unknown>;

/** Wraps a pool that belongs to the caller: never destroyed here. */
export function createDatabase(pool: DatabasePool): Database {
  return new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) });
}
