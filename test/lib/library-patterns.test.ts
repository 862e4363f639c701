import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { READERS } from "../security/patterns/find-library-patterns.ts";
import { MEASURED, SQUARE } from "../security/patterns/measured-libraries.ts";

const ROOT = join(import.meta.dirname, "../..");
const read = (path: string) => readFileSync(join(ROOT, path), "utf8");

test("the libraries that read foreign bytes are those whose expressions were measured", () => {
  const { packages } = JSON.parse(read("package-lock.json")) as {
    packages: Record<string, { version: string }>;
  };
  const versions = new Map<string, Set<string>>();
  for (const [path, { version }] of Object.entries(packages)) {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    if (path === "" || !READERS.includes(name)) continue;
    versions.set(name, (versions.get(name) ?? new Set()).add(version));
  }
  const found = Object.fromEntries([...versions].map(([name, all]) => [name, [...all].sort()]));
  expect(
    found,
    "run node --import tsx test/security/patterns/measure.ts . libraries, look at each expression that takes the square, " +
      "and write versions and expressions into test/security/patterns/measured-libraries.ts and docs/adr/fuzz-by-shapes.md",
  ).toEqual(MEASURED);
});

test("of each expression that takes the square the decision says what reaches it", () => {
  const decision = read("docs/adr/fuzz-by-shapes.md");
  const missing = SQUARE.filter((one) => {
    const [library = ""] = one.split(" ", 1);
    return !decision.includes(`| ${library} |`) || !decision.includes(one.slice(library.length + 1));
  });
  expect(missing).toEqual([]);
});
