import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import { instantOf, localDateOf } from "../../lib/local-time.ts";

/** The calendar day in `zone`, counted from 1 January 1970. A day may have 23 or 25 hours. */
export function localDay(at: Instant, zone: string): number {
  if (zone === "UTC") return Math.floor(at / DAY);
  // Zone offsets change only at full quarters of an hour.
  const quarter = Math.floor(at / QUARTER);
  return remembered(`${zone} at ${quarter}`, () => {
    const { year, month, day } = localDateOf(quarter * QUARTER, zone);
    return Date.UTC(year, month - 1, day) / DAY;
  });
}

/** When that day begins in `zone`. */
export function startOfLocalDay(day: number, zone: string): Instant {
  if (zone === "UTC") return day * DAY;
  return remembered(`${zone} from ${day}`, () => instantOf(zone, localDateOf(day * DAY, "UTC"), 0));
}

const QUARTER = HOUR / 4;

/** Cached: calendars are slow, and every bucket of every query asks for the same few moments. */
const answers = new Map<string, number>();
const MOST_ANSWERS = 2_000;

function remembered(question: string, find: () => number): number {
  const known = answers.get(question);
  if (known !== undefined) return known;
  if (answers.size >= MOST_ANSWERS) answers.clear();
  const answer = find();
  answers.set(question, answer);
  return answer;
}
