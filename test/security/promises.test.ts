import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const PROMISES = (readFileSync(join(ROOT, "SECURITY.md"), "utf8").split("## What is promised")[1] ?? "")
  .replace(/^.*?\n\n/s, "")
  .replaceAll(/\s+/g, " ");
const CHECKS = checksIn(PROMISES);

/** A file, and the titles after it, as they stand in SECURITY.md. */
function checksIn(text: string): readonly { readonly file: string; readonly titles: readonly string[] }[] {
  return text
    .split(/`(?=test\/)/)
    .slice(1)
    .map((part) => ({
      file: part.slice(0, part.indexOf("`")),
      titles: [...part.matchAll(/"([^"]+)"/g)].map(([, title = ""]) => title),
    }));
}

/** What is wrong with a promise that such a test of this text holds; null if nothing is. */
function whyNotHeld(text: string, title: string): string | null {
  const code = text.replaceAll(/^\s*(?:\/\/|\*|\/\*).*$/gm, "");
  if (/\.(?:skip|skipIf|runIf|todo|only|fails)\b|\bx(?:it|describe)\b/.test(code))
    return "a test of this file is skipped, or may be";
  const words = title.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const called = new RegExp(`\\(\\s*["\`]${words}["\`]\\s*,`);
  return called.test(withValues(code)) ? null : "no test has this title";
}

/** Titles that are made of constants, as they are read. */
function withValues(code: string): string {
  return code.replaceAll(/\$\{([A-Z]+)\}/g, (whole, name: string) => {
    const value = new RegExp(`^const ${name} = ([\\d_]+);`, "m").exec(code)?.[1];
    return value?.replaceAll("_", "") ?? whole;
  });
}

test("every promise of SECURITY.md names tests by file and title, which are there and not skipped", () => {
  const promises = PROMISES.split(" - ").slice(1);
  expect(promises.length).toBeGreaterThan(20);
  expect(promises.filter((text) => checksIn(text).length === 0)).toEqual([]);
  expect(CHECKS.filter(({ titles }) => titles.length === 0)).toEqual([]);
  const faults = CHECKS.flatMap(({ file, titles }) => {
    if (!existsSync(join(ROOT, file))) return [`${file} is not there`];
    const text = readFileSync(join(ROOT, file), "utf8");
    return titles.flatMap((title) => {
      const why = whyNotHeld(text, title);
      return why === null ? [] : [`${file} "${title}": ${why}`];
    });
  });
  expect(faults).toEqual([]);
});

test("every test of this folder holds a promise that is made", () => {
  const tests = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts"));
  const named = new Set(CHECKS.map(({ file }) => file));
  const held = tests.map((name) => `test/security/${name}`);
  expect(held.filter((file) => !named.has(file) && !file.endsWith("promises.test.ts"))).toEqual([]);
});

test.each([
  ['test("it holds", () => {});', true],
  ['it.each([1])(\n  "it holds",\n  () => {},\n);', true],
  ['test("it holds not", () => {});', false],
  ['test.skip("it holds", () => {});', false],
  ['describe.skip("all", () => test("it holds", () => {}));', false],
  ['test.skipIf(isSlow)("it holds", () => {});', false],
  ['// test("it holds", () => {});', false],
  ['const title = "it holds";', false],
])("a promise that %j should hold: %s", (text, isHeld) => {
  expect(whyNotHeld(text, "it holds") === null).toBe(isHeld);
});
