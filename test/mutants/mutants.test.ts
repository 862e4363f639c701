import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findCompiling } from "./compiles.ts";
import { findMutants, type MutatedFile } from "./find-mutants.ts";
import { openPlayer } from "./play.ts";
import { sqlChanges } from "./sql-changes.ts";
import { testsOf } from "./tests-of.ts";
import { tryMutants } from "./try-mutants.ts";
import { writeSwitches } from "./write-switches.ts";

/** Not in the texts: whoever looks for the imports of this file would find it there. */
const SRC = "../src";

/** A small project of its own, with tests that see some mistakes and leave out others. */
const FILES = {
  "tsconfig.json": JSON.stringify({
    compilerOptions: { module: "NodeNext", target: "ES2023", strict: true, allowImportingTsExtensions: true },
    include: ["src"],
  }),
  "package.json": '{ "type": "module" }',
  "src/is-late.ts": `const GRACE = 7;
export function isLate(due: number, now: number): boolean {
  return due > 0 && now > due + GRACE;
}
export const named = (kind: "a" | "b") => (kind === "a" ? "first" : "second");
`,
  "src/count.ts": `export function countUp(to: number): number {
  let count = 0;
  while (count !== to) {
    count += 1;
  }
  return count;
}
export function never(list: number[]): number[] {
  return list.filter((one) => one > 2);
}
`,
  "test/is-late.test.ts": `import { expect, test } from "vitest";
import { isLate, named } from "${SRC}/is-late.ts";
test("late", () => {
  expect(isLate(100, 108)).toBe(true);
  expect(isLate(100, 106)).toBe(false);
  expect(isLate(0, 108)).toBe(false);
});
test("named", () => expect([named("a"), named("b")]).toEqual(["first", "second"]));
`,
  "test/count.test.ts": `import { expect, test } from "vitest";
import { countUp } from "${SRC}/count.ts";
test("counts", () => expect(countUp(3)).toBe(3));
`,
};

let root: string;
let files: MutatedFile[];
beforeAll(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "earshot-mutants-test-")));
  for (const [file, text] of Object.entries(FILES)) {
    await mkdir(dirname(join(root, file)), { recursive: true });
    await writeFile(join(root, file), text);
  }
  await symlink(join(import.meta.dirname, "../../node_modules"), join(root, "node_modules"));
  const all = findMutants(root, () => true);
  const compiling = findCompiling(root, all);
  files = all.map(({ mutants, ...file }) => ({
    ...file,
    mutants: mutants.filter(({ id }) => compiling.has(id)),
  }));
});
afterAll(() => rm(root, { recursive: true, force: true }));

test("what can be changed is found, and what does not compile is left out", () => {
  const keys = files.flatMap(({ mutants }) => mutants.map(({ key }) => key));
  expect(keys).toContain("src/is-late.ts isLate: now > due + GRACE → now >= due + GRACE");
  expect(keys).toContain("src/is-late.ts isLate: due > 0 && now > due + GRACE → now > due + GRACE");
  expect(keys).toContain("src/is-late.ts GRACE: 7 → 8");
  expect(keys).toContain("src/count.ts never: list.filter((one) => one > 2) → list");
  expect(keys.filter((key) => key.includes('named: "a"'))).toEqual([]);
});

test("all mutants of a file stand in one text, on the lines of the file", () => {
  for (const { source, mutants } of files) {
    const written = writeSwitches(source, mutants);
    expect(written.split("\n")).toHaveLength(source.split("\n").length);
    for (const { id } of mutants) expect(written.split(`__mutant(${id})`)).toHaveLength(2);
  }
});

test("of a statement each condition, boundary, lock and conflict is changed by itself", async () => {
  const hole = "$" + "{at}";
  const statement = `
export const find = (sql: (...parts: unknown[]) => string, at: number) => sql\`
  select pg_advisory_xact_lock(1) from t join u on u.a = t.a and u.b = t.b
  where t.a between 1 and 2 and t.b <= ${hole} and (t.c is distinct from 'x and y' or t.d > 1) -- and more
  order by t.a limit 1 for update of t skip locked\`;
export const add = (sql: (...parts: unknown[]) => string) =>
  sql\`insert into t (a) values (1) on conflict (a) do nothing returning a\`;
`;
  await writeFile(join(root, "src/statement.ts"), statement);
  const [found] = findMutants(root, (file) => file === "src/statement.ts", sqlChanges);
  expect(found?.mutants.map(({ key }) => key.replace(/^\S+ /, ""))).toEqual([
    "find: u.a = t.a and → nothing",
    "find: and u.b = t.b → nothing",
    "find: t.a between 1 and 2 and → nothing",
    `find: and t.b <= ${hole} → nothing`,
    "find: and (t.c is distinct from 'x and y' or t.d > 1) -- and more → nothing",
    `find: <= ${hole} and (t.c is distin → < ${hole} and (t.c is distin`,
    "find: > 1) -- and more order b → >= 1) -- and more order b",
    "find: for update of t skip locked → nothing",
    "find: skip locked → nothing",
    "find: pg_advisory_xact_lock(1) from t join u on u.a = t → null from t join u on u.a = t",
    "add: on conflict (a) do nothing → nothing",
  ]);
  await rm(join(root, "src/statement.ts"));
});

test("a test kills what it sees: in turn, from the beginning, and where a loop does not end", async () => {
  const player = await openPlayer(root, files, await mkdtemp(join(tmpdir(), "earshot-mutants-")));
  try {
    const tests = testsOf(
      root,
      files.map(({ file }) => file),
      ["test/is-late.test.ts", "test/count.test.ts"],
    );
    const { fates } = await tryMutants(player, files, tests, { isQuick: false, onCold: () => {} });
    const fate = (part: string) =>
      files
        .flatMap(({ mutants }) => mutants)
        .filter(({ key }) => key.includes(part))
        .map(({ id }) => fates.get(id)?.fate);
    expect(fate("isLate: due > 0 && now > due + GRACE →")).toEqual(["Killed", "Killed"]);
    expect(fate("→ now >= due + GRACE")).toEqual(["Survived"]);
    // Computed when the file is loaded.
    expect(fate("GRACE: 7 → 8")).toEqual(["Killed"]);
    expect(fate("countUp: count += 1 → count -= 1")).toEqual(["Killed"]);
    expect(fate("never: list.filter((one) => one > 2) → list")).toEqual(["NotReached"]);
  } finally {
    await player.close();
  }
}, 60_000);
