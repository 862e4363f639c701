import { randomBytes } from "node:crypto";
import { basename } from "node:path";
import pg from "pg";
import { expect, inject } from "vitest";
import { withOddClock } from "./odd-world.ts";
import { TEMPLATE } from "./template-name.ts";

export interface TestDatabase {
  readonly url: string;
  /** For `afterAll`. Connections that are still open are cut. */
  drop(): Promise<void>;
}

/**
 * A database of its own for a test file, cloned from the migrated template in a few dozen milliseconds:
 *
 *     const database = await createTestDatabase();
 *     afterAll(database.drop);
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject("postgresUrl");
  const name = `test_${isClockAhead() ? "ahead" : "behind"}_${randomBytes(6).toString("hex")}`;
  await onServer(server, `create database ${name} template ${TEMPLATE}`);
  await onServer(server, withOddClock(name));
  return {
    url: server.replace(/\/earshot$/, `/${name}`),
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

/** Of half of the files it is ahead, of the others behind; with all tests it is the other way round. */
function isClockAhead(): boolean {
  const letters = [...basename(expect.getState().testPath ?? "")];
  const isOdd = letters.reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 2 === 1;
  return isOdd !== inject("isThorough");
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
