import { formatMinutes } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { countedSubject } from "../../lib/numbers.ts";
import { capitalised } from "../../lib/text.ts";
import type { Alert, WindowCount } from "../model/alert.ts";
import { OWN_QUERY } from "../model/query.ts";
import type { Severity } from "../model/severity.ts";
import { deletedWords, growthLabel } from "../model/wording.ts";
import { shortenText } from "./escape.ts";
import { formatCompact, formatNumber } from "./formatters.ts";
import type { MentionView } from "./mention-view.ts";
import type { AlertView } from "./view.ts";

/**
 * The numbers in words, before any statistics: "Negative mentions are 6 times what is normal on a Monday morning."
 * Of a peak: that they were. Null if the normal count is unknown, or the count is not clearly higher.
 */
export function leadOf({ values, windowTo, windowFrom, because }: Alert, timezone: string): string | null {
  const { count, expected } = values;
  if (count === undefined || expected === undefined || windowTo <= windowFrom) return null;
  const [, number, counted] = /^([\d,.]+) (.+?) in \d/.exec(because) ?? [];
  if (counted === undefined || count < 1.5 * expected) return null;
  const subject = number === "1" ? severalOf(counted) : counted;
  const what = capitalised(subject);
  const when = momentOfWeek(windowTo, timezone);
  if (expected < 0.5) return `${what} are rare on ${when}: normally there are hardly any.`;
  const times = `${timesWords(count / expected)} what is normal on ${when}.`;
  // The message may be sent, and is brought up to date, when it has long become less.
  return AT_THE_PEAK.test(because) ? `At the peak, ${subject} were ${times}` : `${what} are ${times}`;
}

/** "negative mentions" of "negative mention", "stories of negative mentions" of "story of negative mentions". */
function severalOf(subject: string): string {
  return subject.replace(/\b(?:mention|author|story)\b/, (one) => (one === "story" ? "stories" : `${one}s`));
}

const AT_THE_PEAK = /^[^.;]* at the peak\b/;

/** "twice", "6 times", "about 40 times". */
function timesWords(factor: number): string {
  if (factor < 1.8) return "one and a half times";
  if (factor < 2.5) return "twice";
  const rounded = factor < 20 ? Math.round(factor) : Math.round(factor / 10) * 10;
  return `${factor < 20 ? "" : "about "}${formatNumber(rounded)} times`;
}

/** "a Monday morning". */
function momentOfWeek(at: Instant, timezone: string): string {
  const parts = formatIn(timezone).formatToParts(at);
  const part = (type: string): string => parts.find((one) => one.type === type)?.value ?? "";
  const hour = Number(part("hour"));
  const time = hour < 5 || hour >= 22 ? "night" : hour < 12 ? "morning" : hour < 17 ? "afternoon" : "evening";
  return `a ${part("weekday")} ${time}`;
}

function formatIn(timeZone: string): Intl.DateTimeFormat {
  const options = { weekday: "long", hour: "2-digit", hourCycle: "h23" } as const;
  try {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone });
  } catch {
    return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
  }
}

/**
 * How it has grown: `{ label: "Doubled", text: "161 negative in 5 min now, 52 when the alert fired" }`. A message that is
 * brought up to date later says what is now, too, and no more that it grows when it has become less.
 */
export function growthOf(
  { progress, severity }: Pick<Alert, "progress" | "severity">,
  kind: string,
): { readonly label: string; readonly text: string } | null {
  const { first, renotified, peak } = progress ?? {};
  const now = progress?.now ?? renotified;
  if (first === undefined || now === undefined || !GROWN.has(kind)) return null;
  const hasFallen = kind === "doubled" && now.count < (renotified?.count ?? first.count);
  const present = `${shortCount(now)} now`;
  if (kind === "wave") {
    const before =
      peak !== undefined && peak.at < now.at ? `${formatNumber(peak.count)} at the peak before` : null;
    return { label: "Another wave", text: `${present}, ${before ?? whenFirst(first)}` };
  }
  if (kind === "reminder" || hasFallen)
    return { label: "Still going on", text: `${present}, ${whenFirst(first)}` };
  const label =
    kind === "escalated"
      ? `Now ${severity.toUpperCase()}`
      : growthLabel(now.count / Math.max(first.count, 1));
  return { label, text: `${present}, ${whenFirst(first)}` };
}

const GROWN: ReadonlySet<string> = new Set(["doubled", "wave", "escalated", "reminder"]);

/** Not "when you were notified": a receiver that a rise or an escalation leads to came in later. */
function whenFirst({ count }: WindowCount): string {
  return `${formatNumber(count)} when the alert fired`;
}

/** `161 negative in 5 min`. */
export function shortCount({ count, windowMs, subject }: WindowCount): string {
  const what = subject.endsWith(" mentions") ? subject.slice(0, -" mentions".length) : subject;
  return `${formatNumber(count)} ${what} in ${formatMinutes(windowMs)}`;
}

/** `161 in 5 min`. */
export function peakOf({ progress }: Pick<Alert, "progress">): { count: string; at: Instant } | null {
  const peak = progress?.peak;
  return peak === undefined
    ? null
    : { count: `${formatNumber(peak.count)} in ${formatMinutes(peak.windowMs)}`, at: peak.at };
}

/** "It is critical because it reached at least 200 in 30 min." */
export function stepOf(alert: Pick<Alert, "progress"> & { readonly severity: Severity }): string | null {
  const step = alert.progress?.step;
  return step === undefined ? null : `${alert.severity} because of ${step}`;
}

/**
 * The text after the first sentence: for a count, how sure it is; for a mention, why it matched; for a problem of
 * Earshot itself, what to do. States the limits of the rule in words.
 */
export function reasonOf({ because, windowTo, windowFrom, queryId }: Alert): {
  readonly label: string;
  readonly text: string;
} {
  // That the source has filed it there is the title of such a rule: it would be said twice.
  if (windowTo <= windowFrom)
    return { label: "Why", text: /^in category "[^"]*"$/i.test(because) ? "" : because };
  const end = because.search(/[.;] (?=\S)/);
  const limits = [...(end < 0 ? because : because.slice(0, end)).matchAll(/\(([^()]+)\)/g)].map(
    ([, limit]) => limit,
  );
  const after = end < 0 ? "" : because.slice(end + 2);
  const text = [...limits.map((limit) => `Rule: ${limit}`), after].filter((part) => part !== "").join(". ");
  const label = queryId === OWN_QUERY.queryId ? "Details" : "How sure";
  // The headline has the whole of a single sentence.
  return { label, text };
}

/**
 * What happened, in a few words. For an alert on a window it is the first sentence of `because`, which has the number,
 * what it counts and what is normal, without the limits in brackets; the values `count` and `expected` become a factor.
 * For an alert on mentions it is the only mention, or their number.
 */
export function buildHeadline(alert: Alert, mentions: readonly MentionView[], deleted = 0): string {
  if (alert.windowTo > alert.windowFrom)
    return `${firstSentence(alert.because)}${factor(alert.values)}${newValue(alert)}`;
  if (alert.mentions === 0 && deleted > 0) return deletedWords(deleted);
  const [only] = mentions;
  if (alert.mentions === 1 && only !== undefined) return describeOne(only);
  return alert.mentions === 1 ? "1 mention" : `${formatNumber(alert.mentions)} mentions`;
}

function firstSentence(because: string): string {
  const [sentence = because] = because.split(/[.;]\s/, 1);
  return sentence.replaceAll(/(?<!\s)\s*\([^()]*\)/g, "").replace(/(?<![.;\s])[.;\s]+$/, "");
}

/** "62 negative mentions in 30 min" of "62 negative mentions in 30 min, 11 expected at this hour". */
function withoutNormal(sentence: string): string {
  return sentence.replace(/, (?:[\d,.]+ expected|usually )[^,]*$/, "");
}

function factor(values: Alert["values"]): string {
  const count = values["count"];
  const expected = values["expected"];
  if (count === undefined || expected === undefined || expected < 0.5) return "";
  const times = count / expected;
  return times < 1.5 ? "" : ` (${formatNumber(times >= 10 ? Math.round(times) : times)}×)`;
}

/** Adds the hashtag, which is in a label, to "a hashtag never seen here before: …". */
function newValue({ because, labels }: Alert): string {
  const facet = /^an? (\w+) never seen/.exec(because)?.[1];
  const value = facet === undefined ? undefined : labels[facet];
  return value === undefined ? "" : `, ${value}`;
}

/**
 * The whole announcement, with the brand. Of counts, people's words come first: "Northwind: “no refund for my order”, 62
 * negative mentions in 30 min"; without such words it is the headline. Of mentions it has the person and the words:
 * "Helena Brandt (184k followers, verified) is negative about Northwind: “…”". `quote`: people's words alone, of counts.
 */
export function announce(
  alert: Alert,
  headline: string,
  mentions: readonly MentionView[],
  words: { readonly quote: string | null; readonly title: string },
): AlertView["announcement"] & { readonly quote: string | null } {
  const [first] = mentions;
  if (alert.windowTo > alert.windowFrom || first === undefined) {
    const { quote, title } = words;
    const isOver = alert.resolvedAt !== null;
    // The numbers of a rule are old when it is over.
    if (quote === null) return { query: alert.queryName, text: isOver ? title : headline, quote };
    const counted = isOver ? "" : `, ${withoutNormal(firstSentence(alert.because))}`;
    const room = HEADLINE_ROOM - alert.queryName.length - counted.length;
    const shown = `“${shortenText(quote, Math.max(SHORTEST_QUOTE, Math.min(LONGEST_QUOTE, room)))}”`;
    return { query: alert.queryName, text: `${shown}${counted}`, quote: shown };
  }
  const does =
    first.sentiment === "negative" || first.sentiment === "positive"
      ? `is ${first.sentiment} about`
      : "mentions";
  if (alert.mentions === 1) {
    return {
      query: null,
      text: `${describePerson(first)} ${does} ${alert.queryName}${quoteOf(first)}`,
      quote: null,
    };
  }
  const others = alert.mentions - 1;
  const more = `${formatNumber(others)} more ${others === 1 ? "mention" : "mentions"}`;
  if (alert.labels["author"] !== undefined)
    return { query: null, text: `${describePerson(first)} ${does} ${alert.queryName}, ${more}`, quote: null };
  return {
    query: alert.queryName,
    text: `${describePerson(first)} and ${more}${quoteOf(first)}`,
    quote: null,
  };
}

/** A headline of Slack has 150 characters, and begins with what is new: it must not end within the number. */
const HEADLINE_ROOM = 115;
const LONGEST_QUOTE = 75;
const SHORTEST_QUOTE = 30;

/** `: “Terrible. Broken twice.”`; empty if the source withholds the words. */
function quoteOf({ title, text }: MentionView): string {
  const words = title ?? text;
  return words === "" ? "" : `: “${shortenText(words, 90)}”`;
}

function describePerson({ authorName, followers, verified }: MentionView): string {
  const facts = [
    ...(followers === null || followers < 1 ? [] : [`${formatCompact(followers)} followers`]),
    ...(verified ? ["verified"] : []),
  ];
  return facts.length === 0 ? authorName : `${authorName} (${facts.join(", ")})`;
}

function describeOne(mention: MentionView): string {
  const sentiment = mention.sentiment === null ? "" : `${mention.sentiment} `;
  return `${sentiment}mention by ${describePerson(mention)}`;
}

/** "60 negative mentions in 15 min at the peak, …" with another count; null for a sentence about no peak. */
export function withPeakCount(because: string, count: number, isExpected: boolean): string | null {
  const match = /^[\d,]+ (.+?) in (\d[^,.]*?) at the peak(.*)$/s.exec(because);
  if (match === null) return null;
  const [, subject = "", length = "", rest = ""] = match;
  const after = isExpected ? rest : rest.replace(/^, [\d,.]+ expected at this hour/, "");
  return `${countedSubject(count, subject)} in ${length} at the peak${after}`;
}
