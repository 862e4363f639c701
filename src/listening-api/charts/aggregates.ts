import type { ParameterReader } from "../parameters/parameter-reader.ts";
import type { FieldOf } from "../records/mention-fields.ts";

/** How an aggregate is computed from the mentions of one cell of a chart. Without mentions every aggregate is 0. */
export type Aggregate =
  | { readonly kind: "count" }
  /** Distinct values of a field; mentions without a value do not count. */
  | { readonly kind: "distinct"; readonly field: FieldOf<"text"> }
  /** The sum of fields; a missing field adds nothing. */
  | { readonly kind: "sum"; readonly fields: readonly FieldOf<"number">[] }
  | { readonly kind: "net-sentiment" };

/**
 * Documented: the names, and that `volume` counts mentions and `authors` distinct authors. Chosen: authors are
 * distinguished by name alone; audience numbers are summed over the mentions, so an author of two mentions counts twice
 * in them; `netSentiment` is the function of that name; `engagementScore` is every like, comment, reply and share that
 * the networks count.
 */
export const AGGREGATES = {
  volume: { kind: "count" },
  authors: { kind: "distinct", field: "author" },
  domains: { kind: "distinct", field: "domain" },
  impressions: { kind: "sum", fields: ["impressions"] },
  reachEstimate: { kind: "sum", fields: ["reachEstimate"] },
  netSentiment: { kind: "net-sentiment" },
  twitterFollowers: { kind: "sum", fields: ["twitterFollowers"] },
  twitterLikeCount: { kind: "sum", fields: ["twitterLikeCount"] },
  engagementScore: {
    kind: "sum",
    fields: [
      "twitterRetweets",
      "twitterReplyCount",
      "twitterLikeCount",
      "facebookComments",
      "facebookLikes",
      "facebookShares",
      "instagramCommentCount",
      "instagramLikeCount",
      "linkedinComments",
      "linkedinLikes",
      "linkedinShares",
    ],
  },
} as const satisfies Readonly<Record<string, Aggregate>>;

export type AggregateName = keyof typeof AGGREGATES;
export const AGGREGATE_NAMES = Object.keys(AGGREGATES) as AggregateName[];

export function isAggregateName(name: string): name is AggregateName {
  return Object.hasOwn(AGGREGATES, name);
}

const MAX_AGGREGATES = 10;

/** `aggregate` of a chart of several: with commas, or repeated, at least one and at most ten. */
export function readAggregates(parameters: ParameterReader): AggregateName[] {
  const words = parameters
    .texts("aggregate")
    .flatMap((text) => text.split(","))
    .map((word) => word.trim())
    .filter((word) => word !== "");
  if (words.length === 0 || words.length > MAX_AGGREGATES)
    parameters.fault(
      `aggregate: expected 1 to ${MAX_AGGREGATES} of ${AGGREGATE_NAMES.join(", ")}, got ${words.length}.`,
    );
  for (const word of words.filter((word) => !isAggregateName(word)))
    parameters.fault(
      `aggregate: expected one of ${AGGREGATE_NAMES.join(", ")}, got ${JSON.stringify(word.slice(0, 60))}.`,
    );
  return [...new Set(words.filter(isAggregateName))];
}

/**
 * From -100 (all that judge are negative) to 100 (all are positive), to two decimals: positive less negative, as a
 * share of both. Neutral mentions do not dilute it; without any judgement it is 0.
 */
export function netSentiment(positive: number, negative: number): number {
  const judging = positive + negative;
  return judging === 0 ? 0 : Math.round(((positive - negative) / judging) * 10_000) / 100;
}
