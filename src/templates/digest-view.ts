import type { Instant } from "../lib/instant.ts";
import type { AlertState } from "../model/alert.ts";
import type { Severity } from "../model/severity.ts";
import type { MentionView } from "./mention-view.ts";

/** One period of a subscriber, as the digest templates see it: plain data, moments as epoch milliseconds. */
export interface DigestView {
  /** The configured name of the digest: "Morning read". */
  readonly name: string;
  /** Project names, joined with commas where there is more than one. */
  readonly project: string;
  /** The period is [periodFrom, periodTo). */
  readonly periodFrom: Instant;
  readonly periodTo: Instant;
  /** IANA zone of the reader; every moment is shown in it. */
  readonly timezone: string;
  /** Tag of the language in which the reader wants dates: `en`, `de`, `pt-BR`. */
  readonly language: string;
  /** Up to here every query was read completely; before `periodTo` when something is still missing. */
  readonly completeUntil: Instant;
  /** True when nothing happened that is worth reading: no alerts, and volume as usual or none at all. */
  readonly quiet: boolean;
  readonly totals: DigestTotals;
  /** Volume and mood over the period, by hour or by day; null where nothing was counted. */
  readonly volume: DigestVolume | null;
  /** Largest first, at most twenty. */
  readonly perQuery: readonly DigestQueryRow[];
  /** Most told first, at most about five. */
  readonly topStories: readonly DigestStoryRow[];
  /** At most about five, none of them already told by a story above. */
  readonly topMentions: readonly MentionView[];
  /** Who spoke most, at most five; the source counts them, or the stored mentions do. */
  readonly topAuthors: readonly DigestAuthorRow[];
  /** Without their sign, most used first, at most eight. */
  readonly topHashtags: readonly DigestHashtagRow[];
  /** Alerts that were open during the period, gravest first, then oldest first; at most ten. */
  readonly alerts: readonly DigestAlertRow[];
  /** All of them, listed or not. */
  readonly alertCount: number;
  /** What is not listed above. */
  readonly more: DigestMore;
  /** The console on this period; null where no console address is configured. http or https. */
  readonly consoleUrl: string | null;
  /** Ends the subscription of this one reader; null where there is no such link. http or https. */
  readonly unsubscribeUrl: string | null;
}

export interface DigestMore {
  readonly alerts: number;
  /** The most common of those alerts, at most three, with their numbers. */
  readonly common: readonly { readonly count: number; readonly rule: string; readonly query: string }[];
  readonly queries: number;
  /** Mentions of those queries. */
  readonly mentions: number;
}

export interface DigestVolume {
  readonly step: "hour" | "day";
  /** The most mentions of a bar. */
  readonly most: number;
  /** Without a gap, in order of time. Heights are of 60. */
  readonly bars: readonly {
    readonly at: Instant;
    readonly mentions: number;
    readonly negative: number;
    readonly otherHeight: number;
    readonly negativeHeight: number;
  }[];
  /** The same as characters: `▁▂▇█▃`. */
  readonly line: string;
  /** The bar with the most mentions. */
  readonly peakAt: Instant;
}

export interface DigestTotals {
  readonly mentions: number;
  readonly negative: number;
  readonly neutral: number;
  readonly positive: number;
  /** Mentions of the period before, of equal length; null while there is no such history. */
  readonly previousMentions: number | null;
  readonly previousNegative: number | null;
  /** What such a period usually has: the median of those before it; null while there are not three of them. */
  readonly usualMentions: number | null;
  readonly usualNegative: number | null;
}

export interface DigestAuthorRow {
  readonly name: string;
  readonly mentions: number;
  /** Null where the source does not say. */
  readonly negative: number | null;
}

export interface DigestHashtagRow {
  readonly name: string;
  readonly mentions: number;
}

export interface DigestQueryRow extends DigestTotals {
  /** Name of the query, as people know it. */
  readonly query: string;
}

export interface DigestStoryRow {
  readonly query: string;
  /** Its first text or headline, one line, shortened. */
  readonly text: string;
  readonly url: string | null;
  readonly domain: string | null;
  /** Mentions that tell it: the original, reposts and copies. */
  readonly mentions: number;
  readonly negative: number;
  readonly firstAt: Instant;
}

export interface DigestAlertRow {
  readonly rule: string;
  readonly query: string;
  readonly severity: Severity;
  readonly state: AlertState;
  readonly because: string;
  readonly openedAt: Instant;
  /** Null while it is still going on. */
  readonly resolvedAt: Instant | null;
  readonly mentions: number;
  readonly consoleUrl: string | null;
}
