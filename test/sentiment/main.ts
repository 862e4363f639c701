import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { decide, probabilitiesOf } from "../../src/feeds/enrich/sentiment/judge.ts";
import { encodeModel, type Model, SENTIMENTS } from "../../src/feeds/enrich/sentiment/model-file.ts";
import { groupBy } from "../../src/lib/group-by.ts";
import { type LabelledText, readDutch, readReviewSentences, readUmsab, readWordLists } from "./corpora.ts";
import { makeLongTexts } from "./long-texts.ts";
import { type Quality, qualityOf } from "./quality.ts";
import { type Example, examplesOf, scoresOf, train, type Weights } from "./train.ts";

// Trains the model of src/feeds/enrich/sentiment: npm run train-sentiment -- --umsab FOLDER. How sure a probability
// is, and when "positive" is said, is chosen on the val part by a model of the train part. Then the model is
// trained on both parts and written. src/feeds/enrich/sentiment/README.md says what it learns from.

const { values } = parseArgs({
  options: {
    umsab: { type: "string", default: join(import.meta.dirname, "../../../shared/data/umsab") },
    out: { type: "string", default: join(import.meta.dirname, "../../src/feeds/enrich/sentiment/model.bin") },
    /** Of the train part alone, so that the val part can be judged by what is written. */
    "without-val": { type: "boolean", default: false },
  },
});

const SETTINGS = { passes: 8, rate: 0.05, pull: 1e-4, leaveOut: 0.5, seed: 1, times: 5 };
/** The Hindi part (Hindi in Latin letters) teaches nothing: see the README. It is measured all the same. */
const NOT_LEARNT = ["hi"];
const LONG_TEXTS = 150;
/** Of the negative texts, at most this part may be called positive, as the mean of the languages. */
const MOST_CALLED_POSITIVE = 0.07;

const lists = readWordLists();
const others = [...(["amazon", "imdb", "yelp"] as const).flatMap(readReviewSentences), ...readDutch()];
const val = examplesOf(readUmsab(values.umsab, "val"), lists);

const onTrain = train(exampleSet(read("train")), SETTINGS);
const temperature = chooseTemperature(val, onTrain);
const positiveCare = choosePositiveCare(val, onTrain);
console.log(`temperature ${temperature}, positive care ${positiveCare}; the val part by the train part:`);
print(val, onTrain, positiveCare);

const weights = values["without-val"]
  ? onTrain
  : train(exampleSet([...read("train"), ...read("val")]), SETTINGS);
const file = encodeModel(toModel(weights));
writeFileSync(values.out, file);
console.log(`${values.out}: ${(file.length / 1e6).toFixed(2)} MB`);

function read(part: "train" | "val"): readonly LabelledText[] {
  return readUmsab(values.umsab, part, NOT_LEARNT);
}

function exampleSet(texts: readonly LabelledText[]): readonly Example[] {
  const all = [...texts, ...others];
  return examplesOf([...all, ...makeLongTexts(all, LONG_TEXTS, SETTINGS.seed)], lists);
}

/** Whole steps of a byte; the few largest weights are cut. */
function toModel(weights: Weights): Model {
  const sizes = weights.places
    .map(Math.abs)
    .filter((size) => size > 0)
    .sort();
  const step = (sizes[Math.floor(sizes.length * 0.9995)] ?? 1) / 127;
  const small = Int8Array.from(weights.places, (weight) =>
    Math.max(-127, Math.min(127, Math.round(weight / step))),
  );
  const header = {
    step,
    bias: Array.from(weights.bias),
    countWeights: Array.from(weights.counts),
    temperature,
    positiveCare,
    lists,
  };
  const hash = createHash("sha256").update(small).update(JSON.stringify(header));
  return { header: { version: hash.digest("hex").slice(0, 8), ...header }, weights: small };
}

/** Of some, the one with which the probabilities of the right sentiments are greatest (log-likelihood). */
function chooseTemperature(examples: readonly Example[], weights: Weights): number {
  const scores = examples.map((example) => scoresOf(example, weights));
  const loss = (divisor: number) =>
    examples.reduce((sum, { right }, index) => {
      const probabilities = probabilitiesOf((scores[index] as Float64Array).map((score) => score / divisor));
      return sum - Math.log(probabilities[right] ?? 0);
    }, 0);
  return smallest([1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3], loss);
}

/** The smallest of some with which few enough negative texts are called positive. */
function choosePositiveCare(examples: readonly Example[], weights: Weights): number {
  const some = [1, 1.05, 1.1, 1.15, 1.2, 1.3];
  const isEnough = (care: number) =>
    meanOf(byLanguage(examples, weights, care), "negativeCalledPositive") <= MOST_CALLED_POSITIVE;
  return some.find(isEnough) ?? 1.4;
}

function byLanguage(
  examples: readonly Example[],
  weights: Weights,
  care: number,
): ReadonlyMap<string, Quality> {
  const answers = groupBy(examples, ({ language }) => language);
  return new Map(
    Array.from(answers, ([language, own]) => [
      language,
      qualityOf(
        own.map((example) => {
          const scores = scoresOf(example, weights).map((score) => score / temperature);
          return {
            is: SENTIMENTS[example.right] ?? "neutral",
            said: decide(probabilitiesOf(scores), care).sentiment,
          };
        }),
      ),
    ]),
  );
}

function print(examples: readonly Example[], weights: Weights, care: number): void {
  const found = byLanguage(examples, weights, care);
  for (const [language, quality] of found) console.log(language, JSON.stringify(quality));
  console.log(
    `mean: macro-F1 ${meanOf(found, "macroF1").toFixed(1)}, negatives called positive ${meanOf(found, "negativeCalledPositive").toFixed(3)}`,
  );
}

function meanOf(found: ReadonlyMap<string, Quality>, what: keyof Quality): number {
  return [...found.values()].reduce((sum, one) => sum + (one[what] ?? 0), 0) / found.size;
}

function smallest(some: readonly number[], loss: (one: number) => number): number {
  return some.reduce((best, one) => (loss(one) < loss(best) ? one : best));
}
