import { groupBy } from "../../lib/group-by.ts";
import type { Instant } from "../../lib/instant.ts";
import { trimFullStops } from "../../lib/text.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import type { AlertLife, LifeChange, LifeRule, Observation } from "../alerts/alert-life.ts";
import { fingerprint } from "../alerts/fingerprint.ts";
import { observe } from "../alerts/lifecycle.ts";
import type { Alert } from "../model/alert.ts";
import type { AlertEvent } from "../model/alert-action.ts";
import { BUCKET_MS, type Match } from "../model/judging.ts";
import type { Mention } from "../model/mention.ts";
import type { Query } from "../model/query.ts";
import { countedBy } from "../model/wording.ts";
import type { Rule } from "../rules/rule.ts";

/** One observation for the alert with this fingerprint. */
export interface AlertObservation {
  readonly ruleName: string;
  readonly life: LifeRule;
  readonly fingerprint: string;
  readonly labels: Readonly<Record<string, string>>;
  /** The observation may depend on whether the alert is open already: its first window counts whole, later ones add. */
  readonly observe: (life: AlertLife | null) => Observation;
  /** The mention that met the rule, if the alert is about a single one. */
  readonly mention?: Mention;
}

/** What a rule's alerts are made of: identity, labels and durations. */
export function observationOf(rule: Rule, query: Query, labels: Readonly<Record<string, string>>) {
  return {
    ruleName: rule.name,
    life: lifeRule(rule),
    // Two queries may share a name, so the id is part of the identity.
    fingerprint: fingerprint(rule.name, { ...labels, queryId: query.queryId }),
    labels: { ...rule.extraLabels, ...labels },
  };
}

/** What observations change: alerts with their history and the mentions that met a rule. */
interface AppliedObservations {
  /** In their last state, each once. */
  readonly changed: readonly Alert[];
  readonly events: readonly AlertEvent[];
  readonly matches: readonly Match[];
}

/**
 * Applies observations of one query, in order of time, to the life cycle of its alerts. `known`: the newest alert of
 * each fingerprint among them, open or resolved. What is not admitted opens no alert, and matches nothing.
 */
export function applyObservations(
  query: Query,
  observations: readonly AlertObservation[],
  known: readonly Alert[],
  admits: (rule: string, at: Instant) => boolean = () => true,
): AppliedObservations {
  const newest = new Map(known.map((alert) => [alert.fingerprint, alert]));
  const written = new Map<string, Alert>();
  const events: AlertEvent[] = [];
  const matches: Match[] = [];

  for (const entry of observations) {
    const key = entry.fingerprint;
    const observation = entry.observe(newest.get(key) ?? null);
    let isHeld = false;
    for (const change of observe(newest.get(key) ?? null, entry.life, observation)) {
      if (change.life === null) continue;
      if (change.isNew && !admits(entry.ruleName, change.life.openedAt)) {
        isHeld = true;
        continue;
      }
      const alert = change.isNew
        ? newAlert(change.life, entry, query)
        : withLife(newest.get(key), change.life, entry, query);
      newest.set(key, alert);
      written.set(alert.id, alert);
      const event = eventOf(alert, change);
      if (event !== null) events.push(event);
    }
    const alert = newest.get(key);
    if (!isHeld && entry.mention !== undefined && alert !== undefined && observation.kind === "evidence") {
      const { at, because } = observation;
      matches.push({ rule: entry.ruleName, mention: entry.mention, alertId: alert.id, at, because });
    }
  }
  return { changed: [...written.values()], events, matches };
}

const CALLING = ["Fired", "Reopened", "SeverityRose"];

/** The alerts that fired, fired again or became more severe, by id, with the mentions that met their rules. */
export function callsOf({
  events,
  matches,
}: Pick<AppliedObservations, "events" | "matches">): ReadonlyMap<string, readonly Mention[]> {
  const mentions = groupBy(matches, ({ alertId }) => alertId);
  const calling = events.flatMap(({ alertId, what }) => (CALLING.includes(what) ? [alertId] : []));
  return new Map(calling.map((id) => [id, (mentions.get(id) ?? []).map(({ mention }) => mention)]));
}

/** Alerts on single mentions end after a time without new ones; alerts whose rule is gone end now. */
export function endings(open: readonly Alert[], rules: readonly Rule[], until: Instant): AlertObservation[] {
  const named = new Map(rules.map((rule) => [rule.name, rule]));
  return open.flatMap((alert): AlertObservation[] => {
    const rule = named.get(alert.rule);
    if (rule?.kind === "window") return [];
    const { fingerprint, labels } = alert;
    const life = rule ?? { severity: alert.severity, forMs: 0, overAfterMs: Number.POSITIVE_INFINITY };
    const observation: Observation =
      rule === undefined
        ? { kind: "withdrawn", at: until, because: "its rule is no longer there" }
        : { kind: "time-passed", until };
    // In a storm of ten thousand alerts most are unchanged at most ticks: do not read and write those again.
    if (observe(alert, life, observation).every(({ outcome }) => outcome === "Nothing")) return [];
    return [{ ruleName: alert.rule, life, fingerprint, labels, observe: () => observation }];
  });
}

/** A window is evaluated once a bucket, so its alert cannot resolve before the next verdict. */
function lifeRule(rule: Rule): LifeRule {
  const { severity, forMs, overAfterMs, reopenWithinMs } = rule;
  return {
    severity,
    forMs,
    reopenWithinMs,
    overAfterMs: rule.kind === "window" ? Math.max(overAfterMs, BUCKET_MS) : overAfterMs,
  };
}

function withLife(known: Alert | undefined, life: AlertLife, entry: AlertObservation, query: Query): Alert {
  return known === undefined ? newAlert(life, entry, query) : { ...known, ...life };
}

function newAlert(life: AlertLife, { ruleName, fingerprint, labels }: AlertObservation, query: Query): Alert {
  return {
    id: uuid7(life.openedAt),
    projectId: query.projectId,
    rule: ruleName,
    fingerprint,
    queryId: query.queryId,
    queryName: query.name,
    labels,
    ...life,
  };
}

/** Growth is not recorded for each mention: the matches and counts show it. */
function eventOf(alert: Alert, change: LifeChange): AlertEvent | null {
  switch (change.outcome) {
    case "Nothing":
    case "Grew":
    case "CountedLate":
      return null;
    case "OpenedPending":
      return { alertId: alert.id, at: alert.openedAt, what: change.outcome, detail: alert.because };
    case "Fired":
    case "Reopened":
    case "SeverityRose":
      return { alertId: alert.id, at: alert.lastSeenAt, what: change.outcome, detail: withStep(alert) };
    case "Worsened":
      return { alertId: alert.id, at: alert.lastSeenAt, what: change.reason, detail: alert.because };
    case "Resolved":
    case "NeverFired": {
      const inAll = alert.mentions === 0 ? [] : [`${countedBy(alert)} in all`];
      return {
        alertId: alert.id,
        at: alert.resolvedAt ?? alert.lastSeenAt,
        what: change.outcome,
        detail: [
          ...(alert.handling?.endedBecause === undefined ? [] : [alert.handling.endedBecause]),
          ...inAll,
        ].join("; "),
      };
    }
  }
}

/** Its sentence, and the severity that it reached if the rule has steps. */
function withStep({ because, severity, progress }: Alert): string {
  if (progress?.step === undefined) return because;
  return `${trimFullStops(because)}. It is ${severity}: ${progress.step}.`;
}
