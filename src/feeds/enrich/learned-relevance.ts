import { setImmediate as nextTurn } from "node:timers/promises";
import type { Relevance } from "#listening-api";
import { cutText, normalized } from "../../lib/text.ts";

/** A text of a query, and whether people called it relevant. */
export interface JudgedText {
  readonly text: string;
  readonly isRelevant: boolean;
}

/** How well scores part relevant texts from others, of texts that were not learnt from. */
interface Tested {
  /** Texts that were judged by people. */
  readonly judged: number;
  /** Of those that it calls relevant, the part that is, from 0 to 1. */
  readonly precision: number;
  /** Of the relevant ones, the part that it calls so, from 0 to 1. */
  readonly recall: number;
  /** The part that is relevant of all of them: the precision of calling all of them so. */
  readonly without: number;
}

export type LearnedRelevance =
  /** So many relevant ones and others there are. */
  | { readonly outcome: "TooFew"; readonly relevant: number; readonly others: number }
  /** It would not be better than calling all of them relevant. */
  | ({ readonly outcome: "NotBetter" } & Tested)
  | ({ readonly outcome: "Better"; readonly scoreOf: (text: string) => Relevance } & Tested);

/** Of each of the two kinds. With fewer, a test on parts of them says nothing. */
const FEWEST_OF_A_KIND = 8;
/** Of what is not relevant among all, it must keep out this part; and it may lose only some of what is. */
const LEAST_GAIN = 0.3;
const LEAST_RECALL = 0.6;
const PARTS = 5;

/**
 * Learns from what people said of texts of one query, and tests itself: each fifth of them is judged by a model of the
 * other four. 120 texts take a tenth of a second, in six steps between which others run. Nothing of it is stored: it is
 * learnt again from the texts that are still there.
 */
export async function learnRelevance(judged: readonly JudgedText[]): Promise<LearnedRelevance> {
  const relevant = judged.filter(({ isRelevant }) => isRelevant).length;
  const others = judged.length - relevant;
  if (Math.min(relevant, others) < FEWEST_OF_A_KIND) return { outcome: "TooFew", relevant, others };
  const examples = oneKindAfterTheOther(judged);
  const sums = examples.map(() => 0);
  for (let part = 0; part < PARTS; part++) {
    await nextTurn();
    const { sumOf } = modelOf(examples.filter((_, index) => index % PARTS !== part));
    for (const [index, { text }] of examples.entries())
      if (index % PARTS === part) sums[index] = sumOf(featuresOf(text));
  }
  const called = examples.filter((_, index) => (sums[index] ?? 0) > 0);
  const both = called.filter(({ isRelevant }) => isRelevant).length;
  const tested: Tested = {
    judged: judged.length,
    precision: called.length === 0 ? 0 : both / called.length,
    recall: both / relevant,
    without: relevant / judged.length,
  };
  const least = tested.without + LEAST_GAIN * (1 - tested.without);
  if (tested.precision < least || tested.recall < LEAST_RECALL) return { outcome: "NotBetter", ...tested };
  const model = modelOf(examples);
  const scale = chooseScale(examples, sums);
  return { outcome: "Better", ...tested, scoreOf: (text) => explained(text, model, scale) };
}

/** So that every part has both kinds. */
function oneKindAfterTheOther(judged: readonly JudgedText[]): readonly JudgedText[] {
  return [true, false].flatMap((kind) => judged.filter(({ isRelevant }) => isRelevant === kind));
}

type Features = ReadonlySet<string>;

interface LinearModel {
  /** Of a text. Above 0: relevant. */
  sumOf(features: Features): number;
  /** What some features of a text add to it, by a factor that is the same for all of its features. */
  partOf(features: readonly string[]): number;
}

/** What a text is about shows at its beginning, and longer ones take longer than the others can wait. */
const ENOUGH = 800;
const STEM = 4;
/** "acme.sh" is one word; so are the host of an address and the parts of its path. */
const WORDS = /[\p{L}\p{M}\p{N}]+(?:[.'’_-][\p{L}\p{M}\p{N}]+)*/gu;

/**
 * Words, their beginnings, words in the letters that they are written in, and pairs of those: a firm has a capital, a
 * protocol has only capitals.
 */
function featuresOf(text: string): Features {
  const words = wordsOf(text);
  return new Set(words.flatMap((word, index) => featuresOfWord(word, words[index - 1])));
}

function featuresOfWord(word: string, before = "^"): readonly string[] {
  const small = word.toLowerCase();
  return [
    `word ${small}`,
    ...(small.length > STEM ? [`stem ${small.slice(0, STEM)}`] : []),
    ...(word === small ? [] : [`as ${word}`]),
    `pair ${before} ${word}`,
  ];
}

function wordsOf(text: string): readonly string[] {
  const prose = normalized(cutText(text, ENOUGH), "NFC").replaceAll(/https?:\/\/(?:www\.)?/gi, " ");
  return Array.from(prose.matchAll(WORDS), ([word]) => word);
}

const ROUNDS = 40;
const RATE = 12;
const PULL = 0.02;

/**
 * Logistic regression by one gradient step for a text, many times over. Both kinds count the same, however many there
 * are, and a feature that few texts have counts more than one that most have.
 */
function modelOf(examples: readonly JudgedText[]): LinearModel {
  const sets = examples.map(({ text }) => featuresOf(text));
  const places = new Map<string, number>();
  const texts: number[] = [];
  for (const feature of sets.flatMap((set) => [...set])) {
    const place = places.get(feature) ?? places.size;
    places.set(feature, place);
    texts[place] = (texts[place] ?? 0) + 1;
  }
  const relevant = examples.filter(({ isRelevant }) => isRelevant).length;
  const vectors = sets.map(vectorOf);
  const weights = new Float64Array(places.size);
  let bias = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, weight] of weights.entries()) weights[place] = weight * (1 - PULL);
    for (const [index, vector] of vectors.entries()) {
      const isRelevant = examples[index]?.isRelevant === true;
      const share = 0.5 / (isRelevant ? relevant : examples.length - relevant);
      const error = RATE * share * ((isRelevant ? 1 : 0) - sigmoid(sumOfVector(vector)));
      for (const { place, value } of vector) weights[place] = (weights[place] ?? 0) + error * value;
      bias += 0.05 * error;
    }
  }
  return {
    sumOf: (features) => sumOfVector(vectorOf(features)),
    partOf: (features) =>
      features
        .flatMap((feature) => places.get(feature) ?? [])
        .reduce((sum, place) => sum + (weights[place] ?? 0) * rarityOf(place), 0),
  };

  function rarityOf(place: number): number {
    return Math.log(1 + examples.length / (texts[place] ?? 1));
  }

  function vectorOf(features: Features): readonly { readonly place: number; readonly value: number }[] {
    const known = [...features].flatMap((feature) => places.get(feature) ?? []);
    const values = known.map(rarityOf);
    const length = Math.hypot(...values) || 1;
    return known.map((place, index) => ({ place, value: (values[index] ?? 0) / length }));
  }

  function sumOfVector(vector: ReturnType<typeof vectorOf>): number {
    let sum = bias;
    for (const { place, value } of vector) sum += (weights[place] ?? 0) * value;
    return sum;
  }
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

const MOST_WORDS = 3;
const LONGEST_WORD = 40;

/** The score, and the words that speak most for it. */
function explained(text: string, { sumOf, partOf }: LinearModel, scale: number): Relevance {
  const sum = sumOf(featuresOf(text));
  const sign = sum > 0 ? 1 : -1;
  const parts = new Map(
    wordsOf(text).map((word, index, words) => [word, sign * partOf(featuresOfWord(word, words[index - 1]))]),
  );
  const found = [...parts]
    .filter(([, part]) => part > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_WORDS)
    .map(([word]) => `"${cutText(word, LONGEST_WORD)}"`);
  const said = `like texts that people called ${sign > 0 ? "relevant" : "not relevant"}`;
  const score = Math.round(100 * sigmoid(scale * sum)) / 100;
  return { score, reason: found.length === 0 ? said : `${said}: ${found.join(", ")}` };
}

function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
