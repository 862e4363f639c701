import type { FieldOf } from "../records/mention-fields.ts";
import { defineFilter, type Filter } from "./define-filter.ts";

/** Names of the filters, without Min and Max, and the fields that they measure. Both ends are included. */
const MEASURES = {
  impact: "impact",
  impressions: "impressions",
  reachEstimate: "reachEstimate",
  monthlyVisitors: "monthlyVisitors",
  twitterFollowers: "twitterFollowers",
  twitterFollowing: "twitterFollowing",
  twitterPostCount: "twitterPostCount",
  twitterRetweets: "twitterRetweets",
  twitterLikeCount: "twitterLikeCount",
  facebookComments: "facebookComments",
  facebookLikes: "facebookLikes",
  facebookShares: "facebookShares",
  instagramFollowers: "instagramFollowerCount",
  instagramFollowing: "instagramFollowingCount",
  instagramPosts: "instagramPostCount",
  instagramLikes: "instagramLikeCount",
  instagramComments: "instagramCommentCount",
  instagramInteractions: "instagramInteractionsCount",
  latitude: "latitude",
  longitude: "longitude",
} as const satisfies Readonly<Record<string, FieldOf<"number">>>;

export const numberFilters: readonly Filter[] = Object.entries(MEASURES).flatMap(([name, field]) => [
  bound(`${name}Min`, "at-least", field),
  bound(`${name}Max`, "at-most", field),
]);

function bound(name: string, kind: "at-least" | "at-most", field: FieldOf<"number">): Filter {
  const isWhole = field !== "latitude" && field !== "longitude";
  const expected = isWhole ? "an integer" : "a number of degrees";
  return defineFilter({
    name,
    read(parameters) {
      const text = parameters.text(name);
      if (text === undefined) return undefined;
      const isNumber = isWhole ? /^-?\d{1,15}$/.test(text) : /^[+-]?\d{1,15}(\.\d{1,15})?$/.test(text);
      if (isNumber) return { kind, field, value: Number(text) };
      parameters.fault(`${name}: expected ${expected}, got ${JSON.stringify(text.slice(0, 60))}.`);
      return undefined;
    },
  });
}
