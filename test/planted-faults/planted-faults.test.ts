import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyFault, type Fault, readFaults, readSource } from "./apply-fault.ts";

const ROOT = join(import.meta.dirname, "..", "..");

const FAULT: Fault = {
  name: "one",
  description: "…",
  edits: [{ find: "a\n  b", replace: "c" }],
  checks: ["vitest x"],
};

test("every planted fault still applies, and there are at least twenty", async () => {
  const source = await readSource(ROOT);
  const faults = await readFaults(import.meta.dirname);
  expect(faults.length).toBeGreaterThanOrEqual(20);
  for (const fault of faults) expect(applyFault(fault, source).size).toBeGreaterThan(0);
});

test("docs/reliability.md names for each promise what fails without it, and every planted fault", async () => {
  const page = readFileSync(join(ROOT, "docs/reliability.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| Promise"));
  expect(rows.length).toBeGreaterThan(25);
  const isProof = (name: string) => known.has(name) || /^(test\/|npm run )/.test(name);
  const known = new Set((await readFaults(import.meta.dirname)).map(({ name }) => name));
  const proofs = rows.map((row) =>
    [...(row.split(" | ").at(-1) ?? "").matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
  );
  expect(rows.filter((_, index) => proofs[index]?.length === 0)).toEqual([]);
  expect(proofs.flat().filter((name) => !isProof(name))).toEqual([]);
  expect([...known].filter((name) => !proofs.flat().includes(name))).toEqual([]);
});

test("a fault finds its text in any file and with any line breaks", () => {
  const files = new Map([
    ["x.ts", "nothing"],
    ["y.ts", "before a b after"],
  ]);
  expect(applyFault(FAULT, files)).toEqual(new Map([["y.ts", "before c after"]]));
});

test("a fault whose text is missing, or occurs twice, is an error", () => {
  expect(() => applyFault(FAULT, new Map([["x.ts", "ab"]]))).toThrow(
    'one: the source does not contain "a b"',
  );
  expect(() => applyFault(FAULT, new Map([["x.ts", "a b, a b"]]))).toThrow("occurs 2 times, in x.ts, x.ts");
});
