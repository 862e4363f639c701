import { setImmediate as nextTurn } from "node:timers/promises";
import type { Relevance } from "#listening-api";
import { type MeaningModel, meaningModelOf } from "./meaning-model.ts";
import {
  featuresOf,
  type KindOfText,
  type LinearModel,
  modelOf,
  sigmoid,
  tellingWords,
} from "./word-model.ts";
import { loadMeanings } from "./word-vectors/load-vectors.ts";
import type { Meanings } from "./word-vectors/meanings.ts";

/** A text of a query, and whether people called it relevant. */
export interface JudgedText {
  readonly text: string;
  readonly isRelevant: boolean;
}

/** How well scores part relevant texts from others, of texts that were not learnt from. */
interface Accuracy {
  /** Texts that were judged by people. */
  readonly judged: number;
  /** Of those that it calls relevant, the part that is, from 0 to 1. */
  readonly precision: number;
  /** Of the relevant ones, the part that it calls so, from 0 to 1. */
  readonly recall: number;
  /** The part that is relevant of all of them: the precision of calling all of them so. */
  readonly without: number;
}

type LearnedRelevance =
  /** So many relevant ones and others there are. */
  | { readonly outcome: "TooFew"; readonly relevant: number; readonly others: number }
  /** It would not be better than calling all of them relevant. */
  | ({ readonly outcome: "NotBetter" } & Accuracy)
  | ({ readonly outcome: "Better"; readonly scoreOf: (text: string) => Relevance } & Accuracy);

/** Of each of the two kinds. With fewer, a test on parts of them says nothing. */
const FEWEST_OF_A_KIND = 8;
/** Of what is not relevant among all, it must keep out this part; and it may lose only some of what is. */
const LEAST_GAIN = 0.3;
const LEAST_RECALL = 0.6;
const PARTS = 5;

/**
 * Learns from what people said of texts of one query, and tests itself: each fifth of them is judged by a model of the
 * other four. 120 texts take up to a quarter of a second, in six steps between which others run. Nothing of it is stored: it is
 * learnt again from the texts that are still there.
 */
export async function learnRelevance(judged: readonly JudgedText[]): Promise<LearnedRelevance> {
  const relevant = judged.filter(({ isRelevant }) => isRelevant).length;
  const others = judged.length - relevant;
  if (Math.min(relevant, others) < FEWEST_OF_A_KIND) return { outcome: "TooFew", relevant, others };
  const examples = oneKindAfterTheOther(judged);
  const kinds = examples.map(({ text, isRelevant }) => ({ text, isOfKind: isRelevant }));
  const meanings = await loadMeanings();
  const scored = examples.map(({ text, isRelevant }, index) => ({
    ...{ text, isRelevant, part: index % PARTS },
    sum: 0,
  }));
  for (let part = 0; part < PARTS; part++) {
    await nextTurn();
    const { sumOf } = bothOf(
      kinds.filter((_, index) => index % PARTS !== part),
      meanings,
    );
    for (const one of scored) if (one.part === part) one.sum = sumOf(one.text);
  }
  // Of a text's own part nothing is known when it is tested.
  const sums = scored.map(({ sum, part }) => sum - middleOf(scored.filter((other) => other.part !== part)));
  const called = examples.filter((_, index) => (sums[index] ?? 0) > 0);
  const both = called.filter(({ isRelevant }) => isRelevant).length;
  const tested: Accuracy = {
    judged: judged.length,
    precision: called.length === 0 ? 0 : both / called.length,
    recall: both / relevant,
    without: relevant / judged.length,
  };
  const least = tested.without + LEAST_GAIN * (1 - tested.without);
  if (tested.precision < least || tested.recall < LEAST_RECALL) return { outcome: "NotBetter", ...tested };
  const model = bothOf(kinds, meanings);
  const scale = chooseScale(examples, sums);
  return {
    outcome: "Better",
    ...tested,
    scoreOf: (text) => explained(text, model, { middle: middleOf(scored), scale }),
  };
}

interface Model {
  readonly words: LinearModel;
  readonly meaning: MeaningModel;
  sumOf(text: string): number;
}

/** Words that people have judged, and words that mean something like them. */
function bothOf(kinds: readonly KindOfText[], meanings: Meanings): Model {
  const words = modelOf(kinds);
  const meaning = meaningModelOf(kinds, meanings);
  return { words, meaning, sumOf: (text) => words.sumOf(featuresOf(text)) + meaning.sumOf(text) };
}

/** Half-way between the two kinds: a kind that speaks of many things has lower sums than one that always says the same. */
function middleOf(scored: readonly { readonly isRelevant: boolean; readonly sum: number }[]): number {
  const meanOf = (kind: boolean) => {
    const own = scored.filter(({ isRelevant }) => isRelevant === kind);
    return own.reduce((total, { sum }) => total + sum, 0) / own.length;
  };
  return (meanOf(true) + meanOf(false)) / 2;
}

/** So that every part has both kinds. */
function oneKindAfterTheOther(judged: readonly JudgedText[]): readonly JudgedText[] {
  return [true, false].flatMap((kind) => judged.filter(({ isRelevant }) => isRelevant === kind));
}

/** Of some, the factor that makes the tested sums the best probabilities: a model of few texts is too modest or too bold. */
function chooseScale(examples: readonly JudgedText[], sums: readonly number[]): number {
  const lossOf = (scale: number) =>
    examples.reduce((loss, { isRelevant }, index) => {
      const probability = sigmoid(scale * (sums[index] ?? 0));
      return loss - Math.log(isRelevant ? probability : 1 - probability);
    }, 0);
  return [0.5, 1, 2, 3, 5].reduce((best, scale) => (lossOf(scale) < lossOf(best) ? scale : best));
}

/** The score, and the words that speak most for it. */
function explained(
  text: string,
  model: Model,
  { middle, scale }: { readonly middle: number; readonly scale: number },
): Relevance {
  const sum = model.sumOf(text) - middle;
  const found = tellingWords(text, model.words, sum > 0 ? 1 : -1, model.meaning.partOf);
  const likeness = `like texts that people called ${sum > 0 ? "relevant" : "not relevant"}`;
  const score = Math.round(100 * sigmoid(scale * sum)) / 100;
  return { score, reason: found.length === 0 ? likeness : `${likeness}: ${found.join(", ")}` };
}
