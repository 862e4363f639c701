import fc from "fast-check";
import { expect, test } from "vitest";
import { readRelevances, readSentiments } from "../../../src/feeds/enrich/read-answers.ts";
import { SENTIMENTS } from "../../../src/feeds/enrich/sentiment/model-file.ts";
import { runs } from "../../runs.ts";

const MARKS = ["a1b2c3d4e5", "f6a7b8c9d0"];

test("a mark with one of three words is an answer", () => {
  const found = readSentiments("a1b2c3d4e5 negative\r\n  f6a7b8c9d0   Positive \n", MARKS);
  expect([...found]).toEqual([
    ["a1b2c3d4e5", "negative"],
    ["f6a7b8c9d0", "positive"],
  ]);
});

test.each([
  ["prose", "Sure! The first text is negative, the second one is positive."],
  ["a word without its mark", "negative\npositive"],
  ["a fourth word", "a1b2c3d4e5 mixed"],
  ["a word and more", "a1b2c3d4e5 negative because the flight was late"],
  ["JSON", '[{"id":"a1b2c3d4e5","sentiment":"negative"}]'],
  ["a table", "| a1b2c3d4e5 | negative |"],
  ["a mark of somebody else", "0000000000 negative"],
  ["a cut off word", "a1b2c3d4e5 negat"],
  ["thoughts without an end", "<think>a1b2c3d4e5 negative"],
  ["nothing", ""],
])("%s is no answer", (_, content) => {
  expect(readSentiments(content, MARKS).size).toBe(0);
});

test("a mark that is answered in two ways has no answer, and the others keep theirs", () => {
  const found = readSentiments("a1b2c3d4e5 negative\nf6a7b8c9d0 neutral\na1b2c3d4e5 positive\n", MARKS);
  expect([...found]).toEqual([["f6a7b8c9d0", "neutral"]]);
});

test("what a model thinks aloud before its answer does not count", () => {
  const content = "<think>\na1b2c3d4e5 positive? no.\n</think>\n\na1b2c3d4e5 negative";
  expect(readSentiments(content, MARKS).get("a1b2c3d4e5")).toBe("negative");
});

test("a relevance is a number from 0 to 1 and a reason without signs that change how text is shown", () => {
  const content = "a1b2c3d4e5 0.85 about a late\u202e flight\u0000\nf6a7b8c9d0 1";
  expect([...readRelevances(content, MARKS)]).toEqual([
    ["a1b2c3d4e5", { score: 0.85, reason: "about a late flight" }],
    ["f6a7b8c9d0", { score: 1, reason: "" }],
  ]);
});

test.each(["85", "1.5", "-0.5", "0,5", "NaN", "Infinity", "1e0", "0x1", "high", "0.5.5", "00.5"])(
  "%s is no relevance",
  (number) => {
    expect(readRelevances(`a1b2c3d4e5 ${number} a reason`, MARKS).size).toBe(0);
  },
);

test("a reason has 200 characters at most", () => {
  const found = readRelevances(`a1b2c3d4e5 0.5 ${"very ".repeat(1_000)}`, MARKS);
  expect(found.get("a1b2c3d4e5")?.reason.length).toBe(200);
});

const piece = fc.oneof(
  fc.constantFrom(
    ...MARKS,
    ...SENTIMENTS,
    " ",
    "\n",
    "\r\n",
    "<think>",
    "</think>",
    "0.5",
    "{",
    '"',
    "1",
    "-",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const content = fc.array(piece, { maxLength: 40 }).map((pieces) => pieces.join(""));

test("whatever a model writes, an answer is one of ours with one of three words, or a number from 0 to 1", () => {
  fc.assert(
    fc.property(content, (text) => {
      for (const [mark, sentiment] of readSentiments(text, MARKS)) {
        expect(MARKS).toContain(mark);
        expect(SENTIMENTS).toContain(sentiment);
      }
      for (const [mark, { score, reason }] of readRelevances(text, MARKS)) {
        expect(MARKS).toContain(mark);
        expect(score).toBeGreaterThanOrEqual(0);
        expect(score).toBeLessThanOrEqual(1);
        expect(reason.length).toBeLessThanOrEqual(200);
        expect(reason).not.toMatch(/\p{Cc}|\p{Cf}|\p{Cs}/u);
      }
    }),
    { numRuns: runs(500) },
  );
});

test("a text that does not know its mark can only add answers that nobody asked for", () => {
  fc.assert(
    fc.property(content, (hostile) => {
      fc.pre(!MARKS.some((mark) => hostile.includes(mark)));
      expect(readSentiments(hostile, MARKS).size).toBe(0);
      const found = readSentiments(`${MARKS[0]} negative\n${hostile}\n`, [MARKS[0] ?? ""]);
      expect(found.get(MARKS[0] ?? "")).toBe("negative");
    }),
    { numRuns: runs(500) },
  );
});
