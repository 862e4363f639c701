import type { HelperDelegate, HelperOptions } from "handlebars";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { formatShare } from "../../lib/numbers.ts";
import { capitalised } from "../../lib/text.ts";
import {
  formatAgainst,
  formatChange,
  formatCompact,
  formatDay,
  formatLength,
  formatNumber,
  formatPercent,
  formatPeriod,
  formatPoints,
  formatTime,
  formatTimeAfter,
} from "./formatters.ts";

/**
 * The helpers of templates, in addition to `if`, `unless`, `each` and `with`. They return our own text (digits, zone
 * names, fixed words), which needs no escaping. An unknown name arrives as `undefined` and is an error, because the
 * strict mode of Handlebars checks only `{{name}}`, not arguments.
 */
export const helpers: Readonly<Record<string, HelperDelegate>> = {
  /** `{{time openedAt}}` → `Mon 23 Feb, 08:35 PST`, in the view's zone. */
  time: (at: Instant, options: HelperOptions) =>
    formatTime(momentOf(at), zoneOf(options), languageOf(options)),
  /** `{{timeAfter lastSeenAt openedAt}}` → `08:39`, with its day when that is another one. */
  timeAfter: (at: Instant, before: Instant, options: HelperOptions) =>
    formatTimeAfter(at, before, zoneOf(options), languageOf(options)),
  /** `{{day periodFrom}}` → `Mon 23 Feb 2015`. */
  day: (at: Instant, options: HelperOptions) => formatDay(momentOf(at), zoneOf(options), languageOf(options)),
  /** `{{period periodFrom periodTo}}` → `9 to 15 March 2026`. */
  period: (from: Instant, to: Instant, options: HelperOptions) =>
    formatPeriod(momentOf(from), momentOf(to), zoneOf(options), languageOf(options)),
  /** `{{against totals.mentions totals.usualMentions "the usual"}}` → `twice the usual 580`. */
  against: (now: number, before: number, what: string) => formatAgainst(now, before, what),
  /** `{{points negative mentions usualNegative usualMentions}}` → `24 points more than usual`. */
  points: (part: number, whole: number, before: number, wholeBefore: number) =>
    formatPoints(part, whole, before, wholeBefore),
  /** `{{length openedAt resolvedAt}}` → `3 h 20 min`. */
  length: (from: Instant, to: Instant) => formatLength(to - from),
  number: (value: number) => formatNumber(value),
  /** `120k`. */
  compact: (value: number) => formatCompact(value),
  /** `{{share negative mentions}}` → `42%`, `under 1%`. */
  share: (part: number, whole: number) => formatShare(whole === 0 ? 0 : part / whole),
  /** `{{percent negative mentions}}` → `42%`, `0%`: for widths. */
  percent: (part: number, whole: number) => formatPercent(part, whole),
  /** `{{change mentions previousMentions}}` → `+40%`, `6×`. */
  change: (now: number, before: number) => formatChange(now, before),
  /** `{{plural copies "post" "posts"}}` → `1 post`, `1,200 posts`. */
  plural: (count: number, one: string, many: string) => `${formatNumber(count)} ${count === 1 ? one : many}`,
  /** `{{icon severity}}`: a coloured dot; pass "resolved" for what has ended. */
  icon: (word: string) => ICONS[word] ?? "⚪",
  /** `{{announce announcement}}` → `Northwind: 62 negative mentions in 30 min`. */
  announce: ({ query, text }: { query: string | null; text: string }) =>
    query === null ? text : `${query}: ${text}`,
  /** `{{beyond because headline}}`: what follows the first clause, where the headline says that already. */
  beyond: (text: string, shown: string) => withoutFirst(text, shown),
  /** `{{named rule}}` → `Crisis spike` of `crisis-spike`. */
  named: (name: string) => capitalised(name.replaceAll(/[-_]+/g, " ")),
  upper: (word: string) => word.toUpperCase(),
  eq: (a: unknown, b: unknown) => a === b,
  gt: (a: number, b: number) => a > b,
  or: (...values: unknown[]) => values.slice(0, -1).some(Boolean),
  and: (a: unknown, b: unknown) => Boolean(a) && Boolean(b),
};

function momentOf(at: Instant): Instant {
  if (typeof at !== "number") throw new UserError(`"${String(at)}" is no moment`);
  return at;
}

function withoutFirst(text: string, shown: string): string {
  const end = text.search(/[.;] (?=\S)/);
  if (end <= 0 || !shown.startsWith(text.slice(0, end))) return text;
  return `${text.slice(end + 2, end + 3).toUpperCase()}${text.slice(end + 3)}`;
}

/** Helpers that would show null as 1 January 1970. */
const MOMENTS: ReadonlySet<string> = new Set(["time", "timeAfter", "day", "period", "length"]);

/** The same helpers, which refuse missing arguments with an error that names the helper. */
export function guardHelper(name: string, helper: HelperDelegate): HelperDelegate {
  return function guarded(this: unknown, ...values: unknown[]) {
    const missing = values.indexOf(undefined);
    if (missing !== -1) {
      throw new UserError(`argument ${missing + 1} of "${name}" is not in the view (a misspelt name?)`);
    }
    if (MOMENTS.has(name) && values.includes(null)) {
      throw new UserError(
        `argument ${values.indexOf(null) + 1} of "${name}" may be missing: ask with {{#if}} first`,
      );
    }
    return helper.apply(this, values as Parameters<HelperDelegate>);
  };
}

function zoneOf(options: HelperOptions): string {
  const root: unknown = options.data?.root;
  if (typeof root !== "object" || root === null || !("timezone" in root)) return "UTC";
  return typeof root.timezone === "string" ? root.timezone : "UTC";
}

/** Alerts are in English; dates of a digest are in its reader's language. */
function languageOf(options: HelperOptions): string {
  const root: unknown = options.data?.root;
  if (typeof root !== "object" || root === null || !("language" in root)) return "en";
  return typeof root.language === "string" ? root.language : "en";
}

const ICONS: Record<string, string> = {
  info: "🔵",
  warning: "🟠",
  critical: "🔴",
  over: "✅",
  resolved: "✅",
  positive: "🟢",
  negative: "🔴",
};
