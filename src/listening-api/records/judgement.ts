import type { MentionRecord } from "./mention-record.ts";

// How an analyser's answer stands in the record of a mention: `sentiment` itself, and a classification of the Listening
// API that says who said it. People who change the sentiment by hand change `sentiment` alone, so that theirs is known.

/** What a text shows by itself. Null: not known. */
export interface TextFacts {
  readonly language: string | null;
  readonly sentiment: "positive" | "neutral" | "negative" | null;
  /** Who said the sentiment. */
  readonly classifications: MentionRecord["classifications"];
}

/** The name of the model of this machine as an analyser. */
export const LOCAL = "local";

/** A score and the analyser's reason. The reason is the analyser's text about hostile text: as hostile as that. */
export interface Relevance {
  /** From 0, something else, to 1, what the query means. */
  readonly score: number;
  readonly reason: string;
}

type Fields = Readonly<Record<string, unknown>> | MentionRecord;

interface Classification {
  readonly classifierId: string;
  readonly labelId: string;
  readonly name: string;
  readonly confidence: number | null;
}

/** False if the source or a person said the sentiment: an analyser does not overrule them. */
export function judgeable(fields: Fields): boolean {
  const { sentiment } = fields as { sentiment?: unknown };
  if (sentiment === null || sentiment === undefined || sentiment === "") return true;
  return classificationsOf(fields).some((one) => isSentiment(one) && one.labelId === sentiment);
}

/**
 * The fields that change with an analyser's sentiment. `confidence` from 0 to 1; null: the analyser does not say it. Its
 * reason, if it gives one, is as hostile as the text.
 */
export function withSentiment(
  fields: Fields,
  sentiment: "positive" | "neutral" | "negative",
  analyser: string,
  confidence: number | null = null,
  reason: string | null = null,
): Pick<MentionRecord, "sentiment" | "classifications"> {
  const own: Classification = {
    classifierId: `sentiment:${analyser}`,
    labelId: sentiment,
    name: `${sentiment}, said by ${analyser}${reason === null ? "" : `: ${reason}`}`,
    confidence,
  };
  const others = classificationsOf(fields).filter((one) => !isSentiment(one));
  return { sentiment, classifications: [...others, own] };
}

/** How sure the analyser was that said the sentiment; null: nobody did, or it does not say it. */
export function sentimentConfidence(fields: Fields): number | null {
  return classificationsOf(fields).find(isSentiment)?.confidence ?? null;
}

/** The fields that change with an analyser's relevance: the score is the confidence, the reason is the name. */
export function withRelevance(
  fields: Fields,
  { score, reason }: Relevance,
): Pick<MentionRecord, "classifications"> {
  const own: Classification = {
    classifierId: "relevance",
    labelId: "relevant",
    name: reason,
    confidence: score,
  };
  const others = classificationsOf(fields).filter(({ classifierId }) => classifierId !== "relevance");
  return { classifications: [...others, own] };
}

function isSentiment({ classifierId }: { readonly classifierId?: unknown }): boolean {
  return typeof classifierId === "string" && classifierId.startsWith("sentiment:");
}

function classificationsOf(fields: Fields): (Partial<Classification> & object)[] {
  const { classifications } = fields as { classifications?: unknown };
  if (!Array.isArray(classifications)) return [];
  return classifications.filter((one): one is object => typeof one === "object" && one !== null);
}
