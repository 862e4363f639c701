import { pino } from "pino";
import { expect, test } from "vitest";
import { noteRuleTests } from "../../../src/lab/rule-tests/note-rule-tests.ts";
import { useStores } from "../../use-stores.ts";

const { stores, url, database } = await useStores();
const log = pino({ level: "silent" });
const result = { name: "a-edge", rule: "a", outcome: "Failed" as const, tookMs: 12.6 };

test("the last result of each test is stored with the version of its rule; tests of no rule in use are not", async () => {
  const versions = new Map([["a", "111111111111"]]);
  const first = { ...result, failures: [{ line: 4, message: "/a/b.test.yaml:4:9 nobody was notified" }] };
  await noteRuleTests(
    url,
    [first, { ...result, rule: null, failures: [] }, { ...result, rule: "other", failures: [] }],
    versions,
    log,
  );
  expect(await stores.rulePages.tests()).toEqual([
    {
      rule: "a",
      test: "a-edge",
      outcome: "Failed",
      detail: "line 4: nobody was notified",
      ruleVersion: "111111111111",
      ranAt: expect.any(Number),
      tookMs: 13,
    },
  ]);
  await noteRuleTests(
    url,
    [{ ...result, outcome: "Passed", failures: [] }],
    new Map([["a", "222222222222"]]),
    log,
  );
  expect(await stores.rulePages.tests()).toEqual([
    expect.objectContaining({ outcome: "Passed", detail: "", ruleVersion: "222222222222" }),
  ]);
});

test("without the tables of the monitor nothing is stored, and nothing fails", async () => {
  const { sql } = await import("kysely");
  await sql`drop schema earshot cascade`.execute(database.db);
  await noteRuleTests(url, [{ ...result, failures: [] }], new Map([["a", "1"]]), log);
  await noteRuleTests("postgres://nobody@127.0.0.1:1/none", [], new Map(), log);
});
