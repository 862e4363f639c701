import { expect, test } from "vitest";
import { readJsonAnswer } from "../../src/feeds/run/read-json-answer.ts";

test.each([
  ["too many values", `[${"1,".repeat(200_000)}1]`],
  ["too many keys", `{${Array.from({ length: 200_000 }, (_, n) => `"${n}":0`).join(",")}}`],
  ["too deep", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
])("an answer with %s is refused in a sentence", (_what, text) => {
  expect(() => readJsonAnswer(text, false)).toThrow("far more values than an answer of its kind");
});

test("a long text of an answer is cut", () => {
  const value = readJsonAnswer(JSON.stringify({ items: [{ body: "x".repeat(1_000_000) }] }), false);
  expect(JSON.stringify(value).length).toBeLessThan(101_000);
});

test.each([
  ["what is no JSON", "<html>", false, undefined],
  ["what is no JSON, read loosely", "<html>", true, undefined],
  ["a line end in a text", '["a\nb"]', false, undefined],
  ["a line end in a text, read loosely", '["a\nb"]', true, ["a b"]],
  ["a backslash before no sign, read loosely", String.raw`["a\'b\n"]`, true, ["a\\'b\n"]],
  ["good JSON, read loosely", '{"a": [1, null, "b"]}', true, { a: [1, null, "b"] }],
  ["a word", '"a"', false, "a"],
])("%s", (_name, text, isLoose, value) => {
  expect(readJsonAnswer(text, isLoose)).toEqual(value);
});

/** Arrays in each other, with a number at the bottom that is so deep. */
const nested = (depth: number) => `${"[".repeat(depth)}1${"]".repeat(depth)}`;
/** So many values, no list longer than 1,000: one on top, and lists of numbers. */
const values = (n: number) => {
  const lists = Array.from({ length: 99 }, () => Array(1_000).fill(1));
  const rest = n - 1 - 99 * 1_001 - 1;
  return JSON.stringify([...lists, Array(rest).fill(1)]);
};

test("an answer of 100,000 values is read, and one that is 50 deep", () => {
  expect(readJsonAnswer(values(100_000), false)).toHaveLength(100);
  expect(readJsonAnswer(nested(50), false)).toEqual(JSON.parse(nested(50)));
});

test.each([
  ["one value more", values(100_001)],
  ["51 levels", nested(51)],
])("an answer with %s is refused", (_name, text) => {
  expect(() => readJsonAnswer(text, false)).toThrow("far more values than an answer of its kind");
});

test("of a list 1,000 values are kept", () => {
  const lengths = [1_000, 1_001].map((length) =>
    readJsonAnswer(JSON.stringify({ a: Array(length).fill(1) }), false),
  );
  for (const value of lengths) expect(value).toEqual({ a: Array(1_000).fill(1) });
});

test("a text of 100,000 letters is kept as it is, a longer one without its many blanks, and cut", () => {
  const kept = `a  ${"x".repeat(99_997)}`;
  const [whole, tidied, cut] = readJsonAnswer(
    JSON.stringify([kept, `a${" ".repeat(200_000)}b`, `${kept}${"y".repeat(9)}`]),
    false,
  ) as string[];
  expect(whole).toBe(kept);
  expect(tidied).toBe("a b");
  expect(cut).toHaveLength(100_000);
  expect(cut).toMatch(/^a x+y*…$/);
});
