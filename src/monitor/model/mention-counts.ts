/** By what mentions are counted before anybody asks; `all` has one value, the empty one. */
export const FACETS = ["all", "author", "domain", "country", "language", "type", "category"] as const;
export type Facet = (typeof FACETS)[number];

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
  /** Of the whole facet: how many values the period has, and how many of them the period before had not. */
  readonly values: number;
  readonly newValues: number;
}
