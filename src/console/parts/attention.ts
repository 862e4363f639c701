import { type Alert, compareSeverity, type Incident, type ListedAlert, type ListedIncident } from "#monitor";
import { HOUR, type Instant } from "../../lib/instant.ts";

/** What the overview says of an open alert or incident, the most important first. */
export type Attention =
  /** It goes on, and nobody has taken it. */
  | "NeedsSomebody"
  /** Somebody acknowledged it, or has it. */
  | "Handled"
  /** It only waits for its end, or is for reading. */
  | "Calm";

/** Without new evidence for so long, an alert only waits for its end. */
const CALM_AFTER_MS = 2 * HOUR;

export function attentionOfIncident({ status, severity }: Pick<Incident, "status" | "severity">): Attention {
  if (status === "watching" || status === "over") return "Calm";
  if (status === "handled") return "Handled";
  return severity === "info" ? "Calm" : "NeedsSomebody";
}

export function attentionOfAlert(
  {
    state,
    severity,
    lastSeenAt,
    handling = {},
  }: Pick<Alert, "state" | "severity" | "lastSeenAt" | "handling">,
  now: Instant,
): Attention {
  if (state === "acknowledged" || handling.assignee !== undefined) return "Handled";
  return severity === "info" || now - lastSeenAt >= CALM_AFTER_MS ? "Calm" : "NeedsSomebody";
}

/** The open incidents and lone alerts of one attention, the most severe first. */
interface AttentionGroup {
  readonly attention: Attention;
  readonly incidents: readonly ListedIncident[];
  readonly alerts: readonly ListedAlert[];
}

/** In the order of importance, without empty groups. */
export function groupByAttention(
  incidents: readonly ListedIncident[],
  alerts: readonly ListedAlert[],
  now: Instant,
): readonly AttentionGroup[] {
  const bySeverity =
    <Of>(severityOf: (of: Of) => Alert["severity"]) =>
    (a: Of, b: Of) =>
      compareSeverity(severityOf(b), severityOf(a));
  return (["NeedsSomebody", "Handled", "Calm"] as const)
    .map((attention) => ({
      attention,
      incidents: incidents
        .filter(({ incident }) => attentionOfIncident(incident) === attention)
        .toSorted(bySeverity(({ incident }) => incident.severity)),
      alerts: alerts
        .filter((alert) => attentionOfAlert(alert, now) === attention)
        .toSorted(bySeverity(({ severity }) => severity)),
    }))
    .filter((group) => group.incidents.length + group.alerts.length > 0);
}
