import { MINUTE } from "../../lib/instant.ts";

/** Mentions are counted by quarter of an hour of their own time: every zone differs from UTC by whole quarters. */
export const QUARTER = 15 * MINUTE;

/** By what mentions are counted before anybody asks; `all` has one value, the empty one. */
export const FACETS = ["all", "author", "domain", "country", "language", "type", "category"] as const;
export type Facet = (typeof FACETS)[number];

/** What a count of mentions can be narrowed down to: one value of each; the names are those of the page Mentions. */
export const FILTERS = ["author", "domain", "country", "language", "type", "category", "sentiment"] as const;
export type Filters = Readonly<Partial<Record<(typeof FILTERS)[number], string>>>;

export interface QueryKey {
  readonly projectId: string;
  readonly queryId: string;
}

interface Sums {
  readonly mentions: number;
  readonly negative: number;
  readonly neutral: number;
  readonly positive: number;
  /** The sum of what the source estimates; null where it says nothing. One person may be counted often. */
  readonly reach: number | null;
}

/** Mentions of a query in one step of a chart, counted from 0. */
export interface StepCount extends QueryKey, Sums {
  readonly step: number;
}

/** Negative mentions with one value of a facet, in a period and in the one before. */
export interface MoverRow {
  readonly facet: Facet;
  readonly value: string;
  readonly negative: number;
  readonly negativeBefore: number;
}

/** Mentions with one value of a facet in a period. */
export interface FacetRow extends Sums {
  readonly value: string;
  /** Mentions in the period before. */
  readonly before: number;
}

/** A facet in a period: the values with the most mentions. */
export interface FacetValues {
  readonly rows: readonly FacetRow[];
  /** Of the whole facet: how many values the period has, and how many of them the period before had not. */
  readonly values: number;
  readonly newValues: number;
  /** Whether these two are estimated, because there are very many. */
  readonly isEstimated: boolean;
}
