import { z } from "zod";
import { FILTERS, type Filters } from "../model/mention-counts.ts";
import { RangeQuestion } from "./range.ts";

/** As long as the names that are kept of mentions. */
export const LONGEST_FILTER = 1_000;

const Filter = z.string().trim().min(1).max(LONGEST_FILTER).nullable().catch(null).default(null);

/** What an address of the pages of Insights asks for. Invalid values are ignored. */
export const InsightsQuestion = RangeQuestion.extend({
  query: z
    .union([z.string().max(100), z.array(z.string().max(100)).max(100)])
    .transform((ids) => [ids].flat().filter((id) => id !== ""))
    .catch([]),
  /** Only authors on this list; for "who speaks". */
  list: Filter,
  ...Object.fromEntries(FILTERS.map((name) => [name, Filter])),
}).transform(({ query, last, from, to, by, list, ...given }) => ({
  ...{ query, last, from, to, by, list },
  filters: filtersOf(given),
}));
export type InsightsQuestion = z.output<typeof InsightsQuestion>;

function filtersOf(given: Readonly<Record<string, unknown>>): Filters {
  return Object.fromEntries(
    FILTERS.flatMap((name) => {
      const value = given[name];
      if (typeof value !== "string" || (name === "sentiment" && !SENTIMENTS.test(value))) return [];
      return [[name, normalize(name, value)]];
    }),
  );
}

const SENTIMENTS = /^(?:negative|neutral|positive)$/;

/** As it was counted. */
function normalize(name: (typeof FILTERS)[number], value: string): string {
  if (name === "author") return value.replace(/^@+/, "");
  return name === "country" || name === "category" ? value : value.toLowerCase();
}

export function hasFilters({ filters }: Pick<InsightsQuestion, "filters">): boolean {
  return Object.keys(filters).length > 0;
}

/** The queries that it asks for, by name: all, if it names none of these. */
export function chosenQueries<Query extends { readonly queryId: string; readonly name: string }>(
  active: readonly Query[],
  { query }: Pick<InsightsQuestion, "query">,
): { readonly queries: readonly Query[]; readonly chosen: readonly Query[] } {
  const queries = active.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  const chosen = queries.filter(({ queryId }) => query.includes(queryId));
  return { queries, chosen: chosen.length === 0 ? queries : chosen };
}
