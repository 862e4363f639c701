import type { Instant } from "../../lib/instant.ts";
import {
  formatLocalDate,
  formatLocalTime,
  instantOf,
  type LocalDate,
  localDateOf,
  plusDays,
  weekdayOf,
} from "../../lib/local-time.ts";
import { type Cron, parseCron } from "./cron.ts";
import type { DigestConfig } from "./digest-config.ts";

export type Schedule = Pick<DigestConfig, "at" | "timezone" | "every" | "on" | "cron">;

/** One digest that is to be sent. */
export interface Occurrence {
  /**
   * The local date, `2026-03-29`, and the time where a cron line has several a day, `2026-03-29-1800`: unique for a
   * digest, so that no date is covered twice. Sorts by time.
   */
  readonly key: string;
  readonly at: Instant;
  /** The period it covers: from the previous occurrence until this one. */
  readonly period: Period;
  /** The period of the same length just before, for comparison. */
  readonly before: Period;
}

/** [from, to). */
export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * The first occurrence after `after`. A local time skipped in spring becomes the first moment after the gap; one that
 * comes twice in autumn counts once, as the first of the two.
 */
export function nextOccurrence(schedule: Schedule, after: Instant): Occurrence {
  // Start from the day before: in some zones a time of yesterday's UTC date is still to come.
  const found = search(schedule, plusDays(localDateOf(after, schedule.timezone), -1), 1, (at) => at > after);
  return occurrenceOf(schedule, found);
}

/** The last occurrence at or before `until`. */
export function latestOccurrence(schedule: Schedule, until: Instant): Occurrence {
  const found = search(schedule, plusDays(localDateOf(until, schedule.timezone), 1), -1, (at) => at <= until);
  return occurrenceOf(schedule, found);
}

type DueDigest =
  | { readonly outcome: "Due"; readonly occurrence: Occurrence }
  | { readonly outcome: "Waits"; readonly until: Instant };

/**
 * Whether a digest is due. After an outage only the newest is due, and it covers the time since the last one (at most
 * seven periods). No time is left out between two digests, even if `at` was changed.
 *
 * @param last the last digest that was written, `null` for none
 * @param since when the digest came into the configuration; the first occurrence after that is its first
 */
export function dueDigest(
  schedule: Schedule,
  last: { readonly key: string; readonly periodTo: Instant } | null,
  since: Instant,
  now: Instant,
): DueDigest {
  const latest = latestOccurrence(schedule, now);
  const isDue = last === null ? latest.at > since : latest.key > last.key;
  if (!isDue) return { outcome: "Waits", until: waitsUntil(schedule, last?.key ?? "", now) };
  return { outcome: "Due", occurrence: last === null ? latest : reachingBackTo(last.periodTo, latest) };
}

interface DueDay {
  readonly key: string;
  readonly date: LocalDate;
  readonly at: Instant;
}

/** From one February 29 to the next there may be eight years. */
const FURTHEST_DAYS = 8 * 366;

/** Searches day by day until a moment fits; a month and a day are enough for every schedule but cron's. */
function search(schedule: Schedule, start: LocalDate, step: 1 | -1, fits: (at: Instant) => boolean): DueDay {
  const cron = cronOf(schedule);
  let date = start;
  for (let days = 0; days < FURTHEST_DAYS; days++) {
    const moments = momentsOn(schedule, cron, date);
    const found = (step === 1 ? moments : moments.toReversed()).find(({ at }) => fits(at));
    if (found !== undefined) return found;
    date = plusDays(date, step);
  }
  throw new Error(`No digest within eight years of ${formatLocalDate(start)}`);
}

/** The moments of a date, in order. Two times skipped in spring become one. */
function momentsOn(schedule: Schedule, cron: Cron | null, date: LocalDate): readonly DueDay[] {
  const times =
    cron === null ? (isOn(schedule, date) ? [schedule.at ?? 0] : []) : cron.isOn(date) ? cron.times : [];
  const day = times.length === 0 ? "" : formatLocalDate(date);
  const moments = times.flatMap((minutes): DueDay[] => {
    const at = momentOn(schedule.timezone, date, minutes);
    const time = times.length > 1 ? `-${formatLocalTime(minutes).replace(":", "")}` : "";
    return at === null ? [] : [{ key: `${day}${time}`, date, at }];
  });
  return moments.filter(({ at }, index) => at !== moments[index - 1]?.at);
}

const crons = new Map<string, Cron>();

/** Cached, because every sweep asks for it. */
function cronOf({ cron }: Schedule): Cron | null {
  if (cron === undefined) return null;
  const known = crons.get(cron) ?? parseCron(cron);
  if (typeof known === "string") throw new Error(known);
  crons.set(cron, known);
  return known;
}

function isOn({ every = "day", on }: Schedule, date: LocalDate): boolean {
  if (every === "day") return true;
  if (every === "week") return weekdayOf(date) === (typeof on === "string" ? on : "mon");
  const lastDay = plusDays({ year: date.year, month: date.month + 1, day: 1 }, -1).day;
  return date.day === Math.min(typeof on === "number" ? on : 1, lastDay);
}

/** Null for a date that the zone skipped, as Samoa did in 2011. */
function momentOn(timezone: string, date: LocalDate, minutes: number): Instant | null {
  const at = instantOf(timezone, date, minutes, "first");
  return formatLocalDate(localDateOf(at, timezone)) === formatLocalDate(date) ? at : null;
}

/** The periods before a moment, the newest first, in the reader's local time. */
export function periodsBefore(schedule: Schedule, until: Instant, count: number): readonly Period[] {
  const periods: Period[] = [];
  for (let to = until; periods.length < count; to = periods.at(-1)?.from ?? 0)
    periods.push({ from: latestOccurrence(schedule, to - 1).at, to });
  return periods;
}

function occurrenceOf(schedule: Schedule, { key, date, at }: DueDay): Occurrence {
  const previous = search(schedule, date, -1, (earlier) => earlier < at);
  return { key, at, ...periodsOf(previous.at, at) };
}

function periodsOf(from: Instant, to: Instant): Pick<Occurrence, "period" | "before"> {
  return { period: { from, to }, before: { from: from - (to - from), to: from } };
}

function reachingBackTo(from: Instant, occurrence: Occurrence): Occurrence {
  const { period } = occurrence;
  const furthest = period.to - 7 * (period.to - period.from);
  if (from < furthest || from >= period.to) return occurrence;
  return { ...occurrence, ...periodsOf(from, period.to) };
}

function waitsUntil(schedule: Schedule, lastKey: string, now: Instant): Instant {
  let next = nextOccurrence(schedule, now);
  // `at` was moved to later after today's digest was sent: today already has its digest.
  while (next.key <= lastKey) next = nextOccurrence(schedule, next.at);
  return next.at;
}

/** Whether a due digest can be built. */
type Readiness =
  | { readonly outcome: "Complete" }
  /** Queries are still being read up to the end of the period. */
  | { readonly outcome: "Waits"; readonly until: Instant }
  /** The wait is over; the digest says up to when it is complete. */
  | { readonly outcome: "Incomplete" };

/**
 * A digest waits until all its queries have been read to the end of its period, but not for ever: if the source is
 * down, readers still get what is known.
 *
 * @param completeUntil the least over all its queries; `null` when one has never been read
 */
export function readinessOf(
  period: Period,
  completeUntil: Instant | null,
  now: Instant,
  patienceMs: number,
): Readiness {
  if (completeUntil !== null && completeUntil >= period.to) return { outcome: "Complete" };
  const until = period.to + patienceMs;
  if (now < until) return { outcome: "Waits", until };
  return { outcome: "Incomplete" };
}
