import { DAY, type Instant } from "../../lib/instant.ts";

export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

export interface Periods {
  readonly period: Period;
  readonly before: Period;
}

/** Quarters that are added to whole days, or taken away from them again. */
interface Edge extends Period {
  readonly sign: 1 | -1;
}

/** A period as UTC days, and what these have too little or too much: less than half a day at each end. */
export function wholeDays({ from, to }: Period): {
  readonly days: Period | null;
  readonly edges: readonly Edge[];
} {
  const days = { from: Math.round(from / DAY) * DAY, to: Math.round(to / DAY) * DAY };
  if (days.from >= days.to) return { days: null, edges: from < to ? [{ from, to, sign: 1 }] : [] };
  return { days, edges: [...edge(from, days.from), ...edge(days.to, to)] };
}

function edge(from: Instant, to: Instant): readonly Edge[] {
  if (from === to) return [];
  return [from < to ? { from, to, sign: 1 } : { from: to, to: from, sign: -1 }];
}
