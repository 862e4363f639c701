import { z } from "zod";
import { groupBy } from "../../../lib/group-by.ts";
import type { Alert } from "../../model/alert.ts";
import { AlertMatch, describeMatch, matchesAlert } from "../../model/alert-match.ts";
import { compareSeverity } from "../../model/severity.ts";

/**
 * While an alert that matches `while` is open, milder ones that match `mute` and share the labels in `equal` are held.
 * It never mutes an alert of the same severity, so two alerts cannot mute each other.
 */
export const Inhibition = z.strictObject({
  name: z.string().min(1).exactOptional().describe("Name shown as the cause of a held alert."),
  while: AlertMatch.describe("The alerts that mute others while they are open."),
  mute: AlertMatch.prefault({}).describe(
    "The alerts that are held meanwhile, if less severe. Default: every alert.",
  ),
  equal: z
    .array(z.string().min(1))
    .default(["query"])
    .describe("Labels, or query and rule, that must be the same in both alerts."),
});
export type Inhibition = z.infer<typeof Inhibition>;

/** An inhibition with the open alerts that may mute others by it, by the values of the `equal` labels. */
interface ActiveInhibitor {
  readonly inhibition: Inhibition;
  readonly sources: ReadonlyMap<string | null, readonly Alert[]>;
}

/** Built once for many alerts: in a storm a thousand alerts may mute ten thousand. */
export function activeInhibitors(
  inhibitions: readonly Inhibition[],
  open: readonly Alert[],
): readonly ActiveInhibitor[] {
  return inhibitorsAmong(
    inhibitions,
    open.filter(({ resolvedAt }) => resolvedAt === null),
  );
}

/** The same of alerts that may have ended. */
export function inhibitorsAmong(
  inhibitions: readonly Inhibition[],
  alerts: readonly Alert[],
): readonly ActiveInhibitor[] {
  const fired = alerts.filter(({ firedAt }) => firedAt !== null);
  return inhibitions.map((inhibition) => ({
    inhibition,
    sources: groupBy(
      fired.filter((alert) => matchesAlert(inhibition.while, alert)),
      (alert) => equalKey(inhibition, alert),
    ),
  }));
}

/** The alert that mutes this one, or null. */
export function inhibitorOf(
  inhibitors: readonly ActiveInhibitor[],
  alert: Alert,
  isMuting: (source: Alert) => boolean = () => true,
): { readonly source: Alert; readonly inhibition: Inhibition } | null {
  for (const { inhibition, sources } of inhibitors) {
    if (sources.size === 0 || !matchesAlert(inhibition.mute, alert)) continue;
    const key = equalKey(inhibition, alert);
    const source = (key === null ? [] : (sources.get(key) ?? [])).find(
      (one) => one.id !== alert.id && compareSeverity(one.severity, alert.severity) > 0 && isMuting(one),
    );
    if (source !== undefined) return { source, inhibition };
  }
  return null;
}

/** Whether the end of this alert may release others. */
export function isInhibitor(inhibitions: readonly Inhibition[], alert: Alert): boolean {
  return inhibitions.some((inhibition) => matchesAlert(inhibition.while, alert));
}

/** `inhibition by United: crisis-spike`. */
export function describeInhibitor(source: Alert, inhibition: Inhibition): string {
  const name = inhibition.name ?? `while ${describeMatch(inhibition.while)}`;
  return `inhibition ${name}: ${source.queryName}, ${source.rule} ${source.resolvedAt === null ? "is" : "was"} open`;
}

/** The values of the `equal` labels; null if one is missing, because two missing values are not equal. */
function equalKey({ equal }: Inhibition, alert: Alert): string | null {
  const values = equal.map((label) => labelValue(alert, label));
  return values.includes(undefined) ? null : JSON.stringify(values);
}

/** Two queries may share a name, so a query is identified by its id. */
function labelValue(alert: Alert, label: string): string | undefined {
  if (label === "query") return alert.queryId;
  if (label === "rule") return alert.rule;
  return Object.hasOwn(alert.labels, label) ? alert.labels[label] : undefined;
}
