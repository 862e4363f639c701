import { type KindOfText, sigmoid, wordsOf } from "./word-model.ts";
import type { Meanings } from "./word-vectors/meanings.ts";

/** What the meanings of words teach: texts that share no word with those that people judged are of a kind with some of them. */
export interface MeaningModel {
  /** Of a text. Above 0: of the kind. */
  sumOf(text: string): number;
  /** What a word adds to the sum of a text, by a factor that is the same for all words of it. */
  partOf(word: string): number;
}

/** A word that so many of the texts have is what was searched for, and says nothing of its meaning. */
const COMMON = 0.6;
const ROUNDS = 300;
const RATE = 4;
const PULL = 0.003;

/** Logistic regression over the mean meaning of the words of a text, by gradient steps. Both kinds count the same. */
export function meaningModelOf(examples: readonly KindOfText[], meanings: Meanings): MeaningModel {
  const texts = examples.map(({ text }) => wordsOf(text));
  const common = commonWords(texts);
  const isLeftOut = (word: string): boolean => common.has(word.toLowerCase());
  const vectors = texts.map((words) => meanings.ofText(words, isLeftOut));
  const ofKind = examples.filter(({ isOfKind }) => isOfKind).length;
  const weights = new Float64Array(vectors[0]?.length ?? 0);
  let bias = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const change = new Float64Array(weights.length);
    let biasChange = 0;
    for (const [index, vector] of vectors.entries()) {
      const isOfKind = examples[index]?.isOfKind === true;
      const share = 0.5 / (isOfKind ? ofKind : examples.length - ofKind);
      const error = share * ((isOfKind ? 1 : 0) - sigmoid(bias + dot(weights, vector)));
      add(change, error, vector);
      biasChange += error;
    }
    add(weights, -RATE * PULL, weights);
    add(weights, RATE, change);
    bias += RATE * biasChange;
  }
  return {
    sumOf: (text) => bias + dot(weights, meanings.ofText(wordsOf(text), isLeftOut)),
    partOf: (word) => (isLeftOut(word) ? 0 : dot(weights, meanings.ofWord(word) ?? [])),
  };
}

function commonWords(texts: readonly (readonly string[])[]): ReadonlySet<string> {
  const counts = new Map<string, number>();
  for (const words of texts)
    for (const word of new Set(words.map((one) => one.toLowerCase())))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  return new Set([...counts].flatMap(([word, count]) => (count > COMMON * texts.length ? [word] : [])));
}

// Loops over places: for-of takes five times as long here.

function add(to: Float64Array, factor: number, vector: Float64Array): void {
  for (let place = 0; place < to.length; place++)
    to[place] = (to[place] ?? 0) + factor * (vector[place] ?? 0);
}

function dot(a: Float64Array, b: ArrayLike<number>): number {
  let sum = 0;
  for (let place = 0; place < b.length; place++) sum += (a[place] ?? 0) * (b[place] ?? 0);
  return sum;
}
