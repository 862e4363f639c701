import { join } from "node:path";
import { expect, test } from "vitest";
import { projects } from "../vitest.config.ts";
import { missingEntries, testFiles } from "./projects.ts";

const ROOT = join(import.meta.dirname, "..");

test("every test file is in exactly one project", () => {
  const included = projects.flatMap(({ test: { include } }) => include);
  expect(included.sort()).toEqual(testFiles(ROOT));
});

test("every entry of the lists of projects matches a file", () => {
  expect(missingEntries(ROOT)).toEqual([]);
});

test("only unit tests run without the PostgreSQL of the run", () => {
  const without = projects.filter(({ test: { globalSetup } }) => globalSetup.length === 0);
  expect(without.map(({ test: { name } }) => name)).toEqual(["unit"]);
});
