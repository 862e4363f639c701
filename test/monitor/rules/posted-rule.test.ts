import { expect, test } from "vitest";
import { parseRule } from "../../../src/monitor/rules/parse-rule.ts";
import { LONGEST_POSTED, readPostedForm, readPostedRule } from "../../../src/monitor/rules/posted-rule.ts";

const HEAD = "description: d\nseverity: warning\n";
const faultsOf = (text: string) => {
  const read = readPostedRule({ name: "a-rule", text });
  return "faults" in read ? read.faults.map(({ line, message }) => `${line}: ${message}`) : [];
};
const words = Array.from({ length: 1_500 }, (_, n) => `word${n}`).join(", ");
const unknownKeys = (n: number) => Array.from({ length: n }, (_, i) => `k${i}: 1\n`).join("");
const circle = `${HEAD}when: &a\n  any: [*a]\n`;
const expanded = `${HEAD}x: &x [[], [], [], [], [], [], [], [], [], []]\ny: &y [${"*x, ".repeat(9)}]\nz: [${"*y, ".repeat(9)}]\n`;

test("a rule of many words is as large as it may be; its content is what is compiled", () => {
  const text = `${HEAD}when:\n  keyword: [${words}]\n`;
  expect(readPostedRule({ name: "a-rule", text })).toMatchObject({ content: { severity: "warning" } });
});

test.each<[string, string, RegExp]>([
  ["too long", `${HEAD}when: { keyword: [${"a, ".repeat(LONGEST_POSTED / 3)}] }`, /^1: .*20 kB at most/],
  [
    "too many conditions",
    `${HEAD}when:\n  any:\n${"    - tag: a\n".repeat(1_200)}`,
    /^1: .*at most 1,000 keys and lists/,
  ],
  ["an alias of what it stands in", circle, /1,000 keys and lists|alias/],
  ["aliases of aliases", expanded, /unknown key|1,000 keys and lists/],
  ["too many states", `${HEAD}when: { pattern: ".{0,1000}z" }`, /2,003 states together, and 500 are allowed/],
])("%s is a fault", (_, text, fault) => {
  expect(faultsOf(text).join("\n")).toMatch(fault);
});

test("of many faults the first fifty are listed, and how many more there are", () => {
  const read = readPostedRule({ name: "a-rule", text: `${HEAD}${unknownKeys(500)}` });
  expect(read).toMatchObject({ faults: { length: 50, 0: { line: 3 } }, more: 450 });
});

test("a file may have slower patterns than a rule on the console, and not any", () => {
  const text = (pattern: string) => `${HEAD}when:\n  any:\n${`    - pattern: "${pattern}"\n`.repeat(6)}`;
  expect(parseRule("a-rule", "a-rule.yaml", text(".{0,500}z"))).toMatchObject({ warnings: { length: 6 } });
  const read = parseRule("a-rule", "a-rule.yaml", text(".{0,1000}z"));
  expect(read).toMatchObject({
    faults: [{ line: 4, message: expect.stringMatching(/12,018 states together, and 10,000/) }],
  });
});

test("a text that is too long has no form", () => {
  const short = `${HEAD}when: { sentiment: negative }\n`;
  expect(readPostedForm(short)).not.toBeNull();
  expect(readPostedForm(`${short}${"#\n".repeat(10_000)}`)).toBeNull();
});
