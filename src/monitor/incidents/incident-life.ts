import { DateTime } from "luxon";
import { formatMinutes } from "../../lib/duration.ts";
import { DAY, floorTo, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import { counted, formatNumber } from "../../lib/numbers.ts";
import type { Alert } from "../model/alert.ts";
import type { HourCount, Incident, IncidentEntry } from "../model/incident.ts";
import { compareSeverity } from "../model/severity.ts";
import { growthLabel } from "../model/wording.ts";
import { isSmall } from "./join.ts";

/** Mentions of five minutes, by their own time. */
export interface Bucket extends HourCount {
  readonly at: Instant;
}

export interface IncidentStep {
  readonly incident: Incident;
  readonly entries: readonly IncidentEntry[];
}

const BUCKET = 5 * MINUTE;
/** In this time it is measured whether it grows. */
export const PACE_MS = 15 * MINUTE;
const MORNING_HOUR = 8;
/** A calm of less than this is a pause: what follows is not news. */
const PAUSE_MS = 2 * HOUR;
const LONG_MS = 6 * HOUR;
const LONG_CRITICAL_MS = 2 * HOUR;

/**
 * The life of an incident up to `until`, in event time: however it is cut into steps, the result is the same. It is
 * harder to end than to begin.
 *
 * - It is open while an alert of it on counts is open, or more is said in an hour than is ordinary for the hour of the
 *   day. An alert on single mentions says that somebody spoke, not that the crisis goes on.
 * - Then it is watched. If much more is said again, and the same (`returns`), it is open again: a second wave, or the
 *   next day.
 * - It is over when it was calm for all the time that it is watched: twice as long as it lasted; a day for one of six
 *   hours, or of more than two if it is critical for several rules, so that the same hours of the next day are looked at;
 *   not at all for one small alert.
 *
 * `buckets` cover the hour before `checkedUntil`, and all until `until`. A query that is not read does not get here, so
 * the silence of its source ends nothing.
 */
export function advance(
  start: Incident,
  members: readonly Alert[],
  buckets: readonly Bucket[],
  until: Instant,
  zone: string,
  returns = true,
): IncidentStep {
  const entries: IncidentEntry[] = [];
  let incident = start;
  if (incident.status === "over" || until <= incident.checkedUntil) return { incident, entries };
  for (let at = floorTo(incident.checkedUntil, BUCKET) + BUCKET; at <= until; at += BUCKET) {
    const step = stepTo(incident, members, buckets, at, zone, returns);
    incident = step.incident;
    entries.push(...step.entries);
    if (incident.status === "over") break;
  }
  return { incident: { ...incident, checkedUntil: until }, entries };
}

function stepTo(
  before: Incident,
  members: readonly Alert[],
  buckets: readonly Bucket[],
  at: Instant,
  zone: string,
  returns: boolean,
): IncidentStep {
  const hour = countIn(buckets, at - HOUR, at);
  const incident = { ...before, peak: larger(before.peak, hour) };
  const limits = limitsAt(incident, at);
  const count = hour[incident.measure];
  // A whole hour would have the end of the wave in it.
  const lately = 2 * countIn(buckets, at - HOUR / 2, at)[incident.measure];
  const calm = limits === null || lately <= limits.calm;
  const counting = members.filter(isOnCounts);
  const open = counting.some(({ resolvedAt }) => resolvedAt === null || resolvedAt > at);
  const pace = { hour: count, quarter: countIn(buckets, at - PACE_MS, at)[incident.measure] };
  if (incident.calmSince === null) {
    if (open || !calm) return dayOfOpen(incident, pace, calm, at, zone);
    const resolvedAt = Math.max(incident.openedAt, ...counting.map((alert) => alert.resolvedAt ?? 0));
    const calmSince = before.uncalmUntil > resolvedAt ? at : resolvedAt;
    return watchOrEnd({ ...incident, calmSince }, members, at);
  }
  if (open || (returns && limits !== null && Math.min(count, lately) >= limits.stirred))
    return rouse(incident, pace, at, zone);
  const watched = calm || !returns ? incident : { ...incident, calmSince: at, lastSeenAt: at };
  return endIfCalm(watched, at);
}

function isOnCounts({ windowFrom, windowTo }: Alert): boolean {
  return windowTo > windowFrom;
}

/**
 * Since when it is calm, as people are shown it; null while it is not watched. An alert may wait hours for its own end:
 * they belong to the watch, and make no crisis longer.
 */
export function calmFrom(incident: Incident): Instant | null {
  const { calmSince, lastSeenAt, uncalmUntil } = incident;
  if (calmSince === null || isSmall(incident)) return calmSince;
  // To the end of five minutes: so far mentions are counted.
  return Math.ceil(Math.min(calmSince, Math.max(lastSeenAt, uncalmUntil)) / BUCKET) * BUCKET;
}

/**
 * Until when what is said may be about it. Of an open incident that is an hour after its last sign: its alerts are judged
 * minutes later. What is said after it became calm may be about anything.
 */
export function activeUntil(incident: Incident): Instant {
  const { lastSeenAt, uncalmUntil } = incident;
  return calmFrom(incident) ?? Math.max(lastSeenAt, uncalmUntil) + HOUR;
}

/** How fast mentions of the measure come: in the last hour, and in the last quarter of an hour. */
export interface Pace {
  readonly hour: number;
  readonly quarter: number;
}

function dayOfOpen(before: Incident, pace: Pace, calm: boolean, at: Instant, zone: string): IncidentStep {
  const incident = calm ? before : { ...before, uncalmUntil: at };
  const isMorning = DateTime.fromMillis(at, { zone }).hour >= MORNING_HOUR;
  if (calm || !isMorning || dayOf(incident, at, zone) <= incident.day) return { incident, entries: [] };
  return beginDay(incident, pace, at, zone);
}

/** It is over at once if it need not be watched. */
function watchOrEnd(incident: Incident, members: readonly Alert[], at: Instant): IncidentStep {
  const since = incident.calmSince ?? at;
  const ended = endIfCalm(incident, at);
  if (ended.incident.status === "over") return ended;
  // How long depends on what still comes: no number is promised.
  const resolved = members.filter(({ resolvedAt }) => resolvedAt !== null && resolvedAt <= at);
  const detail = `${counted(resolved.length, "alert")} resolved, and it is calm`;
  return {
    incident: { ...incident, status: "watching" },
    entries: [{ incidentId: incident.id, at: since, kind: "Watching", detail }],
  };
}

function endIfCalm(incident: Incident, at: Instant): IncidentStep {
  const since = incident.calmSince ?? at;
  const endedAt = since + watchMs(incident);
  if (at < endedAt) return { incident, entries: [] };
  const detail = isSmall(incident) ? "" : `calm for ${formatMinutes(endedAt - since)}`;
  return {
    incident: { ...incident, status: "over", endedAt },
    entries: [{ incidentId: incident.id, at: endedAt, kind: "Over", detail }],
  };
}

/** It was watched, and is open again. An alert that joins in a calm is no day and no wave: what is new is in the alert. */
export function rouse(before: Incident, pace: Pace, at: Instant, zone: string): IncidentStep {
  const calmMs = at - before.uncalmUntil;
  const incident: Incident = {
    ...before,
    status: isHandled(before) ? "handled" : "open",
    calmSince: null,
    endedAt: null,
    uncalmUntil: at,
  };
  const limits = limitsAt(incident, at);
  if (limits !== null && pace.hour <= limits.calm) return { incident, entries: [] };
  if (dayOf(incident, at, zone) > incident.day) return beginDay(incident, pace, at, zone);
  if (calmMs < PAUSE_MS) return { incident, entries: [] };
  const detail = `${lastHourPhrase(incident, pace.hour)}; it had been calm for ${formatMinutes(calmMs)}`;
  return {
    incident: renotified(incident, "NewWave", at, pace.quarter),
    entries: [{ incidentId: incident.id, at, kind: "NewWave", detail }],
  };
}

function beginDay(before: Incident, pace: Pace, at: Instant, zone: string): IncidentStep {
  const day = dayOf(before, at, zone);
  const detail = `day ${day} begins: ${lastHourPhrase(before, pace.hour)}`;
  return {
    incident: renotified({ ...before, day }, "DayBegan", at, pace.quarter),
    entries: [{ incidentId: before.id, at, kind: "DayBegan", detail }],
  };
}

/**
 * People are notified again. Another wave and another day ask for attention anew; while it grows it goes on asking, or a
 * crisis that grows every quarter of an hour would never be escalated.
 */
export function renotified(
  incident: Incident,
  reason: NonNullable<Incident["renotifyReason"]>,
  at: Instant,
  quarter: number,
): Incident {
  const { handling } = incident;
  return {
    ...incident,
    notified: { at, count: quarter },
    notifyCount: incident.notifyCount + 1,
    renotifyReason: reason,
    handling: { ...handling, callingSince: CALLS_ANEW.has(reason) ? at : (handling.callingSince ?? at) },
  };
}

const CALLS_ANEW: ReadonlySet<Incident["renotifyReason"]> = new Set(["NewWave", "DayBegan"]);

/** Growth that follows another message this soon is in it, more or less. */
const BETWEEN_GROWTH_MS = 15 * MINUTE;
const GROWN = 1.5;

/**
 * What changed alerts mean for their incident: a higher severity, newer evidence, and growth. An alert that grew gives
 * the reason to look, because it knows what chance does; people are notified if the incident itself has grown. The only
 * alert of an incident is the incident. `quarter`: mentions of its measure in the 15 minutes before `at`.
 */
export function grow(
  before: Incident,
  members: readonly Alert[],
  at: Instant,
  quarter: number,
): IncidentStep {
  const severity = members.reduce(
    (most, alert) => (compareSeverity(alert.severity, most) > 0 ? alert.severity : most),
    before.severity,
  );
  const waves = wavesOf(members);
  const lastSeenAt = Math.max(before.lastSeenAt, ...members.map((alert) => alert.lastSeenAt));
  const incident: Incident = { ...before, severity, waves, lastSeenAt, alerts: members.length };
  if (compareSeverity(severity, before.severity) > 0) {
    // Who acknowledged it did so for the lower severity.
    const { acknowledgedBy: _, assignee: __, ...handling } = before.handling;
    const detail = `${before.severity} to ${severity}`;
    return {
      incident: {
        ...incident,
        status: incident.status === "handled" ? "open" : incident.status,
        notified: { at, count: quarter },
        handling: { ...handling, callingSince: at },
      },
      entries: [{ incidentId: incident.id, at, kind: "SeverityRose", detail }],
    };
  }
  if (waves <= before.waves) return { incident, entries: [] };
  if (isSmall(incident)) {
    const reason = members[0]?.renotifyReason ?? "NewWave";
    const detail = members[0]?.because ?? "";
    return {
      incident: renotified(incident, reason, at, quarter),
      entries: [{ incidentId: incident.id, at, kind: "NewWave", detail }],
    };
  }
  const { notified } = before;
  if (at - notified.at < BETWEEN_GROWTH_MS || quarter < GROWN * Math.max(1, notified.count))
    return { incident, entries: [] };
  const detail = `${growthLabel(quarter / Math.max(1, notified.count))}: ${countPhrase(before, quarter, "15 min")}, up from ${formatNumber(notified.count)} (${formatMinutes(at - notified.at)} earlier)`;
  return {
    incident: renotified(incident, "Doubled", at, quarter),
    entries: [{ incidentId: incident.id, at, kind: "Grew", detail }],
  };
}

export function wavesOf(members: readonly Alert[]): number {
  return members.reduce((sum, { notifyCount }) => sum + notifyCount - 1, 0);
}

/** How long it must stay calm. */
export function watchMs(incident: Incident): number {
  if (isSmall(incident)) return 0;
  const lasted = (incident.calmSince ?? incident.checkedUntil) - incident.openedAt;
  const isCrisis = incident.severity === "critical" && incident.alerts > 1;
  const isLong = lasted >= LONG_MS || (isCrisis && lasted > LONG_CRITICAL_MS);
  return isLong ? DAY : Math.max(HOUR, 2 * lasted);
}

/** Nobody needs a reminder of it: it is watched, or an alert of it only waits for its own end. */
export function isCalm({ status, usual, checkedUntil, uncalmUntil }: Incident): boolean {
  return status === "watching" || (usual !== null && checkedUntil - uncalmUntil >= HOUR);
}

export function isHandled({ handling }: Pick<Incident, "handling">): boolean {
  return handling.acknowledgedBy !== undefined || handling.assignee !== undefined;
}

/** Fewer mentions in an hour open no watched incident again. */
export const LEAST_STIRRED = 8;

/**
 * Up to how many mentions an hour is calm, and from how many on the incident is open again, by what was usual at this
 * hour of the day before it began, and by its own largest hour. Null: too little is known of the time before.
 */
function limitsAt({ usual, peak, measure }: Incident, at: Instant): { calm: number; stirred: number } | null {
  const before = usual?.[Math.floor(((at - 1) % DAY) / HOUR)]?.[measure];
  if (before === undefined) return null;
  const chance = 3 * Math.sqrt(before);
  return {
    calm: Math.max(2 * before + chance + 2, peak[measure] / 10),
    stirred: Math.max(4 * before + chance + LEAST_STIRRED, (peak[measure] * 3) / 10),
  };
}

export function countIn(buckets: readonly Bucket[], from: Instant, to: Instant): HourCount {
  let negative = 0;
  let total = 0;
  for (const bucket of buckets) {
    if (bucket.at < from || bucket.at >= to) continue;
    negative += bucket.negative;
    total += bucket.total;
  }
  return { negative, total };
}

function larger(a: HourCount, b: HourCount): HourCount {
  return { negative: Math.max(a.negative, b.negative), total: Math.max(a.total, b.total) };
}

/** 1 on the day, in the zone, on which it began. */
function dayOf({ openedAt }: Incident, at: Instant, zone: string): number {
  const dayAt = (moment: Instant) => DateTime.fromMillis(moment, { zone }).startOf("day");
  return Math.round(dayAt(at).diff(dayAt(openedAt), "days").days) + 1;
}

function lastHourPhrase(incident: Pick<Incident, "measure">, count: number): string {
  return countPhrase(incident, count, "the last hour");
}

function countPhrase({ measure }: Pick<Incident, "measure">, count: number, time: string): string {
  return `${counted(count, measure === "negative" ? "negative mention" : "mention")} in ${time}`;
}
