import type { AlertState } from "#monitor";
import { formatDuration } from "../../lib/duration.ts";
import type { Instant } from "../../lib/instant.ts";
import { fitsGlob } from "../../lib/patterns.ts";
import type { Observations, ObservedAlert } from "./observed.ts";
import type { Expectation, Met, Never } from "./test-file.ts";

/** `because` says what happened instead. */
type Judgement = { readonly outcome: "Met" } | { readonly outcome: "NotMet"; readonly because: string };

interface JudgingContext {
  /** The rule of the test. */
  readonly rule: string;
  readonly momentOf: (text: string) => Instant;
  /** `09:15`, or with its day where that is another one. */
  readonly show: (at: Instant) => string;
  readonly start: Instant;
  readonly end: Instant;
}

/** Compares one expectation with what was observed. */
export function judgeExpectation(
  expected: Expectation,
  observed: Observations,
  context: JudgingContext,
): Judgement {
  if ("never" in expected) return judgeNever(expected.never, observed, context);
  return judgeBy(expected, observed, context);
}

/** A span of the story, both ends included. */
interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

function judgeBy(expected: Met, observed: Observations, context: JudgingContext): Judgement {
  const { momentOf, show, start, end } = context;
  const from = expected.after === undefined ? start : momentOf(expected.after);
  const by = momentOf(expected.by);
  const span = { from, to: by };
  const missing = missingIn(expected, observed, span, context);
  if (missing === null) return judgeMessages(expected.messages, observed, by, show);
  const isLate = missingIn(expected, observed, { from, to: end }, context) === null;
  if (isLate) {
    const at = firstMoment(expected, observed, span, context);
    return notMet(`it happened at ${show(at)}, ${formatDuration(at - by)} late`);
  }
  const isEarly = from > start && missingIn(expected, observed, { from: start, to: by }, context) === null;
  return notMet(isEarly ? `it happened before ${show(from)}` : missing);
}

/** The first stop at which all of it was true. */
function firstMoment(
  expected: Met,
  observed: Observations,
  { from, to }: Span,
  context: JudgingContext,
): Instant {
  const moments = [...observed.messages, ...observed.alerts.flatMap(({ seen }) => seen)]
    .map(({ at }) => at)
    .filter((at) => at > to)
    .sort((a, b) => a - b);
  return (
    moments.find((at) => missingIn(expected, observed, { from, to: at }, context) === null) ?? context.end
  );
}

/** What is missing, in words; null where everything that is expected happened in the span. */
function missingIn(
  expected: Met,
  observed: Observations,
  span: Span,
  context: JudgingContext,
): string | null {
  const { slack, email, webhook, to = [] } = expected;
  const rule = ruleOf(expected, context);
  const alerts = alertsOf(expected, observed, context).filter((alert) => wasSeen(alert, expected, span));
  if (asksForAlert(expected) && alerts.length === 0) return missingAlert(expected, observed, span, context);
  const alertIds = alertIdsOf(expected, observed, context, alerts);
  const messages = observed.messages.filter(
    (one) => isWithin(one, span) && one.alertIds.some((id) => alertIds.has(id)),
  );
  const notified = new Set(messages.filter(({ isEdit }) => !isEdit).map(({ receiver }) => receiver));
  const left = to.filter((receiver) => !notified.has(receiver));
  if (left.length > 0) {
    const others = notified.size === 0 ? "nobody was notified" : `notified: ${[...notified].join(", ")}`;
    return `${left.join(", ")} got no message about ${rule} by ${context.show(span.to)}; ${others}`;
  }
  for (const [kind, pattern] of Object.entries({ slack, email, webhook })) {
    if (pattern === undefined) continue;
    const ofKind = messages.filter((one) => one.kind === kind);
    if (ofKind.some(({ text }) => fitsPattern(text, pattern))) continue;
    return ofKind.length === 0
      ? `there was no ${kind} message about ${rule} by ${context.show(span.to)}`
      : `no ${kind} message fits ${pattern}; the last one says: ${inBrief(ofKind.at(-1)?.text ?? "")}`;
  }
  return null;
}

function missingAlert(expected: Met, observed: Observations, span: Span, context: JudgingContext): string {
  const rule = ruleOf(expected, context);
  const known = alertsOf(expected, observed, context);
  if (known.length === 0) return `no alert of ${rule} opened`;
  const states = known.map((alert) => {
    const last = alert.seen.filter(({ at }) => at <= span.to).at(-1);
    return last === undefined
      ? `opened later, at ${context.show(alert.seen[0]?.at ?? context.end)}`
      : `was ${last.state}, ${last.severity}${last.incident === undefined ? "" : `, in an incident that was ${last.incident}`}`;
  });
  return `the alert of ${rule} ${states.join("; another ")}`;
}

function judgeMessages(
  expected: Met["messages"],
  observed: Observations,
  by: Instant,
  show: JudgingContext["show"],
): Judgement {
  for (const [receiver, count] of Object.entries(expected ?? {})) {
    const got = observed.messages.filter(
      (one) => one.receiver === receiver && !one.isEdit && one.at <= by,
    ).length;
    const fits = typeof count === "number" ? got === count : got <= count.atMost;
    const words = typeof count === "number" ? `${count}` : `at most ${count.atMost}`;
    if (!fits) return notMet(`${receiver} got ${got} messages by ${show(by)}, expected ${words}`);
  }
  return { outcome: "Met" };
}

function judgeNever(never: Never, observed: Observations, context: JudgingContext): Judgement {
  const span = {
    from: never.after === undefined ? context.start : context.momentOf(never.after),
    to: never.before === undefined ? context.end : context.momentOf(never.before),
  };
  const { slack, email, webhook, to = [] } = never;
  const asksForMessage = to.length > 0 || [slack, email, webhook].some((one) => one !== undefined);
  const alerts = alertsOf(never, observed, context).filter((alert) => wasSeen(alert, never, span));
  if (!asksForMessage) {
    const [alert] = alerts;
    if (alert === undefined) return { outcome: "Met" };
    const seen = seenStates(alert, never, span)[0];
    return notMet(
      `${alert.rule} was ${seen?.state ?? "open"}, ${seen?.severity ?? ""}, at ${context.show(Math.max(seen?.at ?? 0, span.from))}`,
    );
  }
  const alertIds = alertIdsOf(never, observed, context, alerts);
  const patterns: Readonly<Record<string, string | undefined>> = { slack, email, webhook };
  const asksForText = Object.values(patterns).some((one) => one !== undefined);
  const wrong = observed.messages.find((one) => {
    if (!isWithin(one, span) || !one.alertIds.some((id) => alertIds.has(id))) return false;
    if (to.length > 0 && (one.isEdit || !to.includes(one.receiver))) return false;
    const pattern = patterns[one.kind];
    return asksForText ? pattern !== undefined && fitsPattern(one.text, pattern) : true;
  });
  if (wrong === undefined) return { outcome: "Met" };
  return notMet(`${wrong.receiver} got at ${context.show(wrong.at)}: ${inBrief(wrong.text)}`);
}

type AboutAlert = Pick<Met, "rule" | "query" | "alert" | "severity" | "incident">;

function asksForAlert({ alert, severity, incident }: AboutAlert): boolean {
  return alert !== undefined || severity !== undefined || incident !== undefined;
}

function ruleOf({ rule }: AboutAlert, context: JudgingContext): string {
  return rule === "any" ? "any rule" : (rule ?? context.rule);
}

function alertsOf(
  { rule, query }: AboutAlert,
  observed: Observations,
  context: JudgingContext,
): ObservedAlert[] {
  const name = rule ?? context.rule;
  return observed.alerts.filter(
    (alert) => (name === "any" || alert.rule === name) && (query === undefined || alert.query === query),
  );
}

function alertIdsOf(
  about: AboutAlert,
  observed: Observations,
  context: JudgingContext,
  alerts: readonly ObservedAlert[],
): ReadonlySet<string> {
  const meant = asksForAlert(about) ? alerts : alertsOf(about, observed, context);
  return new Set(meant.map(({ id }) => id));
}

function wasSeen(alert: ObservedAlert, about: AboutAlert, span: Span): boolean {
  return seenStates(alert, about, span).length > 0;
}

/** The states that fit and that it had at some moment of the span. */
function seenStates({ seen }: ObservedAlert, about: AboutAlert, span: Span): ObservedAlert["seen"] {
  return seen.filter((one, index) => {
    const until = seen[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return fitsAlert(one, about) && one.at <= span.to && until > span.from;
  });
}

function fitsAlert(
  { state, severity, incident }: ObservedAlert["seen"][number],
  { alert = "any", severity: wanted, incident: expected }: AboutAlert,
): boolean {
  if (state === "pending" || (wanted !== undefined && severity !== wanted)) return false;
  if (expected === "none" ? incident !== undefined : expected === "any" && incident === undefined)
    return false;
  if (expected !== undefined && expected !== "any" && expected !== "none" && expected !== incident)
    return false;
  return FITTING[alert].includes(state);
}

const FITTING: Readonly<Record<NonNullable<Met["alert"]>, readonly AlertState[]>> = {
  any: ["firing", "acknowledged", "resolved"],
  firing: ["firing"],
  acknowledged: ["acknowledged"],
  resolved: ["resolved"],
};

function isWithin({ at }: { readonly at: Instant }, { from, to }: Span): boolean {
  return at >= from && at <= to;
}

/** `contains "60"`, a pattern with `*`, or a text that stands in the message. Upper and lower case are equal. */
export function fitsPattern(text: string, pattern: string): boolean {
  const quoted = /^contains "(.*)"$/s.exec(pattern.trim());
  const phrase = quoted?.[1] ?? pattern;
  const line = text.replaceAll(/\s+/g, " ");
  if (quoted === null && /[*?]/.test(pattern)) return fitsGlob(pattern, line);
  return line.toLowerCase().includes(phrase.toLowerCase());
}

function inBrief(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > 160 ? `"${line.slice(0, 160)}…"` : `"${line}"`;
}

function notMet(because: string): Judgement {
  return { outcome: "NotMet", because };
}
