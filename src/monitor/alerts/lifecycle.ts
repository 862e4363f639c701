import type { Instant } from "../../lib/instant.ts";
import type { RenotifyReason } from "../model/alert.ts";
import { compareSeverity } from "../model/severity.ts";
import { afterEnd, overAt, severityOf } from "./after-end.ts";
import type { AlertLife, Evidence, LifeChange, LifeRule, Observation } from "./alert-life.ts";

/**
 * The life cycle of an alert, in event time. `observe` takes the newest alert of a fingerprint (open, resolved, or
 * none) and one observation, and returns the changes. It reads no clock: the same observations in the order of their
 * `at` give the same alerts, however they are split into pages and however many "time-passed" come in between.
 *
 * - Evidence up to and including `lastSeenAt + overAfterMs` belongs to the open alert. Later evidence resolves it, at
 *   exactly that moment, and opens the next one.
 * - `for`: the alert is pending until evidence comes `forMs` after it opened. A tick that does not meet the rule ends
 *   a pending alert at once (the rule has to stay true), while a firing one waits for `overAfterMs` from the last tick
 *   that met the rule, or of which its condition says that it goes on.
 * - Evidence older than the newest counts into the open alert and changes nothing else.
 * - Evidence that arrives after its alert was resolved (a late page of the updated poll) counts into that alert and
 *   does not reopen it: in order it would have caused no notification. If it is more severe than the alert, or the
 *   alert never fired, it opens a new one, because nobody was notified.
 * - `reopenWithin`: evidence that comes this soon after the end of a fired alert makes it fire again. It keeps its
 *   first times and gets a new explanation.
 * - An alert that a person resolved stays closed while it continues without a break. More severe evidence, or evidence
 *   after `overAfterMs` of quiet, opens it again.
 */
export function observe(
  life: AlertLife | null,
  rule: LifeRule,
  observation: Observation,
): readonly LifeChange[] {
  switch (observation.kind) {
    case "evidence":
      return onEvidence(life, rule, observation);
    case "not-met":
      return onNotMet(life, rule, observation);
    case "time-passed":
      return onTimePassed(life, rule, observation.until);
    case "withdrawn":
      return onWithdrawn(life, rule, observation);
  }
}

const NOTHING: readonly LifeChange[] = [{ outcome: "Nothing", life: null, isNew: false }];

function onEvidence(life: AlertLife | null, rule: LifeRule, evidence: Evidence): readonly LifeChange[] {
  if (life === null) return [open(rule, evidence)];
  if (life.resolvedAt !== null) return [onEnded(life, life.resolvedAt, rule, evidence)];
  if (evidence.at > overAt(life, rule)) return [end(life, overAt(life, rule)), open(rule, evidence)];
  return [grow(life, rule, evidence)];
}

function onNotMet(
  life: AlertLife | null,
  rule: LifeRule,
  { at, goesOn = false, mentions = 0, present }: Extract<Observation, { kind: "not-met" }>,
): readonly LifeChange[] {
  if (life === null || life.resolvedAt !== null || at <= life.lastSeenAt) return NOTHING;
  if (life.state === "pending") return [end(life, Math.min(at, overAt(life, rule)))];
  // One tick gives one verdict, so after "not met" at the deadline nothing more can come.
  const grown: AlertLife = {
    ...life,
    mentions: Math.max(0, life.mentions + mentions),
    ...(present !== undefined && wentOn(life, { present })),
  };
  if (goesOn && at <= overAt(life, rule))
    return [{ outcome: "Grew", life: { ...grown, lastSeenAt: at }, isNew: false }];
  if (at >= overAt(life, rule)) return [end(at === overAt(life, rule) ? grown : life, overAt(life, rule))];
  const isSame = mentions === 0 && present?.count === life.progress?.now?.count;
  return isSame ? NOTHING : [{ outcome: "Grew", life: grown, isNew: false }];
}

function onTimePassed(life: AlertLife | null, rule: LifeRule, until: Instant): readonly LifeChange[] {
  if (life === null || life.resolvedAt !== null) return NOTHING;
  // Evidence at the deadline itself would still belong to it, and `until` is exclusive.
  return until > overAt(life, rule) ? [end(life, overAt(life, rule))] : NOTHING;
}

function onWithdrawn(
  life: AlertLife | null,
  rule: LifeRule,
  { at, because }: Extract<Observation, { kind: "withdrawn" }>,
): readonly LifeChange[] {
  if (life === null || life.resolvedAt !== null) return NOTHING;
  const withReason =
    because === undefined ? life : { ...life, handling: { ...life.handling, endedBecause: because } };
  return [end(withReason, Math.min(Math.max(at, life.lastSeenAt), overAt(life, rule)))];
}

function onEnded(life: AlertLife, resolvedAt: Instant, rule: LifeRule, evidence: Evidence): LifeChange {
  switch (afterEnd(life, resolvedAt, rule, evidence)) {
    case "StaysClosed": {
      const lastSeenAt = Math.max(life.lastSeenAt, evidence.at);
      return { outcome: "CountedLate", life: { ...counted(life, evidence), lastSeenAt }, isNew: false };
    }
    case "CountedLate":
      return { outcome: "CountedLate", life: counted(life, evidence), isNew: false };
    case "Reopens":
      return { outcome: "Reopened", life: reopened(life, rule, evidence), isNew: false };
    case "OpensAnother":
      return open(rule, evidence);
  }
}

function reopened(life: AlertLife, rule: LifeRule, evidence: Evidence): AlertLife {
  // The history has what people did in its first life; now it needs attention again.
  return {
    ...counted(life, evidence),
    state: "firing",
    severity: severityOf(rule, evidence),
    lastSeenAt: evidence.at,
    resolvedAt: null,
    ...explanation(evidence),
    handling: { callingSince: evidence.at },
    // Its history has its earlier thresholds and peak. Its mentions are still counted from its first window.
    ...(life.progress !== undefined && { progress: {} }),
    ...begun(evidence, life.progress?.countedFrom),
  };
}

function open(rule: LifeRule, evidence: Evidence): LifeChange {
  const { at, mentions, since = at } = evidence;
  const firing = rule.forMs <= 0;
  const life: AlertLife = {
    state: firing ? "firing" : "pending",
    severity: severityOf(rule, evidence),
    openedAt: since,
    firedAt: firing ? at : null,
    lastSeenAt: at,
    resolvedAt: null,
    notifyCount: 1,
    renotifyReason: null,
    mentions,
    ...explanation(evidence),
    ...(firing && { handling: { callingSince: at } }),
    ...begun(evidence),
  };
  return { outcome: firing ? "Fired" : "OpenedPending", life, isNew: true };
}

function grow(life: AlertLife, rule: LifeRule, evidence: Evidence): LifeChange {
  const restated = evidence.restates === true ? explanation(evidence) : {};
  const grown = {
    ...counted(life, evidence),
    ...restated,
    lastSeenAt: Math.max(life.lastSeenAt, evidence.at),
    ...wentOn(life, evidence),
  };
  const severity = severityOf(rule, evidence);
  const rose = compareSeverity(severity, life.severity) > 0;
  if (life.state === "pending") {
    const pending = rose ? { ...grown, severity, ...withStep(grown, evidence) } : grown;
    if (evidence.at - life.openedAt < rule.forMs) return { outcome: "Grew", life: pending, isNew: false };
    const fired: AlertLife = {
      ...pending,
      state: "firing",
      firedAt: evidence.at,
      ...explanation(evidence),
      handling: { ...life.handling, callingSince: evidence.at },
      ...(evidence.present !== undefined && { progress: { ...pending.progress, first: evidence.present } }),
    };
    return { outcome: "Fired", life: fired, isNew: false };
  }
  if (!rose && evidence.renotify === undefined) return { outcome: "Grew", life: grown, isNew: false };
  // The acknowledgement or assignment was for the lower severity: it fires again, for anybody to acknowledge.
  const { acknowledgedBy, assignee, ...handling } = life.handling ?? {};
  // What nobody has taken goes on calling: growth must not put off its escalation.
  const isTaken = acknowledgedBy !== undefined || assignee !== undefined;
  const callsAnew = rose || isTaken || evidence.renotify === "NewWave";
  const risen: AlertLife = {
    ...grown,
    state: "firing",
    ...explanation(evidence),
    handling: { ...handling, callingSince: callsAnew ? evidence.at : (handling.callingSince ?? evidence.at) },
    ...(evidence.present !== undefined && { progress: { ...grown.progress, renotified: evidence.present } }),
  };
  if (!rose) return worsen(risen, evidence.renotify ?? "Doubled");
  return {
    outcome: "SeverityRose",
    life: { ...risen, severity, ...withStep(risen, evidence) },
    isNew: false,
    from: life.severity,
  };
}

/** The counts at the start. */
function begun(
  { present, peak = present, step, windowFrom }: Evidence,
  countedFrom = windowFrom,
): Pick<AlertLife, "progress"> {
  if (present === undefined && step === undefined) return {};
  return {
    progress: {
      countedFrom,
      ...(present !== undefined && { first: present }),
      ...(peak !== undefined && { peak }),
      ...(step !== undefined && { step }),
    },
  };
}

/**
 * The present, and the peak so far, of counts in windows of the same length. A peak that was counted again replaces the one
 * before: mentions may have left it.
 */
function wentOn(
  { progress }: AlertLife,
  { present, peak: recounted }: Pick<Evidence, "present" | "peak">,
): Pick<AlertLife, "progress"> {
  const peak = recounted ?? present;
  if (peak === undefined) return {};
  const before = progress?.peak;
  const isLower = recounted === undefined && before !== undefined && before.count >= peak.count;
  const highest = isLower ? before : peak;
  return { progress: { ...progress, peak: highest, ...(present !== undefined && { now: present }) } };
}

function withStep({ progress }: AlertLife, { step }: Evidence): Pick<AlertLife, "progress"> {
  return step === undefined ? {} : { progress: { ...progress, step } };
}

function worsen(life: AlertLife, reason: RenotifyReason): LifeChange {
  const worse: AlertLife = { ...life, notifyCount: life.notifyCount + 1, renotifyReason: reason };
  return { outcome: "Worsened", life: worse, isNew: false, reason };
}

function end(life: AlertLife, resolvedAt: Instant): LifeChange {
  const ended: AlertLife = { ...life, state: "resolved", resolvedAt };
  return { outcome: life.firedAt === null ? "NeverFired" : "Resolved", life: ended, isNew: false };
}

function counted(life: AlertLife, evidence: Evidence): AlertLife {
  return { ...life, mentions: Math.max(0, life.mentions + evidence.mentions) };
}

/** The sentence and numbers of the evidence that made it fire or rise; growth alone does not change them. */
function explanation({ because, windowFrom, windowTo, values }: Evidence) {
  return { because, windowFrom, windowTo, values };
}
