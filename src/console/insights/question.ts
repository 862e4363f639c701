import { z } from "zod";
import { FILTERS, type Filters, type Stores, type WatchedQuery } from "#monitor";
import { withParameter } from "../common/address.ts";
import type { Times } from "../common/times.ts";
import { SENTIMENTS } from "../parts/mention-list.ts";
import { type Range, RangeQuestion, readRange } from "./range.ts";

const Filter = z.string().trim().min(1).max(200).nullable().catch(null).default(null);

/** What an address of the pages asks for. Invalid values are ignored. */
export const InsightsQuestion = RangeQuestion.extend({
  query: z
    .union([z.string().max(100), z.array(z.string().max(100)).max(100)])
    .transform((ids) => [ids].flat().filter((id) => id !== ""))
    .catch([]),
  ...Object.fromEntries(FILTERS.map((name) => [name, Filter])),
}).transform(({ query, last, from, to, by, ...given }) => ({
  ...{ query, last, from, to, by },
  filters: filtersOf(given),
}));
export type InsightsQuestion = z.output<typeof InsightsQuestion>;

function filtersOf(given: Readonly<Record<string, unknown>>): Filters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = given[name];
      if (typeof value !== "string" || (name === "sentiment" && !isSentiment(value))) return [];
      return [[name, normalize(name, value)]];
    }),
  );
}

const isSentiment = (value: string) => SENTIMENTS.some((one) => one === value);

/** As it was counted. */
function normalize(name: (typeof FILTERS)[number], value: string): string {
  if (name === "author") return value.replace(/^@+/, "");
  return name === "country" || name === "category" ? value : value.toLowerCase();
}

/** The queries and the time that a question is about. */
export interface Scope {
  readonly question: InsightsQuestion;
  /** Those to choose from. */
  readonly queries: readonly WatchedQuery[];
  readonly chosen: readonly WatchedQuery[];
  readonly range: Range;
  /** Whether the chosen queries have several zones: then the days are those of the console. */
  readonly hasZones: boolean;
  /** What was asked for is longer: of these filters so much can be counted. */
  readonly isCut?: boolean;
  /** Whether the period before was counted; if absent, it was. */
  readonly isCompared?: boolean;
}

export async function readScope(
  { queries: store }: Pick<Stores, "queries">,
  times: Times,
  question: InsightsQuestion,
): Promise<Scope> {
  const { queries, chosen } = chosenQueries(await store.active(), question);
  const zones = [...new Set(chosen.map(({ timezone }) => timezone))];
  const zone = zones.length === 1 ? (zones[0] ?? times.zone) : times.zone;
  const range = readRange(question, times.now(), zone);
  return { question, queries, chosen, range, hasZones: zones.length > 1 };
}

/** The same question on another page. */
export function sameOn(path: string, address: string): string {
  const [, query] = withParameter(withParameter(address, "live", null), "part", null).split("?");
  return query === undefined ? path : `${path}?${query}`;
}
