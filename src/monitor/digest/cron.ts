import { Cron as CronLine } from "croner";
import { HOUR, MINUTE } from "../../lib/instant.ts";
import type { LocalDate } from "../../lib/local-time.ts";

/** When a cron line fires, in local time. */
export interface Cron {
  /** Minutes after midnight, in order. */
  readonly times: readonly number[];
  readonly isOn: (date: LocalDate) => boolean;
}

/** A digest more often than every hour is a feed. */
const MOST_A_DAY = 24;

/** How far `schedule.ts` looks for a date. From one February 29 to the next there may be eight years. */
const MOST_YEARS = 8;

const FIELDS = ["minute", "hour", "day of the month", "month", "day of the week"];

/**
 * Reads `minute hour day-of-month month day-of-week` with everything that croner supports: lists, ranges, steps, names
 * of months and days, `L` for the last day and `fri#2` for the second Friday. If both days are restricted, either is
 * enough, as in every cron. Returns a sentence if the line has a fault.
 *
 * Croner only parses the line, as if in UTC. `schedule.ts` turns local times into instants, for cron lines and `at`
 * alike: croner would skip `0,30 2 * * *` on the day when Berlin skips that hour, and fire twice when it comes twice.
 */
export function parseCron(text: string): Cron | string {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== FIELDS.length)
    return `expected five fields (minute hour day-of-month month day-of-week), such as "0 8 * * mon-fri", got "${text}"`;
  // Croner counts days and months from 0 in its errors, and some errors name no field.
  const wrong = FIELDS.find((_, at) => read(["*", "*", "*", "*", "*"].with(at, fields[at] ?? "")) === null);
  if (wrong !== undefined) return `the ${wrong} of the cron line "${text}" cannot be read`;
  const [minute = "", hour = "", ...dayFields] = fields;
  const minutes = matching(60, MINUTE, [minute, "*", "*", "*", "*"]);
  const times = matching(24, HOUR, ["*", hour, "*", "*", "*"]).flatMap((h) => minutes.map((m) => 60 * h + m));
  if (times.length > MOST_A_DAY)
    return `"${text}" is ${times.length} times a day; a digest comes ${MOST_A_DAY} times at most`;
  const calendar = read(["0", "0", ...dayFields]);
  if (calendar === null || isRare(calendar))
    return `no date fits the cron line "${text}", or less than one in ${MOST_YEARS} years`;
  return {
    times,
    isOn: ({ year, month, day }) => calendar.match(new Date(Date.UTC(year, month - 1, day))),
  };
}

/** Which of the first `count` hours or minutes of a day fit. */
function matching(count: number, unit: number, fields: readonly string[]): readonly number[] {
  const line = read(fields);
  return Array.from({ length: count }, (_, n) => n).filter((n) => line?.match(new Date(n * unit)) === true);
}

function read(fields: readonly string[]): CronLine | null {
  try {
    // Sloppy: `5/10`, from 5 on every 10, as Quartz and many others have it.
    return new CronLine(fields.join(" "), { mode: "5-part", sloppyRanges: true, utcOffset: 0 });
  } catch {
    return null;
  }
}

/** Within 28 years every date has been on every day of the week. */
function isRare(calendar: CronLine): boolean {
  return Array.from({ length: 28 }, (_, at) => 2001 + at).some((year) => {
    const next = calendar.nextRun(new Date(Date.UTC(year, 0, 1)));
    return next === null || next.getUTCFullYear() >= year + MOST_YEARS;
  });
}
