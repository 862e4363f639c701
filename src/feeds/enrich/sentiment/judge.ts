import { featuresOf } from "./features.ts";
import { COLUMNS, type Model, type Sentiment } from "./model-file.ts";
import { readTokens } from "./tokens.ts";
import { type CountWords, openWordLists } from "./word-lists.ts";

interface Judgement {
  readonly sentiment: Sentiment;
  /** How probable it is that this is right, from 0 to 1. */
  readonly confidence: number;
}

/** The sentiment of a text in a language (null: unknown), or null for a language that the model does not speak. */
export type JudgeSentiment = (text: string, language: string | null) => Judgement | null;

export function createJudge({ header, weights }: Model): JudgeSentiment {
  const countersOf = new Map<string, CountWords>(
    Object.entries(header.lists).map(([language, lists]) => [language, openWordLists(lists)]),
  );
  return (text, language) => {
    const countWords = countersOf.get(language ?? "");
    if (countWords === undefined) return null;
    const tokens = readTokens(text);
    const { places, values } = featuresOf(tokens);
    const sums = new Float64Array(COLUMNS);
    for (let index = 0; index < places.length; index++) {
      const at = (places[index] as number) * COLUMNS;
      const value = values[index] as number;
      for (let column = 0; column < COLUMNS; column++)
        (sums[column] as number) += (weights[at + column] as number) * value;
    }
    const counts = countWords(tokens);
    const scores = sums.map((sum, column) => {
      const ofCounts = counts.reduce(
        (total, count, index) => total + count * (header.countWeights[index * COLUMNS + column] ?? 0),
        0,
      );
      return ((header.bias[column] ?? 0) + sum * header.step + ofCounts) / header.temperature;
    });
    return decide(probabilitiesOf(scores), header.positiveCare);
  };
}

export function probabilitiesOf(scores: ArrayLike<number>): readonly number[] {
  const all = Array.from(scores);
  const most = Math.max(...all);
  const powers = all.map((score) => Math.exp(score - most));
  const sum = powers.reduce((total, power) => total + power, 0);
  return powers.map((power) => power / sum);
}

/** Neutral where no sentiment is more probable, or "positive" is not so by far enough. */
export function decide(probabilities: readonly number[], positiveCare: number): Judgement {
  const [negative = 0, neutral = 0, positive = 0] = probabilities;
  if (positive >= positiveCare * Math.max(negative, neutral))
    return { sentiment: "positive", confidence: positive };
  return negative > neutral
    ? { sentiment: "negative", confidence: negative }
    : { sentiment: "neutral", confidence: neutral };
}
