import { z } from "zod";
import { fitsAny, fitsQuery, Patterns } from "../lib/patterns.ts";
import type { Alert } from "./alert.ts";
import { compareSeverity, Severity } from "./severity.ts";

const Conditions = z.strictObject({
  /** This severity or a graver one. */
  severity: Severity.exactOptional(),
  /** Name or id of the query. */
  query: Patterns.exactOptional(),
  rule: Patterns.exactOptional(),
  /** Every label named here has to be there and fit. */
  labels: z.record(z.string(), Patterns).exactOptional(),
  /** This one alert, and those that follow it: rule and group. */
  fingerprint: z.string().min(1).exactOptional(),
});
type Conditions = z.infer<typeof Conditions>;

/** Which alerts: all that is named has to fit, and nothing of what stands under `not` may. Nothing named: every alert. */
export const AlertMatch = z.strictObject({ ...Conditions.shape, not: Conditions.exactOptional() });
export type AlertMatch = z.infer<typeof AlertMatch>;

export type MatchedAlert = Pick<Alert, "severity" | "queryId" | "queryName" | "rule" | "labels"> &
  Partial<Pick<Alert, "fingerprint">>;

export function matchesAlert({ not, ...match }: AlertMatch, alert: MatchedAlert): boolean {
  return fitsAll(match, alert) && (not === undefined || !fitsSome(not, alert));
}

/** `severity ≥ critical, rule volume-*`, to be named as the cause. */
export function describeMatch({ not, ...match }: AlertMatch): string {
  const told = describe(match);
  const all = not === undefined ? told : [...told, `not ${describe(not).join(" and not ")}`];
  return all.length === 0 ? "every alert" : all.join(", ");
}

function fitsAll(match: Conditions, alert: MatchedAlert): boolean {
  return checks(match, alert).every((fits) => fits);
}

function fitsSome(match: Conditions, alert: MatchedAlert): boolean {
  return checks(match, alert).some((fits) => fits);
}

function checks({ severity, query, rule, labels, fingerprint }: Conditions, alert: MatchedAlert): boolean[] {
  return [
    ...(severity === undefined ? [] : [compareSeverity(alert.severity, severity) >= 0]),
    ...(query === undefined ? [] : [fitsQuery(query, alert)]),
    ...(rule === undefined ? [] : [fitsAny(rule, alert.rule)]),
    ...(fingerprint === undefined ? [] : [alert.fingerprint === fingerprint]),
    ...Object.entries(labels ?? {}).map(([name, patterns]) => {
      const value = Object.hasOwn(alert.labels, name) ? alert.labels[name] : undefined;
      return value !== undefined && fitsAny(patterns, value);
    }),
  ];
}

function describe({ severity, query, rule, labels, fingerprint }: Conditions): string[] {
  return [
    ...(severity === undefined ? [] : [`severity ${severity} or graver`]),
    ...(query === undefined ? [] : [`query ${query.join(" or ")}`]),
    ...(rule === undefined ? [] : [`rule ${rule.join(" or ")}`]),
    ...Object.entries(labels ?? {}).map(([name, patterns]) => `${name} ${patterns.join(" or ")}`),
    ...(fingerprint === undefined ? [] : [`alert ${fingerprint}`]),
  ];
}
