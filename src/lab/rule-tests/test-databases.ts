import { migrateLocalApi } from "#listening-api";
import {
  copySiblingDatabase,
  dropSiblingDatabase,
  ensurePartitions,
  ensureSiblingDatabase,
  isAlive,
  migrate,
  openDatabase,
  openPool,
  siblingDatabases,
} from "#monitor";
import { systemClock } from "../../lib/clock.ts";
import { openTogether } from "../../lib/closing.ts";
import { DAY, type Instant } from "../../lib/instant.ts";
import { prepareTables } from "./run-rule-test.ts";
import type { StoryQueries } from "./stage.ts";
import { startOf } from "./story.ts";
import type { RuleTest } from "./test-file.ts";

interface PreparedDatabase {
  readonly url: string;
  readonly queries: StoryQueries;
}

/** The databases of rule tests on one server. */
export interface TestDatabases {
  /**
   * Runs `work` on a database that holds the tables, the account of the test and its baseline. It is dropped afterwards.
   * Tests with the same start, usual and queries begin with copies of one.
   */
  withDatabase<T>(
    test: RuleTest,
    queries: readonly string[],
    work: (database: PreparedDatabase) => Promise<T>,
  ): Promise<T>;
  /** Drops them all. */
  close(): Promise<void>;
}

const PREFIX = "earshot_rule_test_";

interface Base {
  readonly name: string;
  readonly queries: StoryQueries;
}

/** Opens the databases of one run, or of one that watches. */
export async function openTestDatabases(server: string): Promise<TestDatabases> {
  await dropLeftBehind(server);
  const prefix = `${PREFIX}${systemClock.now().toString(36)}_${process.pid}`;
  const bases = new Map<string, Promise<Base>>();
  let made = 0;
  /** All others are copies of it. It has the partitions of the first test: most tests are of the same month. */
  let empty: Promise<string> | null = null;
  const emptyFor = (start: Instant): Promise<string> => {
    const name = `${prefix}_empty`;
    empty ??= ensureSiblingDatabase(server, name).then(async ({ url }) => {
      await makeTables(url, start);
      return name;
    });
    empty.catch(() => {
      empty = null;
    });
    return empty;
  };
  const baseOf = (test: RuleTest, names: readonly string[]): Promise<Base> => {
    const key = JSON.stringify([test.start, test.usual, names]);
    const prepare = async (): Promise<Base> => {
      const name = `${prefix}_base${++made}`;
      const url = await copySiblingDatabase(server, name, await emptyFor(startOf(test)));
      return { name, queries: await prepareTables(url, test, names) };
    };
    const base = bases.get(key) ?? prepare();
    bases.set(key, base);
    base.catch(() => bases.delete(key));
    return base;
  };
  return {
    withDatabase: async (test, names, work) => {
      const { name, queries } = await baseOf(test, names);
      const own = `${prefix}_run${++made}`;
      try {
        return await work({ url: await copySiblingDatabase(server, own, name), queries });
      } finally {
        await dropSiblingDatabase(server, own);
      }
    },
    close: async () => {
      for (const name of await siblingDatabases(server, prefix)) await dropSiblingDatabase(server, name);
    },
  };
}

/** A run that was killed leaves its databases; one that watches files keeps its own for days. */
async function dropLeftBehind(server: string): Promise<void> {
  for (const name of await siblingDatabases(server, PREFIX)) {
    const [madeAt = "", pid = ""] = name.slice(PREFIX.length).split("_");
    if (Number.parseInt(madeAt, 36) < systemClock.now() - DAY && !isAlive(Number(pid)))
      await dropSiblingDatabase(server, name);
  }
}

async function makeTables(url: string, start: Instant): Promise<void> {
  await migrate(url);
  await openTogether(async (closing) => {
    const pool = openPool({ url, connections: 1, onError: () => {} });
    closing.add(() => pool.end());
    await migrateLocalApi(pool);
    const { db, close } = openDatabase({ url, connections: 1, onError: () => {} });
    closing.add(close);
    await ensurePartitions(db, start);
    await closing.close();
  });
}
