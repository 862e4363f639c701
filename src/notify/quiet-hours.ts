import { z } from "zod";
import { DAY, type Instant } from "../lib/instant.ts";
import {
  formatLocalTime,
  instantOf,
  LocalTime,
  localDateOf,
  plusDays,
  TimeZone,
  WEEKDAYS,
  Weekday,
  weekdayOf,
} from "../lib/local-time.ts";
import { compareSeverity, Severity } from "../model/severity.ts";

const MIDNIGHT_AFTER = 24 * 60;

/**
 * Times at which a receiver is left alone. A range whose `to` is not later than its `from` ends on the next day, and
 * belongs to the weekday on which it began. On the days of a clock change it is never shorter than it reads: a time
 * that is shown twice begins it at the first and ends it at the second.
 */
export const QuietHours = z
  .strictObject({
    timezone: TimeZone,
    /** Minutes after local midnight, once parsed. */
    from: LocalTime,
    to: LocalTime,
    days: z
      .array(Weekday)
      .min(1, "name at least one day, or leave `days` out for all")
      .default([...WEEKDAYS]),
    /** This severity and graver ones are told all the same. */
    breakThrough: z.union([Severity, z.literal("nothing")]).default("critical"),
    /** An alert of this severity or graver that began and ended inside is told when the quiet hours are over. */
    tellAfterwards: z.union([Severity, z.literal("nothing")]).default("warning"),
  })
  .superRefine((hours, context) => {
    if (hours.from === hours.to || hours.from === MIDNIGHT_AFTER) {
      context.addIssue({
        code: "custom",
        path: ["from"],
        message: `the quiet hours would be empty; for whole days write from "00:00" to "24:00"`,
      });
    }
    if (hours.from === 0 && hours.to === MIDNIGHT_AFTER && new Set(hours.days).size === WEEKDAYS.length) {
      context.addIssue({
        code: "custom",
        path: ["days"],
        message: "the quiet hours would never end; leave out a day, or take the receiver out of the routes",
      });
    }
  });
export type QuietHours = z.infer<typeof QuietHours>;

/** The quiet hours in force, and when the receiver may be told again. */
export interface Quiet {
  readonly until: Instant;
  readonly hours: QuietHours;
}

/**
 * Whether a receiver is left alone at `at` with something of this severity. Ranges that touch or overlap count as one
 * rest: `until` is the end of the last. Ranges that together never end give an `until` a week away, to look again.
 */
export function quietAt(ranges: readonly QuietHours[], severity: Severity, at: Instant): Quiet | null {
  const silent = ranges.filter((hours) => !breaksThrough(hours, severity));
  const first = inForce(silent, at);
  if (first === null) return null;
  let until = first.until;
  for (
    let next = inForce(silent, until);
    next !== null && until < at + 7 * DAY;
    next = inForce(silent, until)
  ) {
    until = next.until;
  }
  return { until, hours: first.hours };
}

/** `quiet hours 22:00–07:00 Europe/Berlin`, to be named as the cause. */
export function describeQuietHours({ from, to, timezone }: QuietHours): string {
  return `quiet hours ${formatLocalTime(from)}–${formatLocalTime(to)} ${timezone}`;
}

/** Of those that hold now, the one that holds longest. */
function inForce(ranges: readonly QuietHours[], at: Instant): Quiet | null {
  let longest: Quiet | null = null;
  for (const hours of ranges) {
    const until = endOf(hours, at);
    if (until !== null && (longest === null || until > longest.until)) longest = { until, hours };
  }
  return longest;
}

/** The end of the range of today or of yesterday that holds `at`, if one does. */
function endOf({ timezone, from, to, days }: QuietHours, at: Instant): Instant | null {
  const today = localDateOf(at, timezone);
  let end: Instant | null = null;
  for (const began of [plusDays(today, -1), today]) {
    if (!days.includes(weekdayOf(began))) continue;
    const startsAt = instantOf(timezone, began, from, "first");
    const endsAt = instantOf(timezone, to <= from ? plusDays(began, 1) : began, to, "last");
    if (startsAt <= at && at < endsAt) end = endsAt;
  }
  return end;
}

function breaksThrough({ breakThrough }: QuietHours, severity: Severity): boolean {
  return breakThrough !== "nothing" && compareSeverity(severity, breakThrough) >= 0;
}
