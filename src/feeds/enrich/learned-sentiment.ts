import { setImmediate as nextTurn } from "node:timers/promises";
import { SENTIMENTS, type Sentiment } from "./sentiment/model-file.ts";
import { featuresOf, type LinearModel, modelOf, tellingWords } from "./word-model.ts";

/** A text of a query, with the sentiment that it has, and what the model of this machine says of it. */
export interface JudgedSentiment {
  readonly text: string;
  readonly sentiment: Sentiment;
  readonly before: Sentiment;
  /** A person gave it. Otherwise it is that of the model, and nobody has changed it. */
  readonly isCorrected: boolean;
}

/** How many of its changes would be right, of texts that were not learnt from. */
export interface TestedSentiment {
  /** Texts that people corrected. */
  readonly judged: number;
  /** Of the sentiments that it changes, the part that is right then, from 0 to 1; what nobody corrected counts little. */
  readonly precision: number;
  /** Of the corrected texts, the part that it gets right, from 0 to 1; without it, none is. */
  readonly recall: number;
}

export interface ChangedSentiment {
  readonly sentiment: Sentiment;
  readonly reason: string;
}

export type LearnedSentiment =
  | { readonly outcome: "TooFew"; readonly judged: number }
  /** It would spoil too many of the others, or get too few right. */
  | ({ readonly outcome: "NotBetter" } & TestedSentiment)
  /** `change`: what the sentiment of a text should be instead; null: it stays. */
  | ({
      readonly outcome: "Better";
      readonly change: (text: string, before: Sentiment) => ChangedSentiment | null;
    } & TestedSentiment);

/** With fewer corrections, a test on parts of them says nothing. */
const FEWEST = 8;
/** Of the corrected texts it must get this part right, net of those that it spoils. */
const LEAST_GAIN = 0.3;
/** How much a change counts as wrong of a text that nobody corrected: perhaps nobody has looked at it. */
const UNSEEN = 0.25;
const LEAST_PRECISION = 0.75;
const PARTS = 5;
/** How much more a text must look like one of the new sentiment than like one of the sentiment that it has. */
const MARGIN = 0.4;

/**
 * Learns from the sentiments that people corrected in one query, beside texts whose sentiment nobody changed.
 * It tests itself as `learnRelevance` does, and changes little: what it has no words for keeps the sentiment of the model.
 */
export async function learnSentiment(judged: readonly JudgedSentiment[]): Promise<LearnedSentiment> {
  const corrected = judged.filter(({ isCorrected }) => isCorrected).length;
  if (corrected < FEWEST) return { outcome: "TooFew", judged: corrected };
  const examples = [true, false].flatMap((kind) => judged.filter(({ isCorrected }) => isCorrected === kind));
  let [right, wrong] = [0, 0];
  for (let part = 0; part < PARTS; part++) {
    await nextTurn();
    const models = modelsOf(examples.filter((_, index) => index % PARTS !== part));
    for (const [index, { text, sentiment, before, isCorrected }] of examples.entries()) {
      if (index % PARTS !== part) continue;
      const found = decide(text, before, models);
      if (found === before) continue;
      if (found === sentiment) right++;
      else wrong += isCorrected ? 1 : UNSEEN;
    }
  }
  const tested: TestedSentiment = {
    judged: corrected,
    precision: right === 0 ? 0 : right / (right + wrong),
    recall: right / corrected,
  };
  const gain = (right - wrong) / corrected;
  if (gain < LEAST_GAIN || tested.precision < LEAST_PRECISION) return { outcome: "NotBetter", ...tested };
  const models = modelsOf(examples);
  return {
    outcome: "Better",
    ...tested,
    change: (text, before) => {
      const sentiment = decide(text, before, models);
      if (sentiment === before) return null;
      const model = models.get(sentiment);
      const words = model === undefined ? [] : tellingWords(text, model, 1);
      const reason = "like texts that people corrected";
      return { sentiment, reason: words.length === 0 ? reason : `${reason}: ${words.join(", ")}` };
    },
  };
}

type Models = ReadonlyMap<Sentiment, LinearModel>;

/** One for each sentiment that some of the texts have and some have not. */
function modelsOf(examples: readonly JudgedSentiment[]): Models {
  const models = new Map<Sentiment, LinearModel>();
  for (const kind of SENTIMENTS) {
    const kinds = examples.map(({ text, sentiment }) => ({ text, isOfKind: sentiment === kind }));
    if (new Set(kinds.map(({ isOfKind }) => isOfKind)).size === 2) models.set(kind, modelOf(kinds));
  }
  return models;
}

function decide(text: string, before: Sentiment, models: Models): Sentiment {
  const features = featuresOf(text);
  const sums = [...models].map(([sentiment, model]) => ({ sentiment, sum: model.sumOf(features) }));
  const own = sums.find(({ sentiment }) => sentiment === before)?.sum ?? 0;
  const best = sums.reduce((a, b) => (b.sum > a.sum ? b : a), { sentiment: before, sum: own });
  return best.sum > 0 && best.sum - own > MARGIN ? best.sentiment : before;
}
