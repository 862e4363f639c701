import { join } from "node:path";
import { expect, test } from "vitest";
import { projects } from "../vitest.config.ts";
import { leftOut, missingEntries, projectsOf, testFiles } from "./projects.ts";

const ROOT = join(import.meta.dirname, "..");

test("every test file is in exactly one project", () => {
  const included = projects.flatMap(({ test: { include } }) => include);
  const left = leftOut(process.env["EARSHOT_SHARE_SEED"]);
  expect([...included, ...left].sort()).toEqual(testFiles(ROOT));
});

test("of three seeds of CI each plays another third of the longest files; without a seed nothing is left out", () => {
  expect(leftOut(undefined)).toEqual([]);
  const left = ["6", "7", "8"].flatMap(leftOut);
  const files = [...new Set(left)];
  expect(files.map((file) => left.filter((one) => one === file).length)).toEqual(files.map(() => 2));
  expect(Math.abs(leftOut("6").length - leftOut("7").length)).toBeLessThanOrEqual(1);
});

test("every entry of the lists of projects matches a file", () => {
  expect(missingEntries(ROOT)).toEqual([]);
});

test("unit tests need no database, and are quick ones, as those of the rooms are", () => {
  const { projects: all, parts } = projectsOf(ROOT);
  expect(all.quick).toEqual(expect.arrayContaining(Object.values(parts).flat()));
  expect(parts["db"]).toContain("test/postgres.test.ts");
  expect(parts["unit"]).toContain("test/projects.test.ts");
});
