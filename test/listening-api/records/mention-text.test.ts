import { expect, it, test } from "vitest";
import {
  exactText,
  excerptOf,
  repostedText,
  textAsFound,
  textForAnalyser,
} from "../../../src/listening-api/records/mention-text.ts";

it.each([
  ["abc", 3, "abc"],
  ["abcd", 3, "abc"],
  ["abc", null, "abc"],
  [null, 3, null],
  ["ab😀", 3, "ab"],
  ["ab😀c", 4, "ab😀"],
  // Halves that are no pair.
  ["ab\ud83dcd", 3, "ab\ud83d"],
  ["abc\ude00d", 3, "abc"],
])("an excerpt of %j in %j characters is %j", (text, characters, excerpt) => {
  expect(excerptOf(text, characters)).toBe(excerpt);
});

it.each([
  ["a text", null],
  ["😀", null],
  [null, null],
  ["a\0b", '"a\\u0000b"'],
  ["half \ud83d", '"half \\ud83d"'],
])("of %j what PostgreSQL cannot store is kept as %j", (text, exact) => {
  expect(exactText(text)).toBe(exact);
  expect(textAsFound({ full_text: exact === null ? text : "another", exact_text: exact })).toBe(text);
});

it.each([
  [" RT @Ann_1: tea   and\nmilk ", { author: "ann_1", text: "tea and milk" }],
  ["RT @ann tea", { author: "ann", text: "tea" }],
  ["an RT @ann: tea", null],
  ["RT @ann:", null],
])("%j repeats %j", (text, repeated) => {
  expect(repostedText(text)).toEqual(repeated);
});

test("an analyser reads title and text, and a beginning that is both only once", () => {
  const read = (title: unknown, snippet: unknown, fullText: string | null = null) =>
    textForAnalyser({ fields: { title, snippet }, fullText });
  expect(read("Tea", "Tea is hot")).toBe("Tea is hot");
  expect(read("Tea", "It is hot ")).toBe("Tea\nIt is hot");
  expect(read("Tea", "short", "long")).toBe("Tea\nlong");
  expect(read(" ", " hot ")).toBe("hot");
  expect(read(null, 7)).toBe("");
  expect(read("", "Tea ")).toBe("Tea");
  expect(read("Tea", "Tea and milk ")).toBe("Tea and milk");
});
