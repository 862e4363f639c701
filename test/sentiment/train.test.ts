import { expect, test } from "vitest";
import { probabilitiesOf } from "../../src/feeds/enrich/sentiment/judge.ts";
import type { LabelledText } from "./corpora.ts";
import { makeLongTexts } from "./long-texts.ts";
import { qualityOf } from "./quality.ts";
import { examplesOf, scoresOf, train } from "./train.ts";

const TEXTS: readonly LabelledText[] = [
  ["negative", "the kettle leaks"],
  ["negative", "my kettle leaks again"],
  ["negative", "it leaks"],
  ["neutral", "the kettle is white"],
  ["neutral", "it is white"],
  ["neutral", "a white kettle"],
  ["positive", "the kettle shines"],
  ["positive", "it shines"],
  ["positive", "my kettle shines"],
].map(([sentiment, text]) => ({ language: "en", sentiment, text }) as LabelledText);
const LISTS = { en: [{ superb: 1 }, {}] };
const SETTINGS = { passes: 10, rate: 0.2, pull: 0, leaveOut: 0.3, seed: 1, times: 2 };

test("training learns words from texts, and the same texts and seed give the same weights", () => {
  const examples = examplesOf(TEXTS, LISTS);
  const weights = train(examples, SETTINGS);
  const [unseen] = examplesOf([{ language: "en", sentiment: "negative", text: "this leaks" }], LISTS);
  if (unseen === undefined) throw new Error("no example");
  expect(probabilitiesOf(scoresOf(unseen, weights))[0]).toBeGreaterThan(0.6);
  const again = train(examples, SETTINGS);
  expect(Buffer.from(again.places.buffer).equals(Buffer.from(weights.places.buffer))).toBe(true);
});

test("long texts are made of short ones of their language, most of which agree", () => {
  const made = makeLongTexts(TEXTS, 40, 7);
  expect(made.length).toBe(40);
  expect(new Set(made.map(({ sentiment }) => sentiment))).toEqual(new Set(["negative", "positive"]));
  const negative = made.filter(({ sentiment }) => sentiment === "negative").map(({ text }) => text);
  const count = (word: string) => negative.join(" ").split(word).length - 1;
  expect(count("leaks")).toBeGreaterThan(2 * count("shines"));
  expect(makeLongTexts(TEXTS, 40, 7)).toEqual(made);
});

test("macro-F1 is the mean of the three sentiments, and negatives are counted among the negatives", () => {
  const quality = qualityOf([
    { is: "negative", said: "negative" },
    { is: "negative", said: "positive" },
    { is: "neutral", said: "neutral" },
    { is: "positive", said: "positive" },
  ]);
  expect(quality.accuracy).toBe(0.75);
  expect(quality.macroF1).toBeCloseTo((100 * (2 / 3 + 1 + 2 / 3)) / 3);
  expect(quality.negativesFound).toBe(0.5);
  expect(quality.negativeCalledPositive).toBe(0.5);
  expect(qualityOf([{ is: "neutral", said: "neutral" }]).negativesFound).toBeNull();
});
