import { z } from "zod";
import type { Instant } from "../../lib/instant.ts";

/** An instant in the API's format: `2026-02-17T07:36:05.000+0000`. Only four-digit years can be written so. */
export function formatWireInstant(at: Instant): string {
  return `${new Date(at).toISOString().slice(0, -1)}+0000`;
}

/**
 * `YYYY-MM-DDThh:mm:ss.SSS+0000` → instant, null for anything that is not a moment. Written by hand because a page has
 * fifteen thousand of them. Also reads other fractions, no fraction, `Z` and `+hh:mm`. A value without an offset is not
 * a moment and gives null.
 */
export function parseWireInstant(text: string): Instant | null {
  const length = text.length;
  if (length < 20 || length > 40) return null;
  if (
    text.charCodeAt(4) !== DASH ||
    text.charCodeAt(7) !== DASH ||
    (text.charCodeAt(10) | 0x20) !== LOWER_T ||
    text.charCodeAt(13) !== COLON ||
    text.charCodeAt(16) !== COLON
  ) {
    return null;
  }
  const year = two(text, 0) * 100 + two(text, 2);
  const month = two(text, 5);
  const day = two(text, 8);
  const hour = two(text, 11);
  const minute = two(text, 14);
  const second = two(text, 17);
  // `two` gives NaN for anything but digits, and every comparison with NaN is false.
  const valid =
    year >= 1 &&
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    (day <= 28 || day <= daysIn(year, month)) &&
    hour <= 23 &&
    minute <= 59 &&
    second <= 59;
  if (!valid) return null;

  let at = 19;
  let ms = 0;
  if (text.charCodeAt(at) === DOT) {
    at++;
    let scale = 100;
    const firstDigit = at;
    for (let digit = digitAt(text, at); digit >= 0; digit = digitAt(text, ++at)) {
      ms += Math.floor(digit * scale);
      scale /= 10;
    }
    if (at === firstDigit) return null;
  }
  const offsetMinutes = readOffset(text, at);
  if (offsetMinutes === null) return null;
  return (
    daysSinceEpoch(year, month, day) * 86_400_000 +
    hour * 3_600_000 +
    (minute - offsetMinutes) * 60_000 +
    second * 1_000 +
    ms
  );
}

/** `Sat, 21 Nov 2026 17:48:17 GMT`, as HTTP has it; null for anything else. */
export function parseHttpDate(date: string | null): Instant | null {
  const at = date !== null && /^[A-Z][a-z]{2},? /.test(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

const DASH = 0x2d;
const PLUS = 0x2b;
const COLON = 0x3a;
const DOT = 0x2e;
const LOWER_T = 0x74;
const LOWER_Z = 0x7a;

/** The digit at an index, -1 for anything else. */
function digitAt(text: string, index: number): number {
  const digit = text.charCodeAt(index) - 0x30;
  return digit >= 0 && digit <= 9 ? digit : -1;
}

function two(text: string, index: number): number {
  const tens = digitAt(text, index);
  const ones = digitAt(text, index + 1);
  return tens < 0 || ones < 0 ? Number.NaN : tens * 10 + ones;
}

/** Minutes east of UTC for `+hhmm`, `-hh:mm` or `Z` at the end of the text. */
function readOffset(text: string, at: number): number | null {
  const sign = text.charCodeAt(at);
  if ((sign | 0x20) === LOWER_Z) return at + 1 === text.length ? 0 : null;
  if (sign !== PLUS && sign !== DASH) return null;
  const minutesAt = text.charCodeAt(at + 3) === COLON ? at + 4 : at + 3;
  const hours = two(text, at + 1);
  const minutes = two(text, minutesAt);
  if (minutesAt + 2 !== text.length || !(hours <= 23 && minutes <= 59)) return null;
  const offset = hours * 60 + minutes;
  return sign === DASH ? -offset : offset;
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days from 1970-01-01 in the Gregorian calendar. Years are counted from March, so that a leap day ends one. */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const monthFromMarch = month > 2 ? month - 3 : month + 9;
  const leaps = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leaps + Math.floor((monthFromMarch * 153 + 2) / 5) + day - 1 - 719_468;
}

/** An id of the wire, integer or text, as text. An integer beyond 53 bits that arrives here has lost digits. */
export const WireId = z.union([z.string().min(1), z.int()]).transform(String);

/** An integer, as the API wants ids; one that would lose digits, zeros before it too, stays text. */
export function toWireId(id: string): number | string {
  return /^(?:0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id;
}

/** A text that may be missing or of a wrong type. */
export const WireText = z.string().nullable().catch(null);

/** A number that may be missing or of a wrong type. */
export const WireNumber = z.number().nullable().catch(null);

/** A moment that may be missing, of a wrong type or no moment at all. */
export const WireInstant = z
  .string()
  .transform((text) => parseWireInstant(text))
  .nullable()
  .catch(null);

/**
 * The list envelope of the API, or the bare list that some calls of unknown shape may send. A record without its
 * required fields is left out and does not fail the list.
 */
export function listOf<Schema extends z.ZodType>(record: Schema): z.ZodType<z.output<Schema>[]> {
  const bare = z.array(z.unknown());
  return z
    .union([bare, z.object({ results: bare }).transform((list) => list.results)])
    .transform((items) => usable(record, items));
}

/** A list inside a record: empty if missing or of a wrong type. */
export function listInside<Schema extends z.ZodType>(item: Schema): z.ZodType<z.output<Schema>[]> {
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) => usable(item, items));
}

function usable<Schema extends z.ZodType>(record: Schema, items: readonly unknown[]): z.output<Schema>[] {
  return items.flatMap((item) => {
    const parsed = record.safeParse(item);
    return parsed.success ? [parsed.data] : [];
  });
}
