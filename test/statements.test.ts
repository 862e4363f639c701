import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createTestDatabase } from "./postgres.ts";
import { describeStatement } from "./statements/describe-statement.ts";
import { findRowFaults, type ValueTypes } from "./statements/find-row-faults.ts";
import { findStatements, type Statement } from "./statements/find-statements.ts";
import { readNullable } from "./statements/nullable-columns.ts";

/**
 * The rows that the code expects are claims (`sql<Row>`), and the statements are texts: the compiler checks neither.
 * Here PostgreSQL reads every statement of the stores and says what it returns; that is compared with the claim. A
 * table, column or type that does not exist, a column that is missing, has another type, or may be null, is found in
 * statements that no other test runs, too. docs/adr/checked-statements.md says why it is like this.
 */
const ROOT = join(import.meta.dirname, "..");

const ending: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(ending.map((end) => end())));

let client: pg.Client;
let statements: Statement[];
beforeAll(async () => {
  client = await open();
  statements = findStatements(ROOT, FOLDERS, STAND_INS).filter(({ place }) => !/\/migrat/.test(place));
}, 120_000);

test("every statement of the stores fits the schema, and the rows that the code expects", async () => {
  const { faults, unknown, unused } = await check(client, statements);
  expect(faults).toEqual([]);
  expect(
    unknown,
    "has no text before it runs: name it in WRITTEN_BY_DATA, with the test that runs it",
  ).toEqual([]);
  expect(unused, "is in NEVER_NULL or WRITTEN_BY_DATA, and nothing needs that").toEqual([]);
  expect(statements.length).toBeGreaterThan(500);
  expect(statements.filter(({ row }) => row !== null).length).toBeGreaterThan(280);
}, 120_000);

test.each([
  [
    "a column has another name",
    "alter table earshot.polls rename column failures to failure_count",
    /polls\.ts:\d+: column "failures" does not exist/,
  ],
  [
    "a column has another type",
    "alter table earshot.polls alter column failures drop default, alter column failures type text using ''",
    /polls\.ts:\d+: failures is string, and the code takes it for number/,
  ],
  [
    "a column may be null",
    "alter table earshot.queries alter column name drop not null",
    /queries\.ts:\d+: name may be null, and the code takes it for string/,
  ],
  [
    "a table is gone",
    "drop table earshot.settings",
    /settings\.ts:\d+: relation "earshot.settings" does not exist/,
  ],
])("a planted fault is found: %s", async (_name, change, expected) => {
  const changed = await open();
  await changed.query(change);
  const some = statements.filter(({ place }) => /monitor\/store\/(?:polls|queries|settings)\.ts/.test(place));
  const { faults } = await check(changed, some);
  expect(faults).toContainEqual(expect.stringMatching(expected));
});

test.each([
  [
    "a column that is not there",
    "select id from earshot.silences",
    { createdBy: "string" },
    /reads createdBy/,
  ],
  [
    "the optional side of a join",
    "select s.id from earshot.queries q left join earshot.silences s on s.id::text = q.query_id",
    { id: "string" },
    /id may be null/,
  ],
  [
    "the greatest of no rows",
    "select max(failures) as most from earshot.polls",
    { most: "number" },
    /most may be null/,
  ],
  ["a count as text", "select count(*)::text as n from earshot.polls", { n: "number" }, /n is string/],
])("a planted claim is found: %s", async (_name, text, row, expected) => {
  const columns = Object.entries(row).map(([name, type]) => ({ name, types: new Set([type]) }));
  const { faults } = await check(client, [
    { place: "src/monitor/store/a.ts:1", texts: [text], dynamic: null, row: columns },
  ]);
  expect(faults).toEqual([expect.stringMatching(expected)]);
});

const FOLDERS = ["src/monitor/store/", "src/listening-api/store/", "src/feeds/store/"];

/** Null in the table, and never in the rows that the statement chooses. */
const NEVER_NULL = new Set([
  // Only of messages that were sent, which have one.
  "src/monitor/store/alert-messages.ts ref",
  "src/monitor/store/notifications.ts ref",
  // Only of alerts that fired: the statement compares it.
  "src/monitor/store/console/response.ts firedAt",
  // Only of jobs, which have one.
  "src/monitor/store/dead-letters.ts scope",
  // Written by the statement itself.
  "src/monitor/store/polls.ts lease",
  "src/monitor/store/budgets.ts call",
  "src/feeds/store/feeds.ts lease",
  // The statement asks for it: is not null.
  "src/monitor/store/health.ts completeUntil",
  "src/listening-api/store/sealed-items.ts sealed",
  // Only of items whose content is sealed: they were deleted, and may return.
  "src/listening-api/store/sealed-items.ts delete_reason",
  "src/listening-api/store/sealed-items.ts deleted_at",
  "src/listening-api/store/sealed-items.ts may_return_until",
]);

/** Files whose statements are made of what the program is given: their tests run each form. */
const WRITTEN_BY_DATA = new Set([
  // Names of partitions, and of tables in the catalog.
  "src/monitor/store/partitions.ts",
  "src/monitor/store/rewrite-tables.ts",
  "src/listening-api/store/mention-months.ts",
  // The columns and dimensions that a request chooses.
  "src/listening-api/store/chart-cells.ts",
  "src/listening-api/store/mention-page.ts",
  "src/listening-api/store/top-authors.ts",
]);

/** Conditions that come from what a request filters by: the tests of filters run each of them. */
const STAND_INS = new Map([["conditionSql", "true"]]);

/** The parsers of the driver that each room uses: see `openDatabase`; the local API has those of pg itself. */
function valueTypesOf(place: string): ValueTypes {
  return place.startsWith("src/monitor/") ? OF_MONITOR : OF_DRIVER;
}

const { builtins } = pg.types;
const OF_DRIVER: ValueTypes = new Map([
  [builtins.BOOL, "boolean"],
  [builtins.INT2, "number"],
  [builtins.INT4, "number"],
  [builtins.FLOAT4, "number"],
  [builtins.FLOAT8, "number"],
  [builtins.OID, "number"],
  [builtins.TIMESTAMP, "Date"],
  [builtins.TIMESTAMPTZ, "Date"],
  [builtins.DATE, "Date"],
  [builtins.BYTEA, "Buffer"],
  [builtins.JSON, "any"],
  [builtins.JSONB, "any"],
  ...[1000, 1001, 1005, 1007, 1009, 1014, 1015, 1016, 1021, 1022, 1115, 1182, 1185, 2951, 199, 3807].map(
    (array) => [array, "array"] as const,
  ),
]);
const OF_MONITOR: ValueTypes = new Map([
  ...OF_DRIVER,
  [builtins.INT8, "number"],
  [builtins.TIMESTAMPTZ, "number"],
  [builtins.DATE, "string"],
]);

/** A connection to a migrated database, which ends with this file. */
async function open(): Promise<pg.Client> {
  const database = await createTestDatabase();
  const opened = new pg.Client({ connectionString: database.url });
  await opened.connect();
  ending.push(async () => {
    await opened.end();
    await database.drop();
  });
  return opened;
}

async function check(on: pg.Client, some: readonly Statement[]) {
  const nullable = await readNullable(on);
  const used = new Set<string>();
  const faults = new Set<string>();
  const unknown: string[] = [];
  for (const { place, texts, dynamic, row } of some) {
    const file = place.replace(/:\d+$/, "");
    if (WRITTEN_BY_DATA.has(file)) {
      used.add(file);
      continue;
    }
    if (dynamic !== null) unknown.push(`${place}: ${dynamic}`);
    for (const text of texts) {
      try {
        const described = await describeStatement(on, text);
        if (row === null) continue;
        const mayBeNull = await nullable(text);
        const found = findRowFaults(row, described, valueTypesOf(place), (column, position) => {
          const name = `${file} ${column.name}`;
          if (!mayBeNull(column, position)) return false;
          used.add(name);
          return !NEVER_NULL.has(name);
        });
        for (const fault of found) faults.add(`${place}: ${fault}`);
      } catch (error) {
        faults.add(`${place}: ${error instanceof Error ? error.message : String(error)}\n${text}`);
      }
    }
  }
  const unused = [...NEVER_NULL, ...WRITTEN_BY_DATA].filter((name) => !used.has(name));
  return { faults: [...faults], unknown, unused };
}
