import { DateTime } from "luxon";
import type { Instant } from "../../lib/instant.ts";

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const FULL = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,3})?)(Z|[+-]\d{2}:?\d{2})$/;
const EATEN_PLUS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})? \d{2}:?\d{2}$/;

/**
 * The moment that a parameter names, or a sentence about what is wrong with it. A plain date is the start of that
 * day in `zone` (the spec leaves this open; a project has a time zone for some reason).
 */
export function parseMoment(text: string, zone: string): Instant | string {
  if (EATEN_PLUS.test(text)) return `the "+" of the offset has to be sent as "%2B".`;
  const isoText = FULL.test(text) || DATE.test(text) ? text : undefined;
  const parsed = isoText === undefined ? undefined : DateTime.fromISO(isoText, { zone });
  if (parsed?.isValid) return parsed.toMillis();
  const got = JSON.stringify(text.slice(0, 60));
  return `expected YYYY-MM-DD or YYYY-MM-DDThh:mm:ss.SSS with an offset such as -0500 or %2B0000, got ${got}.`;
}
