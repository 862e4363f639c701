import { formatMinutes } from "../lib/duration.ts";
import type { Instant } from "../lib/instant.ts";
import type { Alert, WindowCount } from "../model/alert.ts";
import type { Severity } from "../model/severity.ts";
import { formatNumber } from "./formatters.ts";

/**
 * The numbers in words, before any statistics: "Negative mentions are 6 times what is normal on a Monday morning."
 * Null if the normal count is unknown, or the count is not clearly higher.
 */
export function leadOf({ values, windowTo, windowFrom, because }: Alert, timezone: string): string | null {
  const { count, expected } = values;
  if (count === undefined || expected === undefined || windowTo <= windowFrom) return null;
  const subject = /^[\d,.]+ (.+?) in \d/.exec(because)?.[1];
  if (subject === undefined || count < 1.5 * expected) return null;
  const what = `${subject.charAt(0).toUpperCase()}${subject.slice(1)}`;
  const when = momentOfWeek(windowTo, timezone);
  if (expected < 0.5) return `${what} are rare on ${when}: normally there are hardly any.`;
  return `${what} are ${timesWords(count / expected)} what is normal on ${when}.`;
}

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

/** How it has grown: `{ label: "Doubled", text: "161 negative in 5 min now, 52 when the alert fired" }`. */
export function growthOf(
  { progress, severity }: Pick<Alert, "progress" | "severity">,
  kind: string,
): { readonly label: string; readonly text: string } | null {
  const { first, renotified: now, peak } = progress ?? {};
  if (first === undefined || now === undefined || !GROWN.has(kind)) return null;
  const present = `${shortCount(now)} now`;
  if (kind === "wave") {
    const before =
      peak !== undefined && peak.at < now.at ? `${formatNumber(peak.count)} at the peak before` : null;
    return { label: "Another wave", text: `${present}, ${before ?? whenFirst(first)}` };
  }
  const label =
    kind === "escalated"
      ? `Now ${severity.toUpperCase()}`
      : growthLabel(now.count / Math.max(first.count, 1));
  return { label, text: `${present}, ${whenFirst(first)}` };
}

const GROWN: ReadonlySet<string> = new Set(["doubled", "wave", "escalated"]);

/** Not "when you were notified": a receiver that a rise or an escalation leads to came in later. */
function whenFirst({ count }: WindowCount): string {
  return `${formatNumber(count)} when the alert fired`;
}

function growthLabel(factor: number): string {
  if (factor < 1.9) return "Growing";
  if (factor < 2.9) return "Doubled";
  return factor < 3.9 ? "Tripled" : `${formatNumber(Math.floor(factor))} times as many`;
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
 * The text after the first sentence: for a count, how sure it is; for a mention, why it matched. States the limits of
 * the rule in words.
 */
export function reasonOf({ because, windowTo, windowFrom }: Alert): {
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
  return { label: "How sure", text: text === "" ? because : text };
}
