import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, test } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "earshot-source-lines-"));
const bundled = join(folder, "out", "program.js");

const PROGRAM = `
import { nameSourceLines } from ${JSON.stringify(join(import.meta.dirname, "../../src/lib/source-lines.ts"))};
nameSourceLines();
function fail(): never {
  throw new TypeError("no such thing");
}
if (process.argv[2] === "uncaught") fail();
try {
  fail();
} catch (error) {
  console.log((error as Error).stack);
}
const hostile = new Error("x");
hostile.toString = () => { throw hostile };
hostile.name = "Odd";
Error.captureStackTrace(hostile);
console.log(hostile.stack);
const plain = {};
Error.captureStackTrace(plain);
console.log((plain as { stack: string }).stack.split("\\n").length > 1);
`;

beforeAll(async () => {
  const source = join(folder, "program.ts");
  writeFileSync(source, PROGRAM);
  const options = { bundle: true, format: "esm", platform: "node", minify: true, sourcemap: true } as const;
  await build({ ...options, entryPoints: [source], outfile: bundled });
  writeFileSync(join(folder, "out", "package.json"), '{"type":"module"}');
});

afterAll(() => rmSync(folder, { recursive: true }));

test("a stack trace names the line of the source", () => {
  const printed = execFileSync(process.execPath, [bundled], { encoding: "utf8" });
  expect(printed).toMatch(/^TypeError: no such thing\n {4}at /);
  expect(printed).toContain(`${join(folder, "program.ts")}:5:9`);
  expect(printed).toContain("Odd: x\n");
  expect(printed.trimEnd()).toMatch(/true$/);
});

test("an error that nobody catches names it, too", () => {
  const { stderr, status } = spawnSync(process.execPath, [bundled, "uncaught"], { encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toContain("TypeError: no such thing\n");
  expect(stderr).toContain(`${join(folder, "program.ts")}:5:9`);
});

test("without a map it is the line of the bundle", () => {
  rmSync(`${bundled}.map`);
  const printed = execFileSync(process.execPath, [bundled], { encoding: "utf8" });
  expect(printed).toContain("program.js:");
});
