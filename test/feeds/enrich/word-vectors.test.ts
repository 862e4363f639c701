import { expect, test } from "vitest";
import { loadMeanings } from "../../../src/feeds/enrich/word-vectors/load-vectors.ts";
import { createMeanings } from "../../../src/feeds/enrich/word-vectors/meanings.ts";
import { decodeVectors, encodeVectors, SIZE } from "../../../src/feeds/enrich/word-vectors/vectors-file.ts";
import { makeVectors } from "../../word-vectors/make-vectors.ts";

const none = () => false;

function likeness(a: Float64Array, b: Float64Array): number {
  return a.reduce((sum, number, place) => sum + number * (b[place] ?? 0), 0);
}

test("texts of one subject are more alike than texts of two, without a word in common", async () => {
  const { ofText } = await loadMeanings();
  const of = (text: string) => ofText(text.split(" "), none);
  const [kitchen, cooking, servers] = ["kettle steam", "teapot boiling", "nginx certificate"].map(of);
  if (kitchen === undefined || cooking === undefined || servers === undefined) throw new Error("no texts");
  expect(likeness(kitchen, cooking)).toBeGreaterThan(likeness(kitchen, servers) + 0.3);
  expect(likeness(kitchen, kitchen)).toBeCloseTo(1);
});

test("capitals do not matter; what is left out and what is not known adds nothing", async () => {
  const { ofText, ofWord } = await loadMeanings();
  expect(ofText(["Kettle"], none)).toEqual(ofText(["kettle"], none));
  expect(ofText(["kettle", "delta"], (word) => word === "delta")).toEqual(ofText(["kettle"], none));
  expect(ofWord("qwzxkettle")).toBeNull();
  expect(ofText(["qwzxkettle"], none).every((number) => number === 0)).toBe(true);
  expect(ofText(["constructor", "__proto__"], none).every(Number.isFinite)).toBe(true);
});

test("a frequent word counts less than a seldom one", () => {
  const words = Array.from({ length: 2_000 }, (_, rank) => `w${rank}`);
  const { ofWord } = createMeanings({ words, numbers: new Int8Array(words.length * SIZE).fill(100) });
  const [first, last] = [ofWord("w0"), ofWord("w1999")].map((vector) => vector?.[0] ?? 0);
  expect(first).toBeCloseTo(1);
  expect(last).toBeGreaterThan(60);
});

test("a file of vectors is read as it was written, and refused when it is broken off", () => {
  const rows = Array.from({ length: 200 }, (_, index) => {
    const numbers = Array.from({ length: 100 }, (_, place) => Math.sin(index * 31 + place * (index % 7)));
    return [`word${index}`, numbers] as const;
  });
  const made = makeVectors(rows);
  const file = encodeVectors(made);
  const read = decodeVectors(file);
  expect(read.words).toEqual(made.words);
  expect([...read.numbers]).toEqual([...made.numbers]);
  const short = encodeVectors({ words: made.words, numbers: made.numbers.slice(0, -1) });
  expect(() => decodeVectors(short)).toThrow(/12799 numbers, and 12800 are needed/);
});
