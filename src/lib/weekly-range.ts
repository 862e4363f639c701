import { z } from "zod";
import { DAY, type Instant, MINUTE } from "./instant.ts";
import {
  formatLocalTime,
  instantOf,
  type LocalDate,
  LocalTime,
  localDateOf,
  plusDays,
  TimeZone,
  WEEKDAYS,
  Weekday,
  weekdayOf,
} from "./local-time.ts";

export const MIDNIGHT_AFTER = 24 * 60;

/**
 * Times that recur every week, in a time zone. A range whose `to` is not later than its `from` ends on the next day,
 * and belongs to the weekday on which it began. A clock change never makes it shorter than written: a time that is
 * shown twice begins it at the first and ends it at the second, a skipped one counts as the first moment after the gap;
 * a range that is skipped whole begins there and keeps its length.
 */
export const weeklyRangeShape = {
  timezone: TimeZone.describe("Time zone of these times, by its IANA name, such as Europe/Berlin."),
  /** Minutes after local midnight, once parsed. */
  from: LocalTime.describe('Start, local time of day in quotation marks, such as "22:00".'),
  to: LocalTime.describe(
    'End, such as "07:00". An end before the start is on the next day. "24:00" ends the day.',
  ),
  days: z
    .array(Weekday)
    .min(1, "name at least one day, or leave `days` out for all")
    .default([...WEEKDAYS])
    .describe("Days of the week on which it starts, such as [sat, sun]."),
};
export const WeeklyRange = z.strictObject(weeklyRangeShape);
export type WeeklyRange = z.infer<typeof WeeklyRange>;

/** The range that contains `at`, and when it ends: ranges that touch or overlap count as one. */
interface RangeInForce<Range extends WeeklyRange> {
  readonly until: Instant;
  readonly range: Range;
}

/** Null outside of all of them. Ranges that together never end give an `until` a week away, to check again then. */
export function rangeAt<Range extends WeeklyRange>(
  ranges: readonly Range[],
  at: Instant,
): RangeInForce<Range> | null {
  const first = inForce(ranges, at);
  if (first === null) return null;
  let until = first.until;
  for (
    let next = inForce(ranges, until);
    next !== null && until < at + 7 * DAY;
    next = inForce(ranges, until)
  ) {
    until = next.until;
  }
  return { until, range: first.range };
}

/** `22:00–07:00 Europe/Berlin`, with the days if it is not all of them. */
export function describeRange({ from, to, timezone, days }: WeeklyRange): string {
  const named = new Set(days).size === WEEKDAYS.length ? "" : `${days.join(", ")} `;
  return `${named}${formatLocalTime(from)}–${formatLocalTime(to)} ${timezone}`;
}

/** Of the ranges that hold now, the longest one. */
function inForce<Range extends WeeklyRange>(
  ranges: readonly Range[],
  at: Instant,
): RangeInForce<Range> | null {
  let longest: RangeInForce<Range> | null = null;
  for (const range of ranges) {
    const until = endOf(range, at);
    if (until !== null && (longest === null || until > longest.until)) longest = { until, range };
  }
  return longest;
}

/** Whether one of them holds at any moment in [from, to). */
export function holdsWithin(ranges: readonly WeeklyRange[], from: Instant, to: Instant): boolean {
  return ranges.some((range) => {
    const first = localDateOf(from, range.timezone);
    return Array.from({ length: 9 }, (_, day) => spanOn(range, plusDays(first, day - 1))).some(
      (span) => span !== null && span.startsAt < to && span.endsAt > from,
    );
  });
}

/** The end of the range of today or of yesterday that contains `at`, if there is one. */
function endOf(range: WeeklyRange, at: Instant): Instant | null {
  const today = localDateOf(at, range.timezone);
  let end: Instant | null = null;
  for (const began of [plusDays(today, -1), today]) {
    const span = spanOn(range, began);
    if (span !== null && span.startsAt <= at && at < span.endsAt) end = span.endsAt;
  }
  return end;
}

/** The range that begins on that day; null on other days than its own. */
function spanOn({ timezone, from, to, days }: WeeklyRange, began: LocalDate) {
  if (!days.includes(weekdayOf(began))) return null;
  const isOverMidnight = to <= from;
  const startsAt = instantOf(timezone, began, from, "first");
  const endsAt = instantOf(timezone, isOverMidnight ? plusDays(began, 1) : began, to, "last");
  const reads = (to - from + (isOverMidnight ? MIDNIGHT_AFTER : 0)) * MINUTE;
  return { startsAt, endsAt: endsAt > startsAt ? endsAt : startsAt + reads };
}
