import { randomBytes } from "node:crypto";
import { basename, join, relative } from "node:path";
import pg from "pg";
import { expect, inject } from "vitest";
import { withOddClock } from "./odd-world.ts";
import { isThorough } from "./projects.ts";
import { TEMPLATE } from "./template-name.ts";

const ROOT = join(import.meta.dirname, "..");

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
  const file = relative(ROOT, expect.getState().testPath ?? "").replaceAll("\\", "/");
  const name = `test_${clockOf(file)}_${randomBytes(6).toString("hex")}`;
  await onServer(server, `create database ${name} template ${TEMPLATE}`);
  await onServer(server, withOddClock(name));
  return {
    url: server.replace(/\/earshot$/, `/${name}`),
    drop: () => onServer(server, `drop database if exists ${name} with (force)`),
  };
}

/** Of half of the files it is ahead, of the others behind. Whole flows and processes still live in an even world. */
function clockOf(file: string): "ahead" | "behind" | "even" {
  if (isThorough(file)) return "even";
  const sum = [...basename(file)].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return sum % 2 === 1 ? "ahead" : "behind";
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
