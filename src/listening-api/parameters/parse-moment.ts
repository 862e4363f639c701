import { DateTime } from "luxon";
import type { Instant } from "../../lib/instant.ts";
import { instantOf } from "../../lib/local-time.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const FULL = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|([+-]\d{2}):?(\d{2}))?$/;
const EATEN_PLUS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})? \d{2}:?\d{2}$/;
/** The furthest that any clock on earth is from UTC. */
const MAX_OFFSET_HOURS = 14;

/**
 * The moment that a parameter names, or a sentence about what is wrong with it. A plain date is the start of that
 * day in `zone` (the spec leaves this open; a project has a time zone for some reason). A date-time without an offset
 * is UTC: both official clients send such, and the people who use them say that the live service takes it so.
 */
export function parseMoment(text: string, zone: string): Instant | string {
  const usual = parseUsual(text);
  if (usual !== undefined) return usual;
  if (EATEN_PLUS.test(text)) return `the "+" of the offset has to be sent as "%2B".`;
  const parsed = isMoment(text) ? DateTime.fromISO(text, { zone: "utc" }) : undefined;
  if (parsed?.isValid) return DATE.test(text) ? startOfDay(parsed, zone) : parsed.toMillis();
  const got = JSON.stringify(text.slice(0, 60));
  return `expected YYYY-MM-DD or YYYY-MM-DDThh:mm:ss.SSS, UTC unless an offset such as -0500 or %2B0100 follows, got ${got}.`;
}

const USUAL = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{3})?)(?:Z|\+0000|\+00:00)?$/;

/** The form in which nearly every moment comes, in UTC, without the long way: an import reads three of a line. */
function parseUsual(text: string): Instant | undefined {
  const found = USUAL.exec(text)?.[1];
  if (found === undefined || found.startsWith("0000")) return undefined;
  const at = Date.parse(`${found}Z`);
  // A day that does not exist would have become another one.
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(found.slice(0, 19)) ? at : undefined;
}

/**
 * Of two midnights the first, as in charts: Luxon takes the one that fits the clocks of today. Years before 100 are left to it,
 * because `Date.UTC` takes them for others.
 */
function startOfDay({ year, month, day }: DateTime, zone: string): Instant {
  const date = { year, month, day };
  return year < 100 ? DateTime.fromObject(date, { zone }).toMillis() : instantOf(zone, date, 0);
}

/** Written like one, of a year that there was, with an offset that there is. */
function isMoment(text: string): boolean {
  if (text.startsWith("0000")) return false;
  if (DATE.test(text)) return true;
  const [, , , hours = "0", minutes = "0"] = FULL.exec(text) ?? [];
  return FULL.test(text) && Math.abs(Number(hours)) <= MAX_OFFSET_HOURS && Number(minutes) < 60;
}
