import { z } from "zod";
import type { Facet } from "../model/mention-counts.ts";
import { RangeQuestion } from "./range.ts";

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

/** What an address of the pages of Insights asks for. Invalid values are ignored. */
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

/** The queries that it asks for, by name: all, if it names none of these. */
export function chosenQueries<Query extends { readonly queryId: string; readonly name: string }>(
  active: readonly Query[],
  { query }: Pick<InsightsQuestion, "query">,
): { readonly queries: readonly Query[]; readonly chosen: readonly Query[] } {
  const queries = active.toSorted((a, b) => a.name.localeCompare(b.name, "en"));
  const asked = queries.filter(({ queryId }) => query.includes(queryId));
  return { queries, chosen: asked.length === 0 ? queries : asked };
}
