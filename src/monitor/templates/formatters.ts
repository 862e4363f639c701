import { type Instant, MINUTE } from "../../lib/instant.ts";
import { instantOf, localDateOf, offsetAt, plusDays } from "../../lib/local-time.ts";

/** `8,968`. */
export function formatNumber(value: number): string {
  return Number.isInteger(value) ? INTEGER.format(value) : DECIMAL.format(value);
}

/** `120k`, `3.4M`. */
export function formatCompact(value: number): string {
  return COMPACT.format(value).replace("K", "k");
}

/** A part of a whole as `42%`, without words; `0%` if the whole is 0. */
export function formatPercent(part: number, whole: number): string {
  return whole === 0 ? "0%" : `${Math.round((100 * part) / whole)}%`;
}

/** The change from `before`: `+40%`, `-12%`, `no change`, `6×`; `new` if it was 0. */
export function formatChange(now: number, before: number): string {
  if (now === before) return "no change";
  if (before === 0) return "new";
  if (now / before >= 3) return `${formatNumber(Math.round((10 * now) / before) / 10)}×`;
  const percent = Math.round((100 * (now - before)) / before);
  return percent === 0 ? "no change" : `${percent > 0 ? "+" : ""}${percent}%`;
}

/**
 * `Mon 23 Feb, 08:35 PST`, in local time of that zone (UTC if the zone is unknown). In other languages as people write
 * it there: `Mo., 23. Feb., 08:35 MEZ`.
 */
export function formatTime(at: Instant, timezone: string, language = "en"): string {
  if (!isEnglish(language)) return dateFormat(language, timezone, "time").format(at).replaceAll(BLANKS, " ");
  const part = partsOf(at, timezone);
  return `${part("weekday")} ${part("day")} ${part("month")}, ${part("hour")}:${part("minute")} ${zoneName(at, timezone)}`;
}

/** A time after `before`: only `08:39` if it is on the same local day, and no clock was changed in between. */
export function formatTimeAfter(at: Instant, before: Instant, timezone: string, language = "en"): string {
  const isOneDay = formatDay(at, timezone) === formatDay(before, timezone);
  // In autumn an hour comes twice: without its zone a later time would look like an earlier one.
  if (!isOneDay || offsetAt(at, timezone) !== offsetAt(before, timezone))
    return formatTime(at, timezone, language);
  const part = partsOf(at, timezone);
  return `${part("hour")}:${part("minute")}`;
}

/** `Mon 23 Feb 2015`; `Mo., 23. Feb. 2015` in German. */
export function formatDay(at: Instant, timezone: string, language = "en"): string {
  if (!isEnglish(language)) return dateFormat(language, timezone, "day").format(at).replaceAll(BLANKS, " ");
  const part = partsOf(at, timezone);
  return `${part("weekday")} ${part("day")} ${part("month")} ${part("year")}`;
}

/** A change in words: `twice the usual 580`, `12% more than the usual 580`, `as the usual 580`. `what`: "the usual". */
export function formatAgainst(now: number, before: number, what: string): string {
  const base = `${what} ${formatNumber(before)}`;
  if (before === 0) return now === 0 ? `none, as before` : `none before`;
  const factor = now / before;
  // "1,141 times the usual 1" says less than the two numbers.
  if (before < FEW && now >= FEW) return `against ${base}`;
  if (factor >= 1.9 && factor < 2.2) return `twice ${base}`;
  if (factor >= 2.2) return `${formatNumber(Math.round(10 * factor) / 10)} times ${base}`;
  const percent = Math.round(100 * (factor - 1));
  if (Math.abs(percent) < 5) return `about ${base}`;
  return `${Math.abs(percent)}% ${percent > 0 ? "more" : "less"} than ${base}`;
}

/** A multiple of fewer than this is chance. */
const FEW = 10;

/** How a share moved: `24 points more than usual`; `as usual` within two points. */
export function formatPoints(part: number, whole: number, partBefore: number, wholeBefore: number): string {
  if (whole === 0 || wholeBefore === 0) return "";
  const points = Math.round(100 * (part / whole - partBefore / wholeBefore));
  if (Math.abs(points) < 3) return "as usual";
  return `${Math.abs(points)} points ${points > 0 ? "more" : "less"} than usual`;
}

/** The days of a period by name: `Mon 9 Mar 2026`, `9 to 15 March 2026`, `March 2026`; as people write it in `language`. */
export function formatPeriod(from: Instant, to: Instant, timezone: string, language = "en"): string {
  // A period from eight to eight is named by the days on which it begins, also where clocks change on its last day.
  const wall = partsOf(from, timezone);
  const minutes = Number(wall("hour")) * 60 + Number(wall("minute"));
  const ending = localDateOf(to - 1, timezone);
  const lastDay = instantOf(timezone, ending, minutes) < to ? ending : plusDays(ending, -1);
  const last = Math.max(from, instantOf(timezone, lastDay, minutes));
  if (formatDay(from, timezone) === formatDay(last, timezone)) return formatDay(from, timezone, language);
  const parts = (at: Instant) => {
    const found = dateFormat("en-GB", timezone, "period").formatToParts(at);
    return (type: string) => found.find((one) => one.type === type)?.value ?? "";
  };
  const [first, until] = [parts(from), parts(last)];
  const isOneMonth = first("month") === until("month") && first("year") === until("year");
  if (isOneMonth && first("day") === "1" && plusDays(lastDay, 1).day === 1) {
    return isEnglish(language)
      ? `${first("month")} ${first("year")}`
      : dateFormat(language, timezone, "month").format(from);
  }
  if (!isEnglish(language))
    return dateFormat(language, timezone, "period").formatRange(from, last).replaceAll(BLANKS, " ");
  const start = isOneMonth
    ? first("day")
    : `${first("day")} ${first("month")}${first("year") === until("year") ? "" : ` ${first("year")}`}`;
  return `${start} to ${until("day")} ${until("month")} ${until("year")}`;
}

/** A length in its two largest units, to the minute: `3 h 20 min`, `2 d 4 h`; at least `1 min`. */
export function formatLength(ms: number): string {
  const exact = Math.max(1, Math.round(ms / MINUTE));
  // From a day on minutes are left out, so the hour is the nearest one.
  const minutes = exact < 1440 ? exact : 60 * Math.round(exact / 60);
  const days = Math.floor(minutes / 1440);
  const hours = Math.floor((minutes % 1440) / 60);
  const left = minutes % 60;
  const parts = [days > 0 && `${days} d`, hours > 0 && `${hours} h`, left > 0 && days === 0 && `${left} min`];
  return parts.filter(Boolean).join(" ");
}

const INTEGER = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const DECIMAL = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const COMPACT = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });

function partsOf(at: Instant, timezone: string): (type: Intl.DateTimeFormatPartTypes) => string {
  const parts = dateFormat("en-GB", timezone).formatToParts(at);
  return (type) => parts.find((part) => part.type === type)?.value ?? "";
}

/** American English has PST, British English has CET; other zones get an offset such as GMT+5:30. */
function zoneName(at: Instant, timezone: string): string {
  const names = ["en-US", "en-GB"].map((locale) => {
    const parts = dateFormat(locale, timezone).formatToParts(at);
    return parts.find((part) => part.type === "timeZoneName")?.value ?? "UTC";
  });
  return names.find((name) => !/\d/.test(name)) ?? names[0] ?? "UTC";
}

const formats = new Map<string, Intl.DateTimeFormat>();

function isEnglish(language: string): boolean {
  return /^en\b/i.test(language);
}

/** Some languages have no-break spaces in dates, which break plain text mails. */
const BLANKS = /[\s\u00A0\u202F]+/g;

/** Creating one takes about 50 µs, using it 1 µs; there are few zones, so all are cached. */
function dateFormat(locale: string, timezone: string, shows: Shows = "all"): Intl.DateTimeFormat {
  const key = `${locale} ${timezone} ${shows}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const made = makeDateFormat(locale, timezone, shows);
  formats.set(key, made);
  return made;
}

type Shows = "time" | "day" | "period" | "month" | "all";

function makeDateFormat(locale: string, timezone: string, shows: Shows): Intl.DateTimeFormat {
  const long = { month: "long", year: "numeric" } as const;
  const options: Intl.DateTimeFormatOptions =
    shows === "month"
      ? long
      : shows === "period"
        ? { ...long, day: "numeric" }
        : {
            weekday: "short",
            day: "numeric",
            month: "short",
            ...(shows !== "time" && { year: "numeric" }),
            ...(shows !== "day" && {
              hour: "2-digit",
              minute: "2-digit",
              hourCycle: "h23",
              timeZoneName: "short",
            }),
          };
  for (const [language, timeZone] of [
    [locale, timezone],
    [locale, "UTC"],
  ] as const) {
    try {
      return new Intl.DateTimeFormat(language, { ...options, timeZone });
    } catch {
      // An unknown zone or language must not stop a message.
    }
  }
  return new Intl.DateTimeFormat("en-GB", { ...options, timeZone: "UTC" });
}
