import { DAY, type Instant } from "../../lib/instant.ts";
import { type Facet, QUARTER, type QueryKey } from "../model/mention-counts.ts";
import type { Period, Periods } from "./whole-days.ts";

/** A UTC day of a query on which each filter has its value. */
export interface FilteredDay extends QueryKey {
  readonly day: Instant;
  /** Mentions of the query, and with the rarest of the values. */
  readonly mentions: number;
  readonly least: number;
  readonly rarest: Facet;
}

/** Which mentions are read: of a query, in a time; if a facet is named, only in the quarters that have its value. */
interface Unit extends QueryKey, Period {
  /** 0: the period; 1: the period before. */
  readonly span: 0 | 1;
  readonly facet: Facet | null;
}

export interface ReadingPlan {
  readonly units: readonly Unit[];
  /** What is before it was left out; null: nothing. */
  readonly since: Instant | null;
  /** Whether the period before is read, too. */
  readonly isCompared: boolean;
}

const QUARTERS = DAY / QUARTER;

/** The newest part of the period that has at most so many mentions to read; and the period before, if all of both fits. */
export function planReading(
  days: readonly FilteredDay[],
  { period, before }: Periods,
  most: number,
): ReadingPlan {
  const now = takeNewest(days, period, 0, most);
  if (now.since !== null) return { units: now.units, since: now.since, isCompared: false };
  const earlier = takeNewest(days, before, 1, most - now.cost);
  if (earlier.since !== null) return { units: now.units, since: null, isCompared: false };
  return { units: [...now.units, ...earlier.units], since: null, isCompared: true };
}

function takeNewest(days: readonly FilteredDay[], { from, to }: Period, span: 0 | 1, most: number) {
  const units: Unit[] = [];
  let cost = 0;
  const inside = days.filter(({ day }) => day < to && day + DAY > from);
  for (const day of [...new Set(inside.map((one) => one.day))].sort((a, b) => b - a)) {
    const own = inside.filter((one) => one.day === day).map((one) => ({ ...one, ...costOf(one) }));
    const ofDay = own.reduce((sum, one) => sum + one.cost, 0);
    // As if the mentions of a day came evenly: what is left may be enough for its end.
    const share = Math.min(1, Math.max(0, most - cost) / ofDay);
    const end = Math.min(to, day + DAY);
    const begin = share === 1 ? day : end - Math.max(1, Math.floor(share * QUARTERS)) * QUARTER;
    for (const { projectId, queryId, facet } of own)
      units.push({ projectId, queryId, span, facet, from: Math.max(from, begin), to: end });
    cost += ofDay * share;
    if (share < 1 && begin > from) return { units, cost, since: begin };
  }
  return { units, cost, since: null };
}

/** A rare value is looked for in its quarters, with all that the query has there. */
function costOf({ mentions, least, rarest }: FilteredDay): {
  readonly cost: number;
  readonly facet: Facet | null;
} {
  const ofQuarters = QUARTERS / 4 + least * Math.max(1, mentions / QUARTERS);
  return ofQuarters < mentions / 2 ? { cost: ofQuarters, facet: rarest } : { cost: mentions, facet: null };
}
