import fc from "fast-check";
import { expect, test } from "vitest";
import { parseDocument } from "yaml";
import { readYaml, wrongKeys } from "../../src/lib/read-yaml.ts";
import { runs } from "../runs.ts";

/** Where the YAML library finds a key again, with its own check. */
function repeatedForLibrary(text: string): readonly number[] {
  return parseDocument(text, { prettyErrors: false, logLevel: "error" })
    .errors.filter(({ code }) => code === "DUPLICATE_KEY")
    .map(({ pos: [at] }) => at);
}

function repeated(text: string): readonly string[] {
  return readYaml("file.yaml", text)
    .faults.filter(({ message }) => message === "Map keys must be unique")
    .map(({ line, column, message }) => `${line}:${column} ${message}`);
}

/** Few words, so that keys repeat: also as numbers, nulls, texts in quotes, tagged and with anchors. */
const Key = fc.constantFrom(
  ...["a", "b", '"a"', "'b'", "1", "1.0", "0x1", '"1"', "0", "-0", "true", "null", "~", ".nan"],
  ...["!!str 1", "!!str a", "&x a", "*x", "[a]", "{ a: 1 }", "2001-01-01", "<<", "? a", "? 1"],
);
const { flow } = fc.letrec<{ flow: string }>((tie) => ({
  flow: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom("x", "1", '"a"', "&x y", "*x", "~", ""),
    fc
      .array(fc.tuple(Key, tie("flow")), { maxLength: 5 })
      .map((pairs) => `{${pairs.map(([k, v]) => `${k} : ${v}`).join(", ")}}`),
    fc
      .array(tie("flow"), { maxLength: 4 })
      .map((items) => `[${items.map((item) => item || "z").join(", ")}]`),
    fc.array(Key, { maxLength: 5 }).map((keys) => `{${keys.join(", ")}}`),
  ),
}));
const Block = fc
  .array(fc.tuple(Key, flow, fc.array(fc.tuple(Key, flow), { maxLength: 4 })), { maxLength: 6 })
  .map((rows) =>
    rows
      .map(([key, value, inner]) => {
        const nested = inner.map(([k, v]) => `\n   ${k}: ${v}`).join("");
        return `${key}:${nested === "" ? ` ${value}` : nested}`;
      })
      .join("\n"),
  );

test("the keys that the YAML library finds again are found again, at the same place", () => {
  fc.assert(
    fc.property(fc.oneof(flow, Block), (text) => {
      const unchecked = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: "error" });
      const places = [...wrongKeys(unchecked).repeated].sort((a, b) => a - b);
      const wanted = [...repeatedForLibrary(text)].sort((a, b) => a - b);
      expect(places).toHaveLength(wanted.length);
      // With other faults the library may have lost its place.
      if (unchecked.errors.length > 0) return;
      // Behind a key without a value, the library points at the blanks before the key.
      for (const [n, at] of wanted.entries()) {
        const place = places[n] ?? 0;
        expect(text.slice(Math.min(at, place), Math.max(at, place)).trim()).toBe("");
      }
    }),
    { numRuns: runs(2_000) },
  );
});

test.each([
  ["a: 1\nb: 2\na: 3\n", ["3:1 Map keys must be unique"]],
  ["{ a: 1, 'a': 2 }", ["1:9 Map keys must be unique"]],
  ['1: x\n1.0: y\n"1": z\n', ["2:1 Map keys must be unique"]],
  ["a: { b: 1,\n  b: 2 }\na: 1\n", ["2:3 Map keys must be unique", "3:1 Map keys must be unique"]],
  ["{ .nan: 1, .nan: 2 }", []],
])("%j repeats keys: %j", (text, faults) => {
  expect(repeated(text)).toEqual(faults);
});

test.each([
  ["? [a]\n: 1\n", "1:3 a key must be a text, not a map, a list or an alias"],
  ["a: &x b\n*x : 1\n", "2:1 a key must be a text, not a map, a list or an alias"],
  ["? &a ".repeat(50), "1:6 a key must be a text, not a map, a list or an alias"],
  ["? &a ".repeat(4_000), "1:1 this is nested too deeply"],
  ["- ".repeat(102), "1:1 this is nested too deeply"],
  ["[".repeat(10_000), "1:1 this is nested too deeply"],
])("%j is refused at once", (text, fault) => {
  const [first] = readYaml("file.yaml", text).faults;
  expect(first && `${first.line}:${first.column} ${first.message}`).toBe(fault);
});

test("the places of 4,000 issues with one map are found in one pass", () => {
  const keys = Array.from({ length: 4_000 }, (_, n) => `k${n}`);
  const { locate } = readYaml("file.yaml", keys.map((key) => `${key}: [1, 2]`).join("\n"));
  const before = process.cpuUsage();
  const lines = keys.map((key, n) =>
    locate({ path: n % 2 === 0 ? [key, 1] : [key], message: "m", at: "key" }),
  );
  // One after the other through the whole map takes almost a second.
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(400);
  expect(lines.slice(0, 2).map(({ line, column }) => `${line}:${column}`)).toEqual(["1:9", "2:1"]);
  expect(lines.at(-1)?.line).toBe(4_000);
});

test.each([
  [["a", "b", 1], undefined, "2:10"],
  [["a", "b", 7], undefined, "2:6"],
  [["a", "x", "y"], undefined, "2:3"],
  [["a", "b"], "key", "2:3"],
  [["x"], "key", "1:1"],
  [["c", "d"], undefined, "3:4"],
  [[], undefined, "1:1"],
] as const)("an issue with %j is at the deepest part that is there: %s %s", (path, at, place) => {
  const { locate } = readYaml("file.yaml", "a: &a\n  b: [1, 2]\nc: *a\n");
  const { line, column } = locate({ path, message: "m", ...(at === undefined ? {} : { at }) });
  expect(`${line}:${column}`).toBe(place);
});
