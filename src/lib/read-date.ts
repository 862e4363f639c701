import { DateTime } from "luxon";
import type { Instant } from "./instant.ts";

/** How the dates of a file are written. */
export interface DateManner {
  /** IANA zone of dates without an offset; UTC when absent. */
  readonly timezone?: string | undefined;
  /** In the signs of Luxon, such as `dd.MM.yyyy HH:mm`, where the usual ways of writing do not fit. */
  readonly format?: string | undefined;
}

/** Of forms that are read another way round in other countries, none is guessed: they want a format. */
const FORMATS = [
  "yyyy-MM-dd HH:mm:ss ZZZ",
  "yyyy-MM-dd HH:mm:ss 'UTC'",
  "yyyy/MM/dd HH:mm:ss",
  "yyyy/MM/dd HH:mm",
  "yyyy/MM/dd",
  "ccc LLL dd HH:mm:ss ZZZ yyyy",
  "LLL d, yyyy",
  "d LLL yyyy",
];

/** The moment that a cell names, or undefined: ISO 8601, SQL, RFC 2822, seconds or milliseconds since 1970. */
export function readDate(text: string, { timezone = "utc", format }: DateManner): Instant | undefined {
  const options = { zone: timezone, locale: "en" };
  if (format !== undefined) return momentOf(DateTime.fromFormat(text, format, options));
  if (/^\d{10}(\.\d+)?$/.test(text)) return Math.round(Number(text) * 1_000);
  if (/^\d{13}$/.test(text)) return Number(text);
  const parsers = YEAR_FIRST.test(text)
    ? [DateTime.fromISO, DateTime.fromSQL]
    : [DateTime.fromRFC2822, DateTime.fromHTTP];
  for (const parse of parsers) {
    const at = momentOf(parse(text, options));
    if (at !== undefined) return at;
  }
  for (const known of FORMATS) {
    const at = momentOf(DateTime.fromFormat(text, known, options));
    if (at !== undefined) return at;
  }
  return undefined;
}

/** A time alone is no date: it would be today's. So is `0930`, which would be a year. */
const YEAR_FIRST = /^(?!0000)\d{4}(?:-|\d{4}(?:T|$))/;

function momentOf(parsed: DateTime): Instant | undefined {
  return parsed.isValid ? parsed.toMillis() : undefined;
}
