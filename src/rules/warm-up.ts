import { formatMinutes } from "../lib/format-minutes.ts";
import { DAY, type Instant } from "../lib/instant.ts";

/** What a condition has yet to learn before it may fire. */
export interface WarmUp {
  /** When it will have learned it; null where that hangs on mentions and not on time. */
  readonly until: Instant | null;
  /** "9 more days", "its first mention". */
  readonly needs: string;
}

/** How far a condition has been judged, and the zone of its query. */
export interface Judged {
  readonly until: Instant;
  readonly timezone: string;
}

/** Nothing was counted yet, so nobody knows when it will have learned. */
export const AWAITS_FIRST_MENTION: WarmUp = { until: null, needs: "its first mention" };

/** Undefined once it has been judged up to the moment at which it knows enough. */
export function warmUpUntil(until: Instant, judged: Judged): WarmUp | undefined {
  const left = until - judged.until;
  return left <= 0 ? undefined : { until, needs: formatRemaining(left) };
}

function formatRemaining(ms: number): string {
  if (ms <= DAY) return `${formatMinutes(ms)} more`;
  return `${Math.ceil(ms / DAY)} more days`;
}
