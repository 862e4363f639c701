import { type LocalDate, WEEKDAYS, type Weekday, weekdayOf } from "../lib/local-time.ts";

/** When a cron line fires, by the clock on the wall. */
export interface Cron {
  /** Minutes after midnight, in order. */
  readonly times: readonly number[];
  readonly isOn: (date: LocalDate) => boolean;
}

/** A digest more often than every hour is a feed. */
const MOST_A_DAY = 24;

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
/** As cron counts: Sunday is 0. */
const DAYS: readonly Weekday[] = ["sun", ...WEEKDAYS.slice(0, 6)];

/**
 * Reads `minute hour day-of-month month day-of-week`, with lists, ranges, steps, and names of months and days. Where
 * both days are restricted, either is enough, as in every cron. Returns a sentence where the line is at fault.
 */
export function parseCron(text: string): Cron | string {
  const fields = text.trim().toLowerCase().split(/\s+/);
  if (fields.length !== 5)
    return `expected five fields (minute hour day-of-month month day-of-week), such as "0 8 * * mon-fri", got "${text}"`;
  const [minute = "", hour = "", day = "", month = "", weekday = ""] = fields;
  const minutes = readField(minute, 0, 59);
  const hours = readField(hour, 0, 23);
  const days = readField(day, 1, 31);
  const months = readField(month, 1, 12, MONTHS, 1);
  const weekdays = readField(weekday, 0, 7, DAYS, 0);
  const read = {
    minute: minutes,
    hour: hours,
    "day of the month": days,
    month: months,
    "day of the week": weekdays,
  };
  const wrong = Object.entries(read).find(([, values]) => values === null);
  if (wrong !== undefined) return `the ${wrong[0]} of the cron line "${text}" cannot be read`;
  const times = [...(hours ?? [])]
    .flatMap((h) => [...(minutes ?? [])].map((m) => 60 * h + m))
    .sort((a, b) => a - b);
  if (times.length > MOST_A_DAY)
    return `"${text}" is ${times.length} times a day; a digest comes ${MOST_A_DAY} times at most`;
  const isOn = (date: LocalDate): boolean => {
    if (months?.has(date.month) !== true) return false;
    const isDay = days?.has(date.day) === true;
    const index = DAYS.indexOf(weekdayOf(date));
    const isWeekday = weekdays?.has(index) === true || (index === 0 && weekdays?.has(7) === true);
    if (day === "*") return isWeekday;
    return weekday === "*" ? isDay : isDay || isWeekday;
  };
  const cron = { times, isOn };
  return everComes(cron) ? cron : `no date fits the cron line "${text}"`;
}

/** Null where the field is at fault. */
function readField(
  text: string,
  least: number,
  most: number,
  names: readonly string[] = [],
  firstName = 0,
): ReadonlySet<number> | null {
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [, range = "", step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
    const [from = "", to] = range.split("-");
    const first = range === "*" ? least : read(from, names, firstName);
    const end =
      range === "*" || (step !== undefined && to === undefined) ? most : read(to ?? from, names, firstName);
    // `sat-sun`: as an end, Sunday is the seventh day.
    const last = names === DAYS && end === 0 && first > 0 ? 7 : end;
    const by = step === undefined ? 1 : Number(step);
    if (!(first >= least && last <= most && first <= last && by >= 1) || range.split("-").length > 2)
      return null;
    for (let value = first; value <= last; value += by) values.add(value);
  }
  return values;
}

function read(text: string, names: readonly string[], firstName: number): number {
  const named = names.indexOf(text);
  if (named !== -1) return named + firstName;
  return /^\d{1,2}$/.test(text) ? Number(text) : Number.NaN;
}

/** February 30 never does; February 29 does within eight years, whatever century ends. */
function everComes({ isOn }: Cron): boolean {
  for (let year = 2024; year <= 2028; year += 4)
    for (let month = 1; month <= 12; month++)
      for (let day = 1; day <= new Date(Date.UTC(year, month, 0)).getUTCDate(); day++)
        if (isOn({ year, month, day })) return true;
  return false;
}
