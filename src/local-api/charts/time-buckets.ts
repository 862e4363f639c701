import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import {
  instantOf,
  type LocalDate,
  localDateOf,
  plusDays,
  WEEKDAYS,
  weekdayOf,
} from "../../lib/local-time.ts";
import { offsetSegments } from "./offset-segments.ts";

export const TIME_UNITS = ["months", "weeks", "days", "hours", "minutes"] as const;
export type TimeUnit = (typeof TIME_UNITS)[number];

/**
 * The starts of the buckets that hold the moments of [from, to), ascending. Buckets are those of the calendar and
 * the clocks of `zone`: the first may start before `from`; weeks start on Monday; a day has 23 or 25 hours when the
 * clocks change, and an hour that is shown twice is two buckets. Undefined when there would be more than `limit`.
 */
export function timeBuckets(
  unit: TimeUnit,
  range: { readonly from: Instant; readonly to: Instant },
  zone: string,
  limit: number,
): Instant[] | undefined {
  if ((range.to - range.from) / SHORTEST[unit] > limit + 1) return undefined;
  const starts =
    unit === "hours" || unit === "minutes"
      ? clockBuckets(unit === "hours" ? HOUR : MINUTE, range, zone)
      : calendarBuckets(unit, range, zone);
  return starts.length > limit ? undefined : starts;
}

/** No bucket but the ones cut by a change of the clocks is shorter. */
const SHORTEST: Readonly<Record<TimeUnit, number>> = {
  months: 27 * 24 * HOUR,
  weeks: 6 * 24 * HOUR,
  days: 22 * HOUR,
  hours: HOUR,
  minutes: MINUTE,
};

function clockBuckets(width: number, { from, to }: { from: Instant; to: Instant }, zone: string): Instant[] {
  const starts: Instant[] = [];
  // Begins one width early: the bucket that holds `from` may have started under another offset.
  for (const segment of offsetSegments(zone, from - width, to)) {
    const aligned = (at: Instant) => Math.floor((at + segment.offsetMs) / width) * width - segment.offsetMs;
    const isFirst = segment.from === from - width;
    if (!isFirst && aligned(segment.from) !== segment.from) starts.push(segment.from);
    for (let at = aligned(segment.from + width - 1); at < segment.to; at += width) starts.push(at);
  }
  const holding = starts.findLastIndex((start) => start <= from);
  return starts.slice(Math.max(0, holding));
}

function calendarBuckets(
  unit: "months" | "weeks" | "days",
  { from, to }: { from: Instant; to: Instant },
  zone: string,
): Instant[] {
  const starts: Instant[] = [];
  let date = startOf(unit, localDateOf(from, zone));
  for (let at = instantOf(zone, date, 0); at < to; at = instantOf(zone, date, 0)) {
    // A day that a zone left out (it moved across the date line) starts when the next one does.
    if (at !== starts.at(-1)) starts.push(at);
    date = following(unit, date);
  }
  return starts;
}

function startOf(unit: "months" | "weeks" | "days", date: LocalDate): LocalDate {
  if (unit === "months") return { ...date, day: 1 };
  return unit === "weeks" ? plusDays(date, -WEEKDAYS.indexOf(weekdayOf(date))) : date;
}

function following(unit: "months" | "weeks" | "days", date: LocalDate): LocalDate {
  if (unit === "days") return plusDays(date, 1);
  if (unit === "weeks") return plusDays(date, 7);
  return date.month === 12
    ? { year: date.year + 1, month: 1, day: 1 }
    : { year: date.year, month: date.month + 1, day: 1 };
}
