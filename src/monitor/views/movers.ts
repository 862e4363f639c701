import type { Facet, MoverRow } from "../model/mention-counts.ts";

/** By what a mood is explained, the most telling first. */
export const MOVING_FACETS = [
  "category",
  "domain",
  "type",
  "country",
  "language",
] as const satisfies readonly Facet[];
/** Of each facet. */
export const MOST_MOVERS = 3;

/** What changed the share of negative mentions: its negative mentions, as a share of all mentions of each period. */
export interface Mover extends MoverRow {
  readonly share: number;
  readonly shareBefore: number;
}

/** A change below a percentage point is rounded away, and explains nothing. 0.15 - 0.14 is a little less than 0.01. */
const LEAST_CHANGE = 0.01 - 1e-9;

/** The values that moved the mood by at least a point, in the order of the rows. */
export function buildMovers(
  rows: readonly MoverRow[],
  mentions: { readonly period: number; readonly before: number },
): Mover[] {
  return rows
    .map((row) => ({
      ...row,
      share: row.negative / mentions.period,
      shareBefore: row.negativeBefore / mentions.before,
    }))
    .filter(({ share, shareBefore }) => Math.abs(share - shareBefore) >= LEAST_CHANGE);
}
