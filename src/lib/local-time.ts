import { DateTime, IANAZone } from "luxon";
import { z } from "zod";
import { HOUR, type Instant, MINUTE } from "./instant.ts";

/** A calendar day, in no zone. `month` and `day` count from 1. */
export interface LocalDate {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export const WEEKDAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] as const;
export const WEEKDAY_NAMES = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
} as const;
export const Weekday = z.enum(WEEKDAYS);
export type Weekday = z.infer<typeof Weekday>;

/**
 * The instant at which clocks in `zone` show `minutes` after midnight of `date` (1440 is the next midnight). If the
 * clocks skip that time in spring: the first instant after the gap. If they show it twice in autumn: the first or the
 * last of the two, as requested.
 */
export function instantOf(
  zone: string,
  date: LocalDate,
  minutes: number,
  repeated: "first" | "last" = "first",
): Instant {
  const wall = Date.UTC(date.year, date.month - 1, date.day) + minutes * MINUTE;
  const iana = zoneNamed(zone);
  const before = iana.offset(wall - 48 * HOUR) * MINUTE;
  const after = iana.offset(wall + 48 * HOUR) * MINUTE;
  const shown = [wall - before, wall - after].filter((at) => at + iana.offset(at) * MINUTE === wall);
  if (shown.length > 0) return repeated === "first" ? Math.min(...shown) : Math.max(...shown);
  return changeOfOffset(iana, wall - after, wall - before);
}

/**
 * By how much the clocks of `zone` are ahead of UTC at `at`, in ms; 0 for an unknown zone. Fast enough for every bucket
 * of every query: calendars are slow, so a span without a change of clocks is cached for each zone.
 */
export function offsetAt(at: Instant, zone: string): number {
  if (zone === "UTC") return 0;
  const known = spans.get(zone);
  if (known !== undefined && at >= known.from && at < known.to) return known.offset;
  const found = spanAround(at, zone);
  // Zones come from the source, which may send any number of them.
  if (spans.size >= MOST_ZONES) spans.clear();
  spans.set(zone, found);
  return found.offset;
}

interface OffsetSpan {
  readonly from: Instant;
  readonly to: Instant;
  readonly offset: number;
}

const spans = new Map<string, OffsetSpan>();
const MOST_ZONES = 1_000;
/** No zone changes its clocks twice within these days. */
const SPAN_DAYS = 8;

function spanAround(at: Instant, zone: string): OffsetSpan {
  const iana = zoneNamed(zone);
  const from = Math.floor(at / (SPAN_DAYS * 24 * HOUR)) * SPAN_DAYS * 24 * HOUR;
  const to = from + SPAN_DAYS * 24 * HOUR;
  const change = iana.offset(from) === iana.offset(to) ? to : changeOfOffset(iana, from, to);
  return at < change
    ? { from, to: change, offset: iana.offset(from) * MINUTE }
    : { from: change, to, offset: iana.offset(to) * MINUTE };
}

/** The calendar day that `zone` shows at `at`. */
export function localDateOf(at: Instant, zone: string): LocalDate {
  const { year, month, day } = DateTime.fromMillis(at, { zone: zoneNamed(zone) });
  return { year, month, day };
}

export function plusDays(date: LocalDate, days: number): LocalDate {
  const moved = new Date(Date.UTC(date.year, date.month - 1, date.day + days));
  return { year: moved.getUTCFullYear(), month: moved.getUTCMonth() + 1, day: moved.getUTCDate() };
}

export function weekdayOf(date: LocalDate): Weekday {
  const sundayFirst = new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
  return WEEKDAYS[(sundayFirst + 6) % 7] ?? "mon";
}

/** `2026-03-29`. */
export function formatLocalDate({ year, month, day }: LocalDate): string {
  return `${String(year).padStart(4, "0")}-${String(month).padStart(2, "0")}-${String(day).padStart(2, "0")}`;
}

/** Minutes after midnight → `08:05`. */
export function formatLocalTime(minutes: number): string {
  return `${String(Math.floor(minutes / 60)).padStart(2, "0")}:${String(minutes % 60).padStart(2, "0")}`;
}

/** A time of day in a file that people write: `"08:00"` in, minutes after midnight out. `"24:00"` is the day's end. */
export const LocalTime = z
  .string()
  .transform((text, context) => {
    const [, hour, minute] = /^(\d{1,2}):(\d{2})$/.exec(text.trim()) ?? [];
    const minutes = Number(hour) * 60 + Number(minute);
    if (hour === undefined || Number(minute) > 59 || minutes > 24 * 60) {
      context.addIssue({
        code: "custom",
        message: `expected a time of day from "00:00" to "24:00", got "${text}"`,
      });
      return z.NEVER;
    }
    return minutes;
  })
  .meta({
    pattern: "^\\s*((\\d|[01]\\d|2[0-3]):[0-5]\\d|24:00)\\s*$",
    patternErrorMessage: 'expected a time of day from "00:00" to "24:00"',
  });

/** An IANA zone, by name. */
export const TimeZone = z
  .string()
  .refine((name) => isNamedZone(name), {
    error: ({ input }) =>
      `expected the name of a time zone such as "Europe/Berlin", "America/New_York" or "UTC", got "${String(input)}"`,
  })
  .meta({
    pattern: "^[A-Za-z]",
    patternErrorMessage: 'expected the name of a time zone such as "Europe/Berlin" or "UTC"',
  });

/** Offsets have no summer time; abbreviations mean one zone to JavaScript and another to people and to PostgreSQL. */
export function isNamedZone(name: string): boolean {
  return (
    /^[A-Za-z]/.test(name) &&
    (!/^(?:[a-z]{3}$|SystemV\/)/i.test(name) || SHORT_NAMES.has(name.toUpperCase())) &&
    IANAZone.isValidZone(name)
  );
}

/** The names of three letters that IANA has. Of the others, `BST` would be Bangladesh, and `IST` India. */
const SHORT_NAMES: ReadonlySet<string> = new Set(
  "CET EET EST GMT HST MET MST PRC ROC ROK UCT UTC WET".split(" "),
);

/**
 * The name by which PostgreSQL finds a zone. It takes some names for abbreviations, which have no summer time: the same
 * clocks stand in a city.
 */
export function zoneForSql(name: string): string {
  return CITIES[name.toUpperCase()] ?? name;
}

const CITIES: Readonly<Record<string, string>> = {
  CET: "Europe/Brussels",
  EET: "Europe/Athens",
  MET: "Europe/Brussels",
  WET: "Europe/Lisbon",
};

/** Zones also come from the source: an unknown zone counts as UTC everywhere, so that there is always a number. */
function zoneNamed(name: string): IANAZone {
  const zone = IANAZone.create(name);
  return zone.isValid ? zone : IANAZone.create("UTC");
}

/** The first instant in (from, to] with the offset of `to`. */
function changeOfOffset(zone: IANAZone, from: Instant, to: Instant): Instant {
  const offset = zone.offset(to);
  let low = from;
  let high = to;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (zone.offset(middle) === offset) high = middle;
    else low = middle;
  }
  return high;
}
