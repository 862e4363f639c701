import { z } from "zod";
import type { Alert } from "../model/alert.ts";
import { AlertMatch, describeMatch, matchesAlert } from "../model/alert-match.ts";
import { compareSeverity } from "../model/severity.ts";

/**
 * While an alert that fits `while` stands open, milder ones that fit `mute` and share the labels named in `equal` are
 * held. It never mutes an alert that is as grave, so two alerts cannot mute each other.
 */
export const Inhibition = z.strictObject({
  name: z.string().min(1).exactOptional(),
  while: AlertMatch,
  mute: AlertMatch.prefault({}),
  equal: z.array(z.string().min(1)).default(["query"]),
});
export type Inhibition = z.infer<typeof Inhibition>;

/** The open alert that mutes this one, if any does. */
export function inhibitorOf(
  inhibitions: readonly Inhibition[],
  open: readonly Alert[],
  alert: Alert,
): { readonly source: Alert; readonly inhibition: Inhibition } | null {
  for (const inhibition of inhibitions) {
    if (!matchesAlert(inhibition.mute, alert)) continue;
    const source = open.find((other) => mutes(inhibition, other, alert));
    if (source !== undefined) return { source, inhibition };
  }
  return null;
}

/** Whether the end of this alert may let others be heard. */
export function isInhibitor(inhibitions: readonly Inhibition[], alert: Alert): boolean {
  return inhibitions.some((inhibition) => matchesAlert(inhibition.while, alert));
}

/** `inhibition by United: crisis-spike`. */
export function describeInhibitor(source: Alert, inhibition: Inhibition): string {
  const name = inhibition.name ?? `while ${describeMatch(inhibition.while)}`;
  return `inhibition ${name}: ${source.queryName}, ${source.rule} is open`;
}

function mutes(inhibition: Inhibition, source: Alert, alert: Alert): boolean {
  return (
    source.id !== alert.id &&
    source.firedAt !== null &&
    source.resolvedAt === null &&
    compareSeverity(source.severity, alert.severity) > 0 &&
    matchesAlert(inhibition.while, source) &&
    inhibition.equal.every((label) => labelValue(source, label) === labelValue(alert, label))
  );
}

/** Two queries may share a name, so a query is known by its id. What neither has is not the same of both. */
function labelValue(alert: Alert, label: string): string | symbol {
  if (label === "query") return alert.queryId;
  if (label === "rule") return alert.rule;
  return (Object.hasOwn(alert.labels, label) ? alert.labels[label] : undefined) ?? Symbol(label);
}
