import { z } from "zod";
import type { Facet, Stores, WatchedQuery } from "#monitor";
import { withParameter } from "../common/address.ts";
import type { Times } from "../common/times.ts";
import { type Range, RangeQuestion, readRange } from "./range.ts";

/** Facets of which an address may choose one value; the names are those of the page Mentions. */
export const FILTERS = [
  "author",
  "domain",
  "country",
  "language",
  "type",
  "category",
] as const satisfies readonly Facet[];

const Filter = z.string().trim().min(1).max(200).nullable().catch(null).default(null);

/** What an address of the pages asks for. Invalid values are ignored. */
export const InsightsQuestion = RangeQuestion.extend({
  query: z
    .union([z.string().max(100), z.array(z.string().max(100)).max(100)])
    .transform((ids) => [ids].flat().filter((id) => id !== ""))
    .catch([]),
  /** Only authors on this list; for "who speaks". */
  list: Filter,
  ...Object.fromEntries(FILTERS.map((facet) => [facet, Filter])),
}).transform(({ query, last, from, to, by, list, ...filters }) => ({
  ...{ query, last, from, to, by, list },
  filter: filterOf(filters),
}));
export type InsightsQuestion = z.output<typeof InsightsQuestion>;

/** Counts know one facet at a time. */
function filterOf(filters: Readonly<Record<string, unknown>>) {
  for (const facet of FILTERS) {
    const value = filters[facet];
    if (typeof value === "string") return { facet, value: normalize(facet, value) };
  }
  return null;
}

/** As it was counted. */
function normalize(facet: (typeof FILTERS)[number], value: string): string {
  if (facet === "author") return value.replace(/^@+/, "");
  return facet === "country" || facet === "category" ? value : value.toLowerCase();
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
}

export async function readScope(
  { queries: store }: Pick<Stores, "queries">,
  times: Times,
  question: InsightsQuestion,
): Promise<Scope> {
  const queries = (await store.active()).toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  const asked = queries.filter(({ queryId }) => question.query.includes(queryId));
  const chosen = asked.length === 0 ? queries : asked;
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
