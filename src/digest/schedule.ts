import type { Instant } from "../lib/instant.ts";
import {
  formatLocalDate,
  formatLocalTime,
  instantOf,
  type LocalDate,
  localDateOf,
  plusDays,
  weekdayOf,
} from "../lib/local-time.ts";
import { type Cron, parseCron } from "./cron.ts";
import type { DigestConfig } from "./digest-config.ts";

export type Schedule = Pick<DigestConfig, "at" | "timezone" | "every" | "on" | "cron">;

/** One digest that is to be sent. */
export interface Occurrence {
  /**
   * The local date, `2026-03-29`, and the time where a cron line has several a day, `2026-03-29-1800`: unique for a
   * digest, so that no date is ever told twice. Sorts by time.
   */
  readonly key: string;
  readonly at: Instant;
  /** What it tells of: from the occurrence before until this one. */
  readonly period: Period;
  /** What that is compared with: as long as the period, and just before it. */
  readonly before: Period;
}

/** [from, to). */
export interface Period {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * The first occurrence after `after`. A time that the clocks skip in spring is the first moment after the gap; one that
 * they show twice in autumn is the first of the two, once.
 */
export function nextOccurrence(schedule: Schedule, after: Instant): Occurrence {
  // From the day before: far from Greenwich a time of yesterday's date may still lie ahead.
  const found = search(schedule, plusDays(localDateOf(after, schedule.timezone), -1), 1, (at) => at > after);
  return occurrenceOf(schedule, found);
}

/** The last occurrence at or before `until`. */
export function latestOccurrence(schedule: Schedule, until: Instant): Occurrence {
  const found = search(schedule, plusDays(localDateOf(until, schedule.timezone), 1), -1, (at) => at <= until);
  return occurrenceOf(schedule, found);
}

export type DueDigest =
  | { readonly outcome: "Due"; readonly occurrence: Occurrence; readonly missed: readonly string[] }
  | { readonly outcome: "Waits"; readonly until: Instant };

/**
 * Whether a digest is due. After an outage only the newest is, and it tells of all that passed since the last one
 * (up to seven periods, beyond which nobody reads it): nothing falls between two digests, also when `at` was changed.
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
  if (last === null) return { outcome: "Due", occurrence: latest, missed: [] };
  return {
    outcome: "Due",
    occurrence: reachingBackTo(last.periodTo, latest),
    missed: keysBetween(schedule, last.key, latest),
  };
}

interface Found {
  readonly key: string;
  readonly date: LocalDate;
  readonly at: Instant;
}

/** From one February 29 to the next there may be eight years. */
const FURTHEST_DAYS = 8 * 366;

/** Walks over days until a moment of one fits; a month and a day are enough for every schedule but cron's. */
function search(schedule: Schedule, start: LocalDate, step: 1 | -1, fits: (at: Instant) => boolean): Found {
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

/** The moments of a date, in order. Two times that the clocks skip in spring are one. */
function momentsOn(schedule: Schedule, cron: Cron | null, date: LocalDate): readonly Found[] {
  const times =
    cron === null ? (isOn(schedule, date) ? [schedule.at ?? 0] : []) : cron.isOn(date) ? cron.times : [];
  const day = times.length === 0 ? "" : formatLocalDate(date);
  const moments = times.flatMap((minutes): Found[] => {
    const at = momentOn(schedule.timezone, date, minutes);
    const time = times.length > 1 ? `-${formatLocalTime(minutes).replace(":", "")}` : "";
    return at === null ? [] : [{ key: `${day}${time}`, date, at }];
  });
  return moments.filter(({ at }, index) => at !== moments[index - 1]?.at);
}

const crons = new Map<string, Cron>();

/** Asked for with every sweep; what was read once is kept. */
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

/** Null for a date that the zone's calendar left out, as Samoa's did in 2011. */
function momentOn(timezone: string, date: LocalDate, minutes: number): Instant | null {
  const at = instantOf(timezone, date, minutes, "first");
  return formatLocalDate(localDateOf(at, timezone)) === formatLocalDate(date) ? at : null;
}

/** The periods before a moment, the newest first, as they were on the reader's wall. */
export function periodsBefore(schedule: Schedule, until: Instant, count: number): readonly Period[] {
  const periods: Period[] = [];
  for (let to = until; periods.length < count; to = periods.at(-1)?.from ?? 0)
    periods.push({ from: latestOccurrence(schedule, to - 1).at, to });
  return periods;
}

function occurrenceOf(schedule: Schedule, { key, date, at }: Found): Occurrence {
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
  // `at` was moved to later in the day after today's digest had gone out: today has had its digest.
  while (next.key <= lastKey) next = nextOccurrence(schedule, next.at);
  return next.at;
}

function keysBetween(schedule: Schedule, lastKey: string, latest: Occurrence): readonly string[] {
  const keys: string[] = [];
  let earlier = latestOccurrence(schedule, latest.at - 1);
  while (earlier.key > lastKey && keys.length < 400) {
    keys.unshift(earlier.key);
    earlier = latestOccurrence(schedule, earlier.at - 1);
  }
  return keys;
}
