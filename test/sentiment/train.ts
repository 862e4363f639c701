import { type Features, featuresOf, PLACES } from "../../src/feeds/enrich/sentiment/features.ts";
import { probabilitiesOf } from "../../src/feeds/enrich/sentiment/judge.ts";
import { COLUMNS, SENTIMENTS } from "../../src/feeds/enrich/sentiment/model-file.ts";
import { readTokens } from "../../src/feeds/enrich/sentiment/tokens.ts";
import {
  COUNTS,
  type CountWords,
  openWordLists,
  type WordList,
} from "../../src/feeds/enrich/sentiment/word-lists.ts";
import type { LabelledText } from "./corpora.ts";
import { randomFrom, shuffle } from "./random.ts";

// Multinomial logistic regression: steps along the gradient of one text at a time, each weight with a step of its own
// (Adagrad), and half of a text's features left out at each step, so that no feature is relied on alone.

export interface Settings {
  readonly passes: number;
  readonly rate: number;
  /** Pulls every weight towards zero. */
  readonly pull: number;
  /** Part of the features that a step leaves out. */
  readonly leaveOut: number;
  readonly seed: number;
  /** So many times, with other seeds; the weights are the mean of all, which depends less on chance. */
  readonly times: number;
}

/** Weights before they are made small. */
export interface Weights {
  readonly places: Float32Array;
  readonly counts: Float32Array;
  readonly bias: Float32Array;
}

export interface Example extends Features {
  readonly counts: Float32Array;
  /** Column of the right sentiment. */
  readonly right: number;
  readonly language: string;
}

const LISTS = 2;

export function examplesOf(
  texts: readonly LabelledText[],
  lists: Readonly<Record<string, readonly WordList[]>>,
): readonly Example[] {
  const counters = new Map<string, CountWords>();
  return texts.map(({ text, language, sentiment }) => {
    const countWords = counters.get(language) ?? openWordLists(lists[language] ?? []);
    counters.set(language, countWords);
    const tokens = readTokens(text);
    return {
      ...featuresOf(tokens),
      counts: countWords(tokens),
      right: SENTIMENTS.indexOf(sentiment),
      language,
    };
  });
}

/** The same examples and settings give the same weights. */
export function train(examples: readonly Example[], settings: Settings): Weights {
  const all = Array.from({ length: settings.times }, (_, time) =>
    trainOnce(examples, settings, randomFrom(settings.seed + time)),
  );
  const [first, ...others] = all as [Weights, ...Weights[]];
  for (const other of others) {
    addTo(first.places, other.places);
    addTo(first.counts, other.counts);
    addTo(first.bias, other.bias);
  }
  const divide = (values: Float32Array) => values.map((value) => value / all.length);
  return { places: divide(first.places), counts: divide(first.counts), bias: divide(first.bias) };
}

function addTo(sum: Float32Array, values: Float32Array): void {
  for (let at = 0; at < sum.length; at++) (sum[at] as number) += values[at] as number;
}

function trainOnce(examples: readonly Example[], settings: Settings, random: () => number): Weights {
  const weights: Weights = {
    places: new Float32Array(PLACES * COLUMNS),
    counts: new Float32Array(LISTS * COUNTS * COLUMNS),
    bias: new Float32Array(COLUMNS),
  };
  const squares = {
    places: new Float32Array(PLACES * COLUMNS).fill(1e-3),
    counts: new Float32Array(LISTS * COUNTS * COLUMNS).fill(0.1),
  };
  const order = examples.map((_, index) => index);
  for (let pass = 0; pass < settings.passes; pass++) {
    shuffle(order, random);
    for (const index of order) {
      const example = examples[index] as Example;
      const kept = leaveOut(example, settings.leaveOut, random);
      const probabilities = probabilitiesOf(scoresOf(kept, weights));
      for (let column = 0; column < COLUMNS; column++) {
        const error = (probabilities[column] ?? 0) - (column === example.right ? 1 : 0);
        step(weights.places, squares.places, kept.places, kept.values, column, error, settings);
        stepCounts(weights.counts, squares.counts, kept.counts, column, error, settings.rate);
        weights.bias[column] = (weights.bias[column] ?? 0) - 0.01 * error;
      }
    }
  }
  return weights;
}

export function scoresOf({ places, values, counts }: Example, weights: Weights): Float64Array {
  const scores = Float64Array.from(weights.bias);
  for (let index = 0; index < places.length; index++) {
    const at = (places[index] as number) * COLUMNS;
    for (let column = 0; column < COLUMNS; column++)
      (scores[column] as number) += (weights.places[at + column] as number) * (values[index] as number);
  }
  for (const [index, count] of counts.entries())
    for (let column = 0; column < COLUMNS; column++)
      (scores[column] as number) += (weights.counts[index * COLUMNS + column] as number) * count;
  return scores;
}

function step(
  weights: Float32Array,
  squares: Float32Array,
  places: Int32Array,
  values: Float32Array,
  column: number,
  error: number,
  { rate, pull }: Settings,
): void {
  for (let index = 0; index < places.length; index++) {
    const at = (places[index] as number) * COLUMNS + column;
    const gradient = error * (values[index] as number) + pull * (weights[at] as number);
    const square = (squares[at] as number) + gradient * gradient;
    squares[at] = square;
    (weights[at] as number) -= (rate * gradient) / Math.sqrt(square);
  }
}

function stepCounts(
  weights: Float32Array,
  squares: Float32Array,
  counts: Float32Array,
  column: number,
  error: number,
  rate: number,
): void {
  for (const [index, count] of counts.entries()) {
    if (count === 0) continue;
    const at = index * COLUMNS + column;
    const gradient = error * count;
    const square = (squares[at] as number) + gradient * gradient;
    squares[at] = square;
    (weights[at] as number) -= (rate * gradient) / Math.sqrt(square);
  }
}

function leaveOut(example: Example, part: number, random: () => number): Example {
  const places: number[] = [];
  const values: number[] = [];
  for (const [index, place] of example.places.entries()) {
    if (random() < part) continue;
    places.push(place);
    values.push((example.values[index] as number) / (1 - part));
  }
  return { ...example, places: Int32Array.from(places), values: Float32Array.from(values) };
}
