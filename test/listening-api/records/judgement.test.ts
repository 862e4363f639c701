import { expect, it, test } from "vitest";
import {
  judgeable,
  sentimentConfidence,
  withRelevance,
  withSentiment,
} from "../../../src/listening-api/records/judgement.ts";

const OTHER = { classifierId: "emotions", labelId: "joy" };
const BY_MODEL = withSentiment({ classifications: [OTHER] }, "positive", "local", 0.9, "kind words");

test("the sentiment of an analyser says who said it, and takes the place of the one before", () => {
  const own = {
    ...{ classifierId: "sentiment:local", labelId: "positive", confidence: 0.9 },
    name: "positive, said by local: kind words",
  };
  expect(BY_MODEL).toEqual({ sentiment: "positive", classifications: [OTHER, own] });
  expect(sentimentConfidence(BY_MODEL)).toBe(0.9);
  const again = withSentiment(BY_MODEL, "neutral", "claude");
  const [, last, ...others] = again.classifications;
  expect(last).toEqual({
    ...{ classifierId: "sentiment:claude", labelId: "neutral", confidence: null },
    name: "neutral, said by claude",
  });
  expect(others).toEqual([]);
  expect(sentimentConfidence(again)).toBeNull();
  expect(sentimentConfidence({})).toBeNull();
});

it.each([
  [true, {}],
  [true, { sentiment: null }],
  [true, { sentiment: "" }],
  [true, BY_MODEL],
  // A person changed it by hand; a source said it.
  [false, { ...BY_MODEL, sentiment: "negative" }],
  [false, { sentiment: "positive" }],
  [false, { sentiment: "joy", classifications: [OTHER, null, "x"] }],
  [false, { sentiment: "positive", classifications: "none" }],
])("whether an analyser may judge is %s for %j", (may, fields) => {
  expect(judgeable(fields)).toBe(may);
});

test("a relevance takes the place of the one before, and of nothing else", () => {
  const first = withRelevance(BY_MODEL, { score: 0.2, reason: "a name" });
  const { classifications } = withRelevance(first, { score: 0.8, reason: "the brand" });
  expect(classifications.slice(0, 2)).toEqual(BY_MODEL.classifications);
  expect(classifications.slice(2)).toEqual([
    { classifierId: "relevance", labelId: "relevant", name: "the brand", confidence: 0.8 },
  ]);
});
