import { DateTime } from "luxon";
import type { Instant } from "../../../src/lib/instant.ts";
import {
  derivedFacts,
  type MentionFacts,
  type MentionVersion,
} from "../../../src/listening-api/store/mention-version.ts";

export interface NaiveScope {
  readonly zone: string;
  readonly groups: readonly { readonly id: number; readonly queryIds: readonly number[] }[];
}

export type Facts = MentionFacts;

/** The facts of the mentions that a call sees. */
export function seen(
  versions: readonly MentionVersion[],
  range: { queryIds: readonly number[]; from: Instant; to: Instant; at: Instant },
): Facts[] {
  return versions
    .filter((version) => version.visibleAt <= range.at && (version.supersededAt ?? Infinity) > range.at)
    .map((version) => ({ ...version.record, ...derivedFacts(version) }) as Facts)
    .filter((facts) => range.queryIds.includes(facts.queryId ?? 0))
    .filter((facts) => (facts.date ?? 0) >= range.from && (facts.date ?? 0) < range.to);
}

/** The ids that a mention has in a dimension, written one by one, without the dimension's own table. */
function idsOf(dimension: string, facts: Facts, scope: NaiveScope): string[] {
  const local = DateTime.fromMillis(facts.date ?? 0, { zone: scope.zone });
  const start = (unit: "month" | "week" | "day" | "hour" | "minute") => [
    local.startOf(unit).toFormat("yyyy-MM-dd'T'HH:mm:ss.SSSZZZ"),
  ];
  const one = (value: unknown) =>
    value === null || value === undefined || value === "" ? [] : [String(value)];
  const many = (values: readonly unknown[] | null) => (values ?? []).map(String);
  const table: Readonly<Record<string, () => string[]>> = {
    queries: () => one(facts.queryId),
    queryGroups: () =>
      scope.groups.filter((group) => group.queryIds.includes(facts.queryId ?? 0)).map(({ id }) => String(id)),
    sentiment: () => one(facts.sentiment),
    authors: () => one(facts.author),
    languages: () => one(facts.language),
    categories: () => many(facts.categories),
    parentCategories: () => many(facts.parentCategories),
    tags: () => many(facts.tags),
    // None are saved here.
    dateRanges: () => [],
    assignment: () => one(facts.assignment),
    checked: () => one(facts.checked),
    priority: () => one(facts.priority),
    status: () => one(facts.status),
    continents: () => one(facts.continentCode),
    countries: () => one(facts.countryCode),
    regions: () => one(facts.regionCode),
    cities: () => one(facts.cityCode),
    months: () => start("month"),
    weeks: () => start("week"),
    days: () => start("day"),
    hours: () => start("hour"),
    minutes: () => start("minute"),
    hourOfDay: () => one(local.hour),
    dayOfWeek: () => one(local.weekday),
    accountTypes: () => one(facts.accountType),
    gender: () => one(facts.gender),
    interest: () => many(facts.interest),
    profession: () => many(facts.profession),
    pageTypes: () => one(facts.pageType),
    domains: () => one(facts.domain),
  };
  const read = table[dimension];
  if (read === undefined) throw new Error(`the reference knows no dimension ${dimension}`);
  return [...new Set(read())];
}

const total = (all: readonly Facts[], of: (facts: Facts) => number | null) =>
  all.reduce((sum, facts) => sum + (of(facts) ?? 0), 0);
const different = (all: readonly Facts[], of: (facts: Facts) => string | null) =>
  new Set(all.map(of).filter((value) => value !== null && value !== "")).size;

export const NAIVE_AGGREGATES: Readonly<Record<string, (all: readonly Facts[]) => number>> = {
  volume: (all) => all.length,
  authors: (all) => different(all, (facts) => facts.author),
  domains: (all) => different(all, (facts) => facts.domain),
  impressions: (all) => total(all, (facts) => facts.impressions),
  reachEstimate: (all) => total(all, (facts) => facts.reachEstimate),
  twitterFollowers: (all) => total(all, (facts) => facts.twitterFollowers),
  twitterLikeCount: (all) => total(all, (facts) => facts.twitterLikeCount),
  netSentiment: (all) => {
    const count = (word: string) => all.filter((facts) => facts.sentiment === word).length;
    const [positive, negative] = [count("positive"), count("negative")];
    return positive + negative === 0
      ? 0
      : Number(((100 * (positive - negative)) / (positive + negative)).toFixed(2));
  },
  engagementScore: (all) => ENGAGEMENTS.reduce((sum, field) => sum + total(all, (facts) => facts[field]), 0),
};

const ENGAGEMENTS = [
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
] as const;

/** `{series: {point: {aggregate: value}}}`, only where there is a mention. */
export function naiveChart(
  all: readonly Facts[],
  [first, second]: readonly [string, string],
  scope: NaiveScope,
): Record<string, Record<string, Record<string, number>>> {
  const here = new Map<string, Map<string, Facts[]>>();
  for (const facts of all) {
    for (const id1 of idsOf(first, facts, scope)) {
      const points = here.get(id1) ?? new Map<string, Facts[]>();
      here.set(id1, points);
      for (const id2 of idsOf(second, facts, scope)) points.set(id2, [...(points.get(id2) ?? []), facts]);
    }
  }
  const valuesOf = (found: readonly Facts[]) =>
    Object.fromEntries(Object.entries(NAIVE_AGGREGATES).map(([name, of]) => [name, of(found)]));
  const series = [...here].filter(([, points]) => points.size > 0);
  return Object.fromEntries(
    series.map(([id1, points]) => [
      id1,
      Object.fromEntries([...points].map(([id2, found]) => [id2, valuesOf(found)])),
    ]),
  );
}
