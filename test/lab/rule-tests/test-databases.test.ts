import { join } from "node:path";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { openTestDatabases } from "../../../src/lab/rule-tests/test-databases.ts";
import { readRuleTest } from "../../../src/lab/rule-tests/test-file.ts";
import { DAY } from "../../../src/lib/instant.ts";
import {
  dropSiblingDatabase,
  ensureSiblingDatabase,
  siblingDatabases,
} from "../../../src/monitor/store/sibling-database.ts";
import { createTestDatabase } from "../../postgres.ts";

const RULES = join(import.meta.dirname, "../../../rules/tests");
const PREFIX = "earshot_rule_test_";
const { url: server, drop } = await createTestDatabase();
afterAll(drop);

const own = async () =>
  (await siblingDatabases(server, PREFIX)).filter((name) => name.includes(`_${process.pid}_`));

async function shipped(name: string) {
  const read = await readRuleTest(join(RULES, `${name}.test.yaml`));
  if (!("test" in read)) throw new Error(`${name} has faults`);
  return read.test;
}

test("tests with the same beginning share one, also in a later run, and each has a copy of its own", async () => {
  const databases = await openTestDatabases(server);
  onTestFinished(databases.close);
  const [one, other] = [await shipped("safety-category"), await shipped("safety-category-one-story")];
  const urls = new Set<string>();
  const use = async ({ url }: { url: string }) => void urls.add(url);
  await Promise.all([
    databases.withDatabase(one, ["Acme"], use),
    databases.withDatabase(other, ["Acme"], use),
  ]);
  await databases.withDatabase(one, ["Acme"], use);
  expect(urls.size).toBe(3);
  expect((await own()).filter((name) => /_base\d+$/.test(name))).toHaveLength(1);
  await databases.withDatabase(one, ["Acme", "Rival"], use);
  expect((await own()).filter((name) => /_base\d+$/.test(name))).toHaveLength(2);
});

test("the database of a failing test is dropped, and all are at the end", async () => {
  const databases = await openTestDatabases(server);
  const failing = databases.withDatabase(await shipped("influential-negative"), ["Acme"], async () => {
    throw new Error("it failed");
  });
  await expect(failing).rejects.toThrow("it failed");
  expect((await own()).filter((name) => /_run\d+$/.test(name))).toEqual([]);
  await databases.close();
  expect(await own()).toEqual([]);
});

test("what a killed run left is dropped after a day, and what a living one keeps is not", async () => {
  const nobody = 2 ** 22 + 1;
  const nameOf = (ageMs: number, pid: number) => `${PREFIX}${(Date.now() - ageMs).toString(36)}_${pid}_base1`;
  const [old, young, kept] = [nameOf(2 * DAY, nobody), nameOf(0, nobody), nameOf(2 * DAY, process.ppid)];
  for (const name of [old, young, kept]) await ensureSiblingDatabase(server, name);
  onTestFinished(async () => {
    for (const name of [young, kept]) await dropSiblingDatabase(server, name);
  });
  const databases = await openTestDatabases(server);
  onTestFinished(databases.close);
  const left = await siblingDatabases(server, PREFIX);
  expect([old, young, kept].map((name) => left.includes(name))).toEqual([false, true, true]);
});
