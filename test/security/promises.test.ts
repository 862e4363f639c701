import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PROMISES = readFileSync(join(ROOT, "SECURITY.md"), "utf8").split("## What is promised")[1] ?? "";
const named = [...PROMISES.matchAll(/`(test\/[^`]+)`/g)].map(([, file = ""]) => file);

test("every promise of SECURITY.md names the test that holds it, and each is there", () => {
  expect(named.filter((file) => !existsSync(join(ROOT, file)))).toEqual([]);
  const promises = PROMISES.split("\n- ").slice(1);
  expect(promises.length).toBeGreaterThan(10);
  expect(promises.filter((text) => !text.includes("`test/"))).toEqual([]);
});

test("every test of this folder holds a promise that is made", () => {
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const held = tests.map((name) => `test/security/${name}`);
  expect(held.filter((file) => !named.includes(file) && !file.endsWith("promises.test.ts"))).toEqual([]);
});
