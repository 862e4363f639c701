import { formatMinutes } from "../../lib/duration.ts";
import { DAY, type Instant } from "../../lib/instant.ts";

/** What a condition must still learn before it may fire. */
export interface WarmUp {
  /** When the warm-up ends; null if that depends on mentions, not on time. */
  readonly until: Instant | null;
  /** "9 more days", "a first mention that it counts". */
  readonly needs: string;
}

/** Up to when a condition was judged, and the zone of its query. */
export interface JudgedUpTo {
  readonly until: Instant;
  readonly timezone: string;
}

/** Nothing was counted yet, whatever else was said, so the end of the warm-up is unknown. */
export const AWAITS_FIRST_MENTION: WarmUp = { until: null, needs: "a first mention that it counts" };

/** Undefined once it has been judged up to the end of its warm-up. */
export function warmUpUntil(until: Instant, judged: JudgedUpTo): WarmUp | undefined {
  const left = until - judged.until;
  return left <= 0 ? undefined : { until, needs: formatRemaining(left) };
}

function formatRemaining(ms: number): string {
  if (ms <= DAY) return `${formatMinutes(ms)} more`;
  return `${Math.ceil(ms / DAY)} more days`;
}
