import type { Instant } from "../../lib/instant.ts";
import { compareSeverity, type Severity } from "../model/severity.ts";
import type { AlertLife, Evidence, LifeRule } from "./alert-life.ts";

/** What new evidence means for a resolved alert. */
type AfterEnd =
  /** A person resolved it, and it continues without a break, not more severe. It is counted and stays closed. */
  | "StaysClosed"
  /** It arrived late: in order it would have caused no notification. */
  | "CountedLate"
  /** It comes back within the `reopenWithin` of its rule. */
  | "Reopens"
  /** The alert never fired, or this is more severe, or comes later. */
  | "OpensAnother";

/** The first check that applies decides. */
export function afterEnd(life: AlertLife, resolvedAt: Instant, rule: LifeRule, evidence: Evidence): AfterEnd {
  const isMoreSevere = compareSeverity(severityOf(rule, evidence), life.severity) > 0;
  const hasFired = life.firedAt !== null;
  if (life.handling?.closedBy !== undefined && !isMoreSevere && evidence.at <= overAt(life, rule))
    return "StaysClosed";
  if (hasFired && !isMoreSevere && evidence.at <= resolvedAt) return "CountedLate";
  const within = rule.reopenWithinMs ?? 0;
  if (hasFired && evidence.at > resolvedAt && evidence.at <= resolvedAt + within) return "Reopens";
  return "OpensAnother";
}

/** When it is resolved without further evidence. */
export function overAt(life: AlertLife, rule: LifeRule): Instant {
  return life.lastSeenAt + rule.overAfterMs;
}

export function severityOf(rule: LifeRule, evidence: Evidence): Severity {
  return evidence.severity ?? rule.severity;
}
