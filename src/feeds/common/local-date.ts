import { DAY, HOUR, MINUTE, SECOND } from "../../lib/instant.ts";
import { normalized } from "../../lib/text.ts";

/** Languages whose names of months are read. */
const LANGUAGES =
  "bg ca cs da de el en es et fi fr hr hu id it lt lv nb nl pl pt ro ru sk sl sr sv tr uk vi".split(" ");
const YEAR = "(?<year>(?:19|20)\\d{2})";
const MONTH = "(?<month>\\p{L}{3,15})\\.?";
const DATE = "(?<day>\\d{1,2})";
const TIME = "(?:[^\\d]{0,12}(?<hour>\\d{1,2})[:.h時시](?<minute>\\d{2})(?:[:.分](?<second>\\d{2}))?)?";
/** In words, in the order in which they are tried. */
const IN_WORDS = [
  // 2026年11月23日, 2026년 11월 23일
  `^\\D{0,10}${YEAR}\\s?[年년]\\s?(?<month>\\d{1,2})\\s?[月월]\\s?${DATE}\\s?[日일]?${TIME}`,
  // 23 novembre 2026, 23 de novembre del 2026, Пн, 23 ноя 2026 10:00:00 +0300
  `(?:^|[^\\d:])${DATE}(?:\\.|º|er|\\. de)?\\s(?:de\\s|d['’])?${MONTH},?\\s(?:del?\\s)?${YEAR}${TIME}`,
  // November 23, 2026
  `(?:^|\\s)${MONTH}\\s${DATE},?\\s${YEAR}${TIME}`,
  // 2026. november 23., 2026 m. lapkričio 23 d.
  `^\\D{0,15}${YEAR}(?:\\.|\\sm\\.)\\s${MONTH}\\s${DATE}${TIME}`,
  // 2026. gada 23. novembris
  `${YEAR}\\.\\sgada\\s${DATE}\\.\\s${MONTH}${TIME}`,
  // 23 tháng 11, 2026
  `${DATE}\\stháng\\s(?<month>\\d{1,2}),?\\s${YEAR}${TIME}`,
].map((pattern) => new RegExp(pattern, "u"));
/** 23.11.2026, 23. 11. 2026, and 11/23/2026 where a number cannot be a month */
const NUMBERS = new RegExp(
  `^(?<first>\\d{1,2})(?<sign>[./-])\\s?(?<other>\\d{1,2})\\2\\s?${YEAR}(?:\\sг\\.)?(?:[,\\s]{1,2}(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?)?(?:\\s?[AaPp]\\.?\\s?[Mm]\\.?|\\s(?:Uhr|ч\\.|[A-Z]{3,4}|[+-]\\d{2}:?\\d{2}))*$`,
);
/** A date of JavaScript has a name in brackets behind it. */
const ZONE = /\s(?:GMT|UTC?)?([+-]\d{1,2}(?::?\d{2})?|(?!UHR)[A-Z]{3,4})(?:\s\([^()]*\))?$/;
/** 3:00 PM, 3 p. m., 午後3:00 */
const AFTER_NOON = /[\d\s]p\.?\s?m\b|午後|下午|오후/iu;
/** Behind minutes only: in other languages, `am` is a word. */
const BEFORE_NOON = /[:.h]\d{2}\s?a\.?\s?m\b|午前|上午|오전/iu;

/**
 * A date in words or in the order of a country, as RFC 2822 would write it, also a day that does not exist; null if it is
 * none. Which of two small numbers between slashes is the month cannot be known, so such a date is none either.
 */
export function localDate(text: string): string | null {
  const plain = normalized(text, "NFC");
  const found = partsOf(plain);
  if (found === null) return null;
  const { year, month, day, hour, minute = "00", second = "00" } = found;
  const hours = hour === undefined ? 0 : hourOfDay(Number(hour), plain);
  const zone = ZONE.exec(plain)?.[1] ?? "";
  return `${day} ${ENGLISH[month - 1]} ${year} ${String(hours).padStart(2, "0")}:${minute}:${second} ${zone}`;
}

/** With twelve hours, 12 is the first one of its half of the day. */
function hourOfDay(hour: number, text: string): number {
  if (AFTER_NOON.test(text)) return hour < 12 ? hour + 12 : hour;
  return hour === 12 && BEFORE_NOON.test(text) ? 0 : hour;
}

const ENGLISH = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

interface Parts {
  readonly year?: string;
  readonly month: number;
  readonly day: number;
  readonly hour?: string;
  readonly minute?: string;
  readonly second?: string;
}

function partsOf(text: string): Parts | null {
  for (const pattern of IN_WORDS) {
    const found = pattern.exec(text)?.groups;
    const month = monthOf(found?.["month"] ?? "");
    if (month !== null) return { ...found, month, day: Number(found?.["day"]) };
  }
  const found = NUMBERS.exec(text)?.groups;
  const [a, b] = [Number(found?.["first"]), Number(found?.["other"])];
  // With full stops, the day stands first everywhere.
  if (found?.["sign"] === "." || a > 12 || a === b) return { ...found, month: b, day: a };
  return b > 12 ? { ...found, month: a, day: b } : null;
}

let months: ReadonlyMap<string, number | null> | null = null;

/** By its number, or its name in a language, also shortened to three letters or more where that means one month only. */
function monthOf(name: string): number | null {
  if (/^\d+$/.test(name)) return Number(name);
  months ??= namesOfMonths();
  return months.get(folded(name)) ?? null;
}

/** The month of each name, in small letters; null: it means more than one. Takes long, and is always the same. */
export function namesOfMonths(): ReadonlyMap<string, number | null> {
  const names = new Map<string, number | null>();
  const beginnings = new Map<string, number | null>();
  const add = (to: Map<string, number | null>, name: string, month: number): void => {
    const known = to.get(name);
    if (name.length >= 3) to.set(name, known === undefined || known === month ? month : null);
  };
  for (const language of LANGUAGES)
    for (const length of ["long", "short"] as const) {
      const format = new Intl.DateTimeFormat(language, { day: "numeric", month: length, timeZone: "UTC" });
      const alone = new Intl.DateTimeFormat(language, { month: length, timeZone: "UTC" });
      for (let month = 1; month <= 12; month++)
        for (const one of [format, alone]) {
          const parts = one.formatToParts(Date.UTC(2026, month - 1));
          const name = folded(parts.find(({ type }) => type === "month")?.value ?? "");
          if (!/^\p{L}+$/u.test(name)) continue;
          add(names, name, month);
          add(beginnings, name.slice(0, 3), month);
        }
    }
  // `mar` is March in four languages, although November is `marraskuu` in another one.
  return new Map([...beginnings, ...names]);
}

function folded(name: string): string {
  return name.toLowerCase().replace(/\.$/, "");
}

const UNITS = {
  ...{ second: SECOND, minute: MINUTE, hour: HOUR, day: DAY, week: 7 * DAY, month: 30 * DAY },
  year: 365 * DAY,
} as const;
let agos: ReadonlyMap<string, number> | null = null;

/** How long ago it was, in milliseconds: `vor 3 Stunden`, `3 hours ago`. Null if it says something else. */
export function readAgo(text: string): number | null {
  const [, before = "", count = "", after = ""] = /^(\D{0,30})(\d{1,3})(\D{0,30})$/.exec(text.trim()) ?? [];
  agos ??= wordsOfAgo();
  const unit = agos.get(around(before, after));
  return unit === undefined ? null : Number(count) * unit;
}

/** A unit by the words around its number, in milliseconds. Takes long, and is always the same. */
export function wordsOfAgo(): ReadonlyMap<string, number> {
  const known = new Map<string, number>();
  for (const language of [...LANGUAGES, "ja", "ko", "zh"]) {
    const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
    // Many languages have a form for one, a form for a few, and one for many.
    for (const [unit, ms] of Object.entries(UNITS) as [keyof typeof UNITS, number][])
      for (const n of [1, 2, 3, 5, 20]) {
        const [before = "", after = ""] = format.format(-n, unit).split(String(n));
        known.set(around(before, after), ms);
      }
  }
  return known;
}

function around(before: string, after: string): string {
  return `${before.trim()} # ${after.trim()}`.toLowerCase();
}
