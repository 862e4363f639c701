/** One value of a filter, or several that are sent as a repeated parameter. */
export type FilterValue = string | number | boolean;
type Values<Value extends FilterValue = FilterValue> = Value | readonly Value[];

/** A known word, or any other: lists of values grow without notice. */
type Open<Word extends string> = Word | (string & {});

/** Filters that may stand alone or, with an `x` before their name, exclude. */
interface TwinFilters {
  readonly sentiment: Values<Open<"positive" | "neutral" | "negative">>;
  readonly pageType: Values<string>;
  readonly subtype: Values<string>;
  readonly language: Values<string>;
  readonly category: Values<string | number>;
  readonly parentCategory: Values<string | number>;
  readonly tag: Values<string | number>;
  readonly classifications: Values<string>;
  readonly accountType: Values<string>;
  readonly authorVerifiedType: Values<Open<"blue" | "business" | "government">>;
  readonly gender: Values<string>;
  readonly interest: Values<string>;
  readonly profession: Values<string>;
  /** Part of an author's name; `exactAuthor` is all of it. */
  readonly author: Values<string>;
  readonly exactAuthor: Values<string>;
  readonly authorGroup: Values<string | number>;
  readonly location: Values<string>;
  readonly locationGroup: Values<string | number>;
  readonly domain: Values<string>;
  readonly siteGroup: Values<string | number>;
  readonly status: Values<Open<"open" | "pending" | "closed">>;
  readonly priority: Values<Open<"high" | "medium" | "low">>;
  readonly assigned: Values<string>;
}

interface PlainFilters {
  /** A Boolean string inside the results of the query. */
  readonly search: string;
  /** IANA zone; only charts use it. */
  readonly timezone: string;
  /** `new` leaves out backfilled mentions. */
  readonly sourceType: Open<"new">;
  readonly checked: boolean;
  readonly starred: boolean;
  readonly anyTag: boolean;
  readonly geolocated: boolean;
  readonly twitterVerified: boolean;
  readonly threadId: Values<string>;
  readonly twitterAuthorId: Values<string>;
  readonly insightsHashtag: Values<string>;
  readonly insightsMentioned: Values<string>;
  readonly insightsUrl: Values<string>;
  readonly hourOfDay: Values<number>;
  readonly dayOfWeek: Values<number>;
}

type Measured =
  | "impact"
  | "impressions"
  | "reachEstimate"
  | "monthlyVisitors"
  | "latitude"
  | "longitude"
  | "twitterFollowers"
  | "twitterFollowing"
  | "twitterPostCount"
  | "twitterRetweets"
  | "twitterLikeCount"
  | "facebookComments"
  | "facebookLikes"
  | "facebookShares";

type KnownFilters = TwinFilters & {
  readonly [Name in keyof TwinFilters as `x${Name}`]: TwinFilters[Name];
} & {
  readonly [Name in `${Measured}${"Min" | "Max"}`]: number;
} & PlainFilters;

/** The filters of mention calls by their names in the API: known ones with their types, all others unchanged. */
export type MentionFilters = { readonly [Name in keyof KnownFilters]?: KnownFilters[Name] } & {
  readonly [name: string]: Values;
};
