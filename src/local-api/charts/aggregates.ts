import type { FieldOf } from "../store/mention-fields.ts";

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
