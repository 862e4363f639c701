import { z } from "zod";
import { fitsAny, fitsQuery, Patterns } from "../../lib/patterns.ts";
import type { Alert } from "./alert.ts";
import { OWN_QUERY } from "./query.ts";
import { compareSeverity, Severity } from "./severity.ts";

const Conditions = z.strictObject({
  severity: Severity.exactOptional().describe("This severity or a higher one."),
  query: Patterns.exactOptional().describe(
    "Names of queries, where * and ? are wildcards, or ids. Example: Acme*",
  ),
  rule: Patterns.exactOptional().describe("Names of rules, where * and ? are wildcards. Example: legal-*"),
  labels: z
    .record(z.string(), Patterns)
    .exactOptional()
    .describe(
      "Labels that the alert must have, each with a pattern or a list of them. Labels come from the key labels of a rule, and from what it is grouped by. Example: { team: press }",
    ),
  fingerprint: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "One alert, and later ones of the same rule and group. The command earshot alerts list --json shows it.",
    ),
});
type Conditions = z.infer<typeof Conditions>;

/** Selects alerts: everything named has to match, and nothing under `not` may. Without names: every alert. */
export const AlertMatch = z
  .strictObject({
    ...Conditions.shape,
    not: Conditions.exactOptional().describe("Leaves out alerts that match any of these."),
  })
  .meta({ id: "match" });
export type AlertMatch = z.infer<typeof AlertMatch>;

export type MatchedAlert = Pick<Alert, "severity" | "queryId" | "queryName" | "rule" | "labels"> &
  Partial<Pick<Alert, "fingerprint">>;

/**
 * Alerts about Earshot itself only match by query, rule, label or fingerprint: a silence or an escalation of everything
 * means alerts about brands.
 */
export function matchesAlert({ not, ...match }: AlertMatch, alert: MatchedAlert): boolean {
  if (alert.queryId === OWN_QUERY.queryId && !namesOwnAlerts(match)) return false;
  return fitsAll(match, alert) && (not === undefined || !fitsSome(not, alert));
}

/** The first condition that an alert does not meet, with what it has instead; null if it matches. */
export function unmetOf({ not, ...match }: AlertMatch, alert: MatchedAlert): string | null {
  if (alert.queryId === OWN_QUERY.queryId && !namesOwnAlerts(match))
    return "alerts about brands, and this one is about Earshot itself";
  const conditions = describe(match, new Map());
  const index = checks(match, alert).indexOf(false);
  if (index >= 0) return `${conditions[index]}, and it is ${insteadOf(match, index, alert)}`;
  if (not === undefined) return null;
  const excluded = checks(not, alert).indexOf(true);
  return excluded < 0 ? null : `not ${describe(not, new Map())[excluded]}`;
}

/** What the alert has in place of the condition with this index in `checks`. */
function insteadOf(match: Conditions, index: number, alert: MatchedAlert): string {
  const names = [
    ...(["severity", "query", "rule"] as const).filter((name) => match[name] !== undefined),
    ...Object.keys(match.labels ?? {}),
  ];
  // A label may have the name of another condition.
  const isLabel = index >= names.length - Object.keys(match.labels ?? {}).length;
  const name = names[index];
  if (name === undefined) return "another alert";
  if (isLabel) return (Object.hasOwn(alert.labels, name) ? alert.labels[name] : undefined) ?? "without it";
  if (name === "severity") return alert.severity;
  if (name === "query") return alert.queryName;
  return alert.rule;
}

function namesOwnAlerts({ query = [], rule = [], labels = {}, fingerprint }: Conditions): boolean {
  const own = [OWN_QUERY.queryId, OWN_QUERY.name.toLowerCase()];
  const beginsWithAName = (pattern: string) => !/^[*?]/.test(pattern);
  return (
    fingerprint !== undefined ||
    query.some((pattern) => own.includes(pattern.toLowerCase())) ||
    rule.some(beginsWithAName) ||
    Object.entries(labels).some(([name, patterns]) => name !== "query" && patterns.some(beginsWithAName))
  );
}

/** `severity ≥ critical, rule volume-*`, shown as the cause. `names`: readable names for known fingerprints. */
export function describeMatch(
  { not, ...match }: AlertMatch,
  names: ReadonlyMap<string, string> = new Map(),
): string {
  const described = describe(match, names);
  const all = not === undefined ? described : [...described, `not ${describe(not, names).join(" and not ")}`];
  return all.length === 0 ? "every alert" : all.join(", ");
}

function fitsAll(match: Conditions, alert: MatchedAlert): boolean {
  return checks(match, alert).every((fits) => fits);
}

function fitsSome(match: Conditions, alert: MatchedAlert): boolean {
  return checks(match, alert).some((fits) => fits);
}

/** In the order of `describe`. */
function checks({ severity, query, rule, labels, fingerprint }: Conditions, alert: MatchedAlert): boolean[] {
  return [
    ...(severity === undefined ? [] : [compareSeverity(alert.severity, severity) >= 0]),
    ...(query === undefined ? [] : [fitsQuery(query, alert)]),
    ...(rule === undefined ? [] : [fitsAny(rule, alert.rule)]),
    ...Object.entries(labels ?? {}).map(([name, patterns]) => {
      const value = Object.hasOwn(alert.labels, name) ? alert.labels[name] : undefined;
      return value !== undefined && fitsAny(patterns, value);
    }),
    ...(fingerprint === undefined ? [] : [alert.fingerprint === fingerprint]),
  ];
}

function describe(
  { severity, query, rule, labels, fingerprint }: Conditions,
  names: ReadonlyMap<string, string>,
): string[] {
  return [
    ...(severity === undefined ? [] : [`severity ${severity} or higher`]),
    ...(query === undefined ? [] : [`query ${query.join(" or ")}`]),
    ...(rule === undefined ? [] : [`rule ${rule.join(" or ")}`]),
    ...Object.entries(labels ?? {}).map(([name, patterns]) => `${name} ${patterns.join(" or ")}`),
    ...(fingerprint === undefined ? [] : [`alert ${names.get(fingerprint) ?? fingerprint}`]),
  ];
}
