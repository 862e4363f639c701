import type { Instant } from "../lib/instant.ts";
import { compareSeverity, type Severity } from "../model/severity.ts";
import type { AlertLife, Evidence, LifeRule } from "./alert-life.ts";

/** What evidence means for an alert that is over. */
export type AfterEnd =
  /** A person ended it, and this is still the same: no break, and not graver. It counts, and keeps it closed. */
  | "StaysClosed"
  /** It came late: in order it would have told nobody anything new. */
  | "CountedLate"
  /** It comes back within the time that its rule gives. */
  | "Reopens"
  /** It was told of never, or is graver, or comes later. */
  | "OpensAnother";

/** The first line that applies names the outcome. */
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

/** When it is over if nothing more comes. */
export function overAt(life: AlertLife, rule: LifeRule): Instant {
  return life.lastSeenAt + rule.overAfterMs;
}

export function severityOf(rule: LifeRule, evidence: Evidence): Severity {
  return evidence.severity ?? rule.severity;
}
