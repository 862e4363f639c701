import { DAY, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { describeRange, rangeAt, type WeeklyRange } from "../../lib/weekly-range.ts";
import type { Actor } from "./alert-action.ts";
import { type AlertMatch, type MatchedAlert, matchesAlert } from "./alert-match.ts";

/** Holds the notifications of matching alerts for a time. The end of an announced alert is still sent. */
export interface Silence {
  /** UUID. */
  readonly id: string;
  readonly match: AlertMatch;
  /** A readable name. */
  readonly author: string;
  readonly actor?: Actor;
  readonly comment: string;
  readonly createdAt: Instant;
  readonly startsAt: Instant;
  /** Every silence ends; ending it early moves this. */
  readonly endsAt: Instant;
  /** If there are any, it holds only inside them, until it ends: every night, every weekend. */
  readonly windows: readonly WeeklyRange[];
  /** Who ended it early. */
  readonly endedBy: string | null;
}

/** `mutes`: its matcher in words. */
export type ListedSilence = Silence & { readonly mutes: string };

/** Lengths that people choose from. */
export const SILENCE_LENGTHS = [30 * MINUTE, HOUR, 4 * HOUR, 8 * HOUR, DAY, 7 * DAY] as const;

/** Limits the damage of a forgotten silence: it hides alerts. */
export const LONGEST_SILENCE_MS = 90 * DAY;

/** Until when silences hold an alert at `at`, including silences that follow each other without a gap. */
export function silencedAt(
  silences: readonly Silence[],
  alert: MatchedAlert,
  at: Instant,
): { readonly until: Instant; readonly silence: Silence } | null {
  const matching = silences.filter((one) => matchesAlert(one.match, alert));
  const first = longestAt(matching, at);
  if (first === null) return null;
  let { until } = first;
  for (let next = longestAt(matching, until); next !== null; next = longestAt(matching, until))
    until = next.until;
  return { until, silence: first.silence };
}

/** `silence by ann: release day`, shown as the cause. */
export function describeSilence({ author, comment, windows }: Silence): string {
  const when = windows.length === 0 ? "" : ` (${windows.map(describeRange).join("; ")})`;
  return `silence by ${author}${comment === "" ? "" : `: ${comment}`}${when}`;
}

function longestAt(silences: readonly Silence[], at: Instant) {
  let longest: { until: Instant; silence: Silence } | null = null;
  for (const silence of silences) {
    const until = untilOf(silence, at);
    if (until !== null && (longest === null || until > longest.until)) longest = { until, silence };
  }
  return longest;
}

function untilOf({ startsAt, endsAt, windows }: Silence, at: Instant): Instant | null {
  if (at < startsAt || at >= endsAt) return null;
  if (windows.length === 0) return endsAt;
  const found = rangeAt(windows, at);
  return found && Math.min(found.until, endsAt);
}
