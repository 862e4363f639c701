import { koreanStem } from "../../lib/korean-stem.ts";
import { splitUnspaced } from "../../lib/split-unspaced.ts";
import { cutText, normalized } from "../../lib/text.ts";

// What people's judgements of a few dozen texts teach: a linear model of words, small enough to be learnt again each minute.

/** A text, and whether it is of the kind that the model finds. */
export interface KindOfText {
  readonly text: string;
  readonly isOfKind: boolean;
}

type Features = ReadonlySet<string>;

export interface LinearModel {
  /** Of a text. Above 0: of the kind. */
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
export function featuresOf(text: string): Features {
  const words = wordsOf(text);
  return new Set(words.flatMap((word, index) => featuresOfWord(word, words[index - 1])));
}

function featuresOfWord(word: string, before = "^"): readonly string[] {
  const small = word.toLowerCase();
  const stem = koreanStem(small) ?? (small.length > STEM ? small.slice(0, STEM) : null);
  return [
    `word ${small}`,
    ...(stem === null ? [] : [`stem ${stem}`]),
    ...(word === small ? [] : [`as ${word}`]),
    `pair ${before} ${word}`,
  ];
}

export function wordsOf(text: string): readonly string[] {
  const prose = normalized(cutText(text, ENOUGH), "NFC").replaceAll(/https?:\/\/(?:www\.)?/gi, " ");
  const { spaced, unspaced } = splitUnspaced(prose);
  return [...Array.from(spaced.matchAll(WORDS), ([word]) => word), ...unspaced];
}

const ROUNDS = 40;
const RATE = 12;
const PULL = 0.02;

/**
 * Logistic regression by one gradient step for a text, many times over. Both kinds count the same, however many there
 * are, and a feature that few texts have counts more than one that most have.
 */
export function modelOf(examples: readonly KindOfText[]): LinearModel {
  const sets = examples.map(({ text }) => featuresOf(text));
  const places = new Map<string, number>();
  const texts: number[] = [];
  for (const feature of sets.flatMap((set) => [...set])) {
    const place = places.get(feature) ?? places.size;
    places.set(feature, place);
    texts[place] = (texts[place] ?? 0) + 1;
  }
  const ofKind = examples.filter(({ isOfKind }) => isOfKind).length;
  const vectors = sets.map(vectorOf);
  const weights = new Float64Array(places.size);
  let bias = 0;
  for (let round = 0; round < ROUNDS; round++) {
    for (const [place, weight] of weights.entries()) weights[place] = weight * (1 - PULL);
    for (const [index, vector] of vectors.entries()) {
      const isOfKind = examples[index]?.isOfKind === true;
      const share = 0.5 / (isOfKind ? ofKind : examples.length - ofKind);
      const error = RATE * share * ((isOfKind ? 1 : 0) - sigmoid(sumOfVector(vector)));
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

const MOST_WORDS = 3;
const LONGEST_WORD = 40;

/**
 * The words of a text that speak most for its kind (`sign` 1) or against it (-1), in quotes. `partOfMeaning`: what a word
 * adds besides.
 */
export function tellingWords(
  text: string,
  { partOf }: LinearModel,
  sign: 1 | -1,
  partOfMeaning: (word: string) => number = () => 0,
): readonly string[] {
  const parts = new Map(
    wordsOf(text).map((word, index, words) => [
      word,
      sign * (partOf(featuresOfWord(word, words[index - 1])) + partOfMeaning(word)),
    ]),
  );
  return [...parts]
    .filter(([, part]) => part > 0)
    .sort(([, a], [, b]) => b - a)
    .slice(0, MOST_WORDS)
    .map(([word]) => `"${cutText(word, LONGEST_WORD)}"`);
}

export function sigmoid(value: number): number {
  return 1 / (1 + Math.exp(-value));
}
