import type { Instant } from "../../lib/instant.ts";
import type { Parameters } from "./define-call.ts";
import { formatWireInstant } from "./wire-values.ts";

/** The selection of mentions that all calls below `data/` take. */
export interface ScopeParams {
  readonly projectId: string;
  /** One call can ask for many queries; each mention names its own. Either these or groups are required. */
  readonly queryIds?: readonly string[];
  readonly queryGroupIds?: readonly string[];
  /** The range of the mentions' own date, always sent in full with an offset: the meaning of a bare date is unknown. */
  readonly startDate: Instant;
  readonly endDate: Instant;
  /** Only mentions that entered the query after this moment. */
  readonly sinceAdded?: Instant;
  /** Only mentions that changed after this moment. */
  readonly sinceUpdated?: Instant;
  /** Every other filter by its name in the API; a list is sent as a repeated parameter. */
  readonly filters?: MentionFilters;
}

export interface MentionsParams extends ScopeParams {
  /** `added`, `updated`, `date`, `impact`, … */
  readonly orderBy?: string;
  readonly orderDirection?: "asc" | "desc";
  /** 1 to 5,000. */
  readonly pageSize?: number;
  /** From 0. Pages without a cursor reach 10,000 mentions. */
  readonly page?: number;
  /** As received; never parsed. */
  readonly cursor?: string | null;
  /** Ask for the full text instead of the snippet, if the contract allows it. */
  readonly fullText?: boolean;
}

/** The parameters of the two mentions calls. */
export function mentionsParameters(params: MentionsParams): Parameters {
  const ordering: [string, string][] = [];
  if (params.orderBy !== undefined) ordering.push(["orderBy", params.orderBy]);
  if (params.orderDirection !== undefined) ordering.push(["orderDirection", params.orderDirection]);
  if (params.pageSize !== undefined) ordering.push(["pageSize", String(params.pageSize)]);
  if (params.page !== undefined) ordering.push(["page", String(params.page)]);
  const cursor = params.cursor ?? null;
  return [...scopeParameters(params), ...ordering, ...(cursor === null ? [] : [["cursor", cursor] as const])];
}

/** The parameters that select the mentions of a call. */
export function scopeParameters(params: ScopeParams): Parameters {
  const found: [string, string][] = [];
  for (const id of params.queryIds ?? []) found.push(["queryId", id]);
  for (const id of params.queryGroupIds ?? []) found.push(["queryGroupId", id]);
  found.push(["startDate", formatWireInstant(params.startDate)]);
  found.push(["endDate", formatWireInstant(params.endDate)]);
  if (params.sinceAdded !== undefined) found.push(["sinceAdded", formatWireInstant(params.sinceAdded)]);
  if (params.sinceUpdated !== undefined) found.push(["sinceUpdated", formatWireInstant(params.sinceUpdated)]);
  for (const [name, value] of Object.entries(params.filters ?? {})) {
    for (const one of [value].flat()) if (one !== undefined) found.push([name, String(one)]);
  }
  return found;
}

/** One value of a filter, or several that are sent as a repeated parameter. */
type FilterValue = string | number | boolean;
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

type MeasuredField =
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
  readonly [Name in `${MeasuredField}${"Min" | "Max"}`]: number;
} & PlainFilters;

/** The filters of mention calls by their names in the API: known ones with their types, all others unchanged. */
type MentionFilters = { readonly [Name in keyof KnownFilters]?: KnownFilters[Name] } & {
  readonly [name: string]: Values;
};
