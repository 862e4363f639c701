import { setImmediate as nextTurn } from "node:timers/promises";
import { featuresOf, type LinearModel, modelOf, tellingWords } from "./word-model.ts";

/**
 * A text of a query with a label: its sentiment, or whether it is in a category. `before`: what the model of this machine
 * says of it, or the rules of the category.
 */
export interface LabelledText<Label extends string> {
  readonly text: string;
  readonly label: Label;
  readonly before: Label;
  /** A person gave it. Otherwise it is `before`, and nobody has changed it. */
  readonly isCorrected: boolean;
}

/** How many of its changes would be right, of texts that were not learnt from. */
interface TestedLabels {
  /** Texts that people corrected. */
  readonly judged: number;
  /** Of the labels that it changes, the part that is right then, from 0 to 1; what nobody corrected counts little. */
  readonly precision: number;
  /** Of the corrected texts, the part that it gets right, from 0 to 1; without it, none is. */
  readonly recall: number;
}

interface ChangedLabel<Label extends string> {
  readonly label: Label;
  readonly reason: string;
}

export type LearnedLabels<Label extends string> =
  | { readonly outcome: "TooFew"; readonly judged: number }
  /** It would spoil too many of the others, or get too few right. */
  | ({ readonly outcome: "NotBetter" } & TestedLabels)
  /** `change`: what the label of a text should be instead; null: it stays. */
  | ({
      readonly outcome: "Better";
      readonly change: (text: string, before: Label) => ChangedLabel<Label> | null;
    } & TestedLabels);

/** With fewer corrections, a test on parts of them says nothing. */
const FEWEST = 8;
/** Of the corrected texts it must get this part right, net of those that it spoils. */
const LEAST_GAIN = 0.3;
/** How much a change counts as wrong of a text that nobody corrected: perhaps nobody has looked at it. */
const UNSEEN = 0.25;
const LEAST_PRECISION = 0.75;
const PARTS = 5;
/** How much more a text must look like one of the new label than like one of the label that it has. */
const MARGIN = 0.4;

/**
 * Learns from the labels that people corrected in one query, beside texts whose label nobody changed. It tests itself as
 * `learnRelevance` does, and changes little: what it has no words for keeps its label.
 */
export async function learnLabels<Label extends string>(
  judged: readonly LabelledText<Label>[],
): Promise<LearnedLabels<Label>> {
  const corrected = judged.filter(({ isCorrected }) => isCorrected).length;
  if (corrected < FEWEST) return { outcome: "TooFew", judged: corrected };
  const examples = [true, false].flatMap((kind) => judged.filter(({ isCorrected }) => isCorrected === kind));
  let [right, wrong] = [0, 0];
  for (let part = 0; part < PARTS; part++) {
    await nextTurn();
    const models = modelsOf(examples.filter((_, index) => index % PARTS !== part));
    for (const [index, { text, label, before, isCorrected }] of examples.entries()) {
      if (index % PARTS !== part) continue;
      const found = decide(text, before, models);
      if (found === before) continue;
      if (found === label) right++;
      else wrong += isCorrected ? 1 : UNSEEN;
    }
  }
  const tested: TestedLabels = {
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
      const label = decide(text, before, models);
      if (label === before) return null;
      const model = models.get(label);
      const words = model === undefined ? [] : tellingWords(text, model, 1);
      const reason = "like texts that people corrected";
      return { label, reason: words.length === 0 ? reason : `${reason}: ${words.join(", ")}` };
    },
  };
}

type Models<Label> = ReadonlyMap<Label, LinearModel>;

/** One for each label that some of the texts have and some have not. */
function modelsOf<Label extends string>(examples: readonly LabelledText<Label>[]): Models<Label> {
  const models = new Map<Label, LinearModel>();
  for (const kind of new Set(examples.map(({ label }) => label).sort())) {
    const kinds = examples.map(({ text, label }) => ({ text, isOfKind: label === kind }));
    if (new Set(kinds.map(({ isOfKind }) => isOfKind)).size === 2) models.set(kind, modelOf(kinds));
  }
  return models;
}

function decide<Label extends string>(text: string, before: Label, models: Models<Label>): Label {
  const features = featuresOf(text);
  const sums = [...models].map(([label, model]) => ({ label, sum: model.sumOf(features) }));
  const own = sums.find(({ label }) => label === before)?.sum ?? 0;
  const best = sums.reduce((a, b) => (b.sum > a.sum ? b : a), { label: before, sum: own });
  return best.sum > 0 && best.sum - own > MARGIN ? best.label : before;
}
