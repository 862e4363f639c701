import { DAY, HOUR, MINUTE, type Moment } from "./world.ts";

/** `1,204`, `120.4k`, `3.4M`, `69`: as a number. */
export function toNumber(text: string): number {
  const [, digits = "", unit = ""] = /^([\d,.]+)([kM]?)$/.exec(text) ?? [];
  const factor = unit === "k" ? 1e3 : unit === "M" ? 1e6 : 1;
  return Number(digits.replaceAll(",", "")) * factor;
}

/** `4 h 30 min`, `2 d 4 h`, `12 hours`: in milliseconds. */
export function toLength(text: string): number {
  let sum = 0;
  for (const [, count = "0", unit = ""] of text.matchAll(/(\d+)\s*(d|h|min|days?|hours?|minutes?)\b/g))
    sum += Number(count) * (unit.startsWith("d") ? DAY : unit.startsWith("h") ? HOUR : MINUTE);
  return sum;
}

export const LENGTH = String.raw`\d+ (?:d|h|min|days?|hours?|minutes?)(?: \d+ (?:h|min))?`;
export const NUMBER = String.raw`\d[\d,]*(?:\.\d+)?[kM]?`;
const WEEKDAY = "(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)";
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const ZONE = String.raw`(?: [A-Z]{2,5}(?:[+-]\d{1,2}(?::\d\d)?)?)?`;
/** `Mon 23 Feb, 08:35 PST`, or `08:35` on a day that is known. */
export const TIME = String.raw`(?:${WEEKDAY} \d{1,2} [A-Z][a-z]{2,3}, )?\d\d:\d\d${ZONE}|\d{4}-\d\d-\d\dT[\d:.]+Z`;
/** `Mon 23 Feb 2026`, `9 to 15 March 2026`, `March 2026`. */
export const PERIOD = String.raw`(?:${WEEKDAY} )?\d{1,2}(?: [A-Z][a-z]+(?: \d{4})?)?(?: to \d{1,2})? [A-Z][a-z]+ \d{4}|[A-Z][a-z]+ \d{4}`;

/**
 * The moments that a time can mean to a reader at `said`: with a day the one of the year that is nearest; without one
 * that time on the days of `said`, of the day before, and of what the message is about.
 */
export function momentsOf(
  text: string,
  said: Moment,
  zone: string,
  about: readonly Moment[] = [],
): readonly Moment[] {
  const dated = /(\d{1,2}) ([A-Z][a-z]{2})[a-z]?, (\d\d):(\d\d)/.exec(text);
  if (dated !== null) {
    const [, day = "", month = "", hour = "", minute = ""] = dated;
    const year = new Date(said).getUTCFullYear();
    const found = [year - 1, year, year + 1].map((one) =>
      instant(zone, one, MONTHS.indexOf(month), Number(day), Number(hour), Number(minute)),
    );
    return [found.reduce((best, one) => (Math.abs(one - said) < Math.abs(best - said) ? one : best))];
  }
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return [Date.parse(text)];
  const [, hour = "0", minute = "0"] = /(\d\d):(\d\d)/.exec(text) ?? [];
  return [said, said - DAY, ...about].map((day) => {
    const wall = wallOf(day, zone);
    return instant(zone, wall.year, wall.month, wall.day, Number(hour), Number(minute));
  });
}

/** The same time on the clocks of the zone, so many days before. */
export function daysBefore(at: Moment, days: number, zone: string): Moment {
  const { year, month, day, hour, minute } = wallOf(at, zone);
  return instant(zone, year, month, day - days, hour, minute);
}

function instant(
  zone: string,
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
): Moment {
  const asUtc = Date.UTC(year, month, day, hour, minute);
  const guess = asUtc - offsetAt(asUtc, zone);
  return asUtc - offsetAt(guess, zone);
}

function offsetAt(at: Moment, zone: string): number {
  const wall = wallOf(at, zone);
  return Date.UTC(wall.year, wall.month, wall.day, wall.hour, wall.minute) - Math.floor(at / MINUTE) * MINUTE;
}

export function wallOf(at: Moment, zone: string) {
  const parts = formatOf(zone).formatToParts(at);
  const part = (type: string) => Number(parts.find((one) => one.type === type)?.value);
  return {
    ...{ year: part("year"), month: part("month") - 1, day: part("day") },
    ...{ hour: part("hour"), minute: part("minute") },
  };
}

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  const numeric = {
    year: "numeric",
    month: "numeric",
    day: "numeric",
    hour: "numeric",
    minute: "numeric",
  } as const;
  const made = new Intl.DateTimeFormat("en-GB", { ...numeric, hourCycle: "h23", timeZone });
  formats.set(timeZone, made);
  return made;
}

/** For findings: `Sun 22 Feb 17:55`. */
export function show(at: Moment, zone: string): string {
  const { day, month, hour, minute } = wallOf(at, zone);
  return `${day} ${MONTHS[month]} ${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}
