import { IANAZone } from "luxon";
import { DAY, HOUR, type Instant, MINUTE, toIso } from "../../lib/instant.ts";
import {
  instantOf,
  type LocalDate,
  localDateOf,
  plusDays,
  WEEKDAYS,
  weekdayOf,
} from "../../lib/local-time.ts";

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

/**
 * Id and name of a time bucket, from its start: `2026-03-29T00:00:00.000+0100` and `2026-03-29 00:00:00.0`. Both show
 * the clocks of the zone, so that the first ten characters are the local day, which is what clients read off them.
 */
export function bucketLabel(start: Instant, zone: string): { readonly id: string; readonly name: string } {
  const offsetMs = offsetIn(zone)(start);
  const local = toIso(start + offsetMs).slice(0, -1);
  return { id: `${local}${formatOffset(offsetMs)}`, name: `${local.slice(0, 10)} ${local.slice(11, 19)}.0` };
}

function formatOffset(offsetMs: number): string {
  const minutes = Math.round(Math.abs(offsetMs) / 60_000);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${offsetMs < 0 ? "-" : "+"}${two(Math.floor(minutes / 60))}${two(minutes % 60)}`;
}

/** A stretch of time in which the clocks of a zone keep one distance from UTC. */
interface OffsetSegment {
  readonly from: Instant;
  /** Not included. */
  readonly to: Instant;
  readonly offsetMs: number;
}

/** The stretches of [from, to), in order and without gaps. Zones change at most once in two days. */
function offsetSegments(zone: string, from: Instant, to: Instant): OffsetSegment[] {
  const offset = offsetIn(zone);
  const segments: OffsetSegment[] = [];
  let start = from;
  for (let known = from; known < to; ) {
    const next = Math.min(known + DAY, to);
    if (offset(next) === offset(known)) {
      known = next;
      continue;
    }
    const change = firstWith(offset, offset(next), known, next);
    if (change >= to) break;
    segments.push({ from: start, to: change, offsetMs: offset(start) });
    start = change;
    known = next;
  }
  if (start < to) segments.push({ from: start, to, offsetMs: offset(start) });
  return segments;
}

/** Milliseconds that the clocks of the zone are ahead of UTC at a moment. */
function offsetIn(zone: string): (at: Instant) => number {
  const iana = IANAZone.create(zone);
  return (at) => iana.offset(at) * 60_000;
}

/** The first instant in (low, high] with the wanted offset; `high` has it. */
function firstWith(offset: (at: Instant) => number, count: number, low: Instant, high: Instant): Instant {
  let [before, after] = [low, high];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (offset(middle) === count) after = middle;
    else before = middle;
  }
  return after;
}
