import type { Instant } from "../../lib/instant.ts";
import { MINUTE } from "../../lib/instant.ts";
import { readDate } from "../../lib/read-date.ts";
import { localDate } from "./local-date.ts";

/** Names of zones that feeds use and RFC 2822 does not know. */
const ZONES: Readonly<Record<string, string>> = {
  ...{ CET: "+0100", CEST: "+0200", MET: "+0100", WET: "+0000", WEST: "+0100", BST: "+0100", EET: "+0200" },
  EEST: "+0300",
  MSK: "+0300",
  JST: "+0900",
  KST: "+0900",
  AEST: "+1000",
  AEDT: "+1100",
  // Most people who write it mean India.
  IST: "+0530",
  ...{ PKT: "+0500", WIB: "+0700", SGT: "+0800", HKT: "+0800", AWST: "+0800", NZST: "+1200", NZDT: "+1300" },
  ...{ SAST: "+0200", BRT: "-0300", AKST: "-0900", AKDT: "-0800", HST: "-1000" },
  Z: "+0000",
  UTC: "+0000",
};

/**
 * The moment that a feed names, in any of the usual forms and in the languages of `localDate`; null if it cannot be read.
 * Without a zone it is UTC. A wrong weekday is ignored.
 */
export function readFeedDate(text: string | null | undefined): Instant | null {
  const trimmed = (text ?? "").trim().slice(0, 100);
  if (trimmed === "") return null;
  return readPlain(trimmed) ?? readPlain(localDate(trimmed));
}

function readPlain(trimmed: string | null): Instant | null {
  if (trimmed === null) return null;
  const plain = toIso8601(trimmed)
    // Unix: `Mon Nov 23 10:00:00 GMT 2026`.
    .replace(
      /^(?:[A-Za-z]{3,9},?\s+)?([A-Za-z]{3,9})\s+(\d{1,2})\s+(\d{1,2}:\d{2}(?::\d{2})?)\s*([A-Z]{1,5}|[+-]\d{4})?\s+(\d{4})$/,
      (_all, month: string, day: string, time: string, zone: string | undefined, year: string) =>
        `${day} ${month} ${year} ${time}${zone === undefined ? "" : ` ${zone}`}`,
    )
    .replace(/^[A-Za-z]{3,9},?\s+(?=\d)/, "")
    // RFC 850: `Monday, 23-Nov-2026 10:00:00 GMT`.
    .replace(/^(\d{1,2})-([A-Za-z]{3})-(\d{2,4})\s/, "$1 $2 $3 ")
    .replace(/\s\([^()]*\)$/, "")
    .trimEnd()
    .replace(
      /\s(?:GMT|UTC?)?([+-])(\d{1,2})(?::?(\d{2}))?$/,
      (_all, sign: string, hours: string, minutes = "00") => ` ${sign}${hours.padStart(2, "0")}${minutes}`,
    )
    .replace(/\s([A-Z]{1,5})$/, (whole, zone: string) =>
      ZONES[zone] === undefined ? whole : ` ${ZONES[zone]}`,
    );
  return readDate(plain, {}) ?? readDate(`${plain} GMT`, {}) ?? readDate(trimmed, {}) ?? null;
}

/** Programs that fill a pattern write a 12-hour clock into ISO 8601, an hour of one digit, or a blank before the zone. */
function toIso8601(text: string): string {
  const [, day = "", sign = "", hour = "", rest = "", half = "", zone = ""] =
    /^(\d{4}-\d\d-\d\d)([T ])(\d{1,2})(:[\d:.]+)(?:\s?([AaPp])\.?[Mm]\.?)?(\s?\S*)$/.exec(text) ?? [];
  if (day === "") return text;
  const isAfterNoon = half.toLowerCase() === "p";
  const hours =
    half === "" || Number(hour) > 12 ? hour : String((Number(hour) % 12) + (isAfterNoon ? 12 : 0));
  // A zone behind a blank is read behind a time of SQL only.
  return `${day}${/^\s/.test(zone) ? " " : sign}${hours.padStart(2, "0")}${rest}${zone}`;
}

/** What a date is worth that its author has set: `dated`, or why the moment of the fetch stands in for it. */
export type DateDoubt = "dated" | "without a date" | "dated in the future" | "dated before the web";

/** Clocks of servers differ. */
const AHEAD_MS = 10 * MINUTE;
const WEB_BEGAN = Date.UTC(1995, 0, 1);

/**
 * The date of an item. A date that cannot be true (in the future, or that of an empty field) gives way to the moment at
 * which the item was fetched. A date years ago stays: such a mention counts for that time, and alerts nobody.
 */
export function decideDate(
  published: Instant | null,
  fetchedAt: Instant,
): { readonly at: Instant; readonly doubt: DateDoubt } {
  if (published === null) return { at: fetchedAt, doubt: "without a date" };
  if (published > fetchedAt + AHEAD_MS) return { at: fetchedAt, doubt: "dated in the future" };
  if (published < WEB_BEGAN) return { at: fetchedAt, doubt: "dated before the web" };
  return { at: Math.min(published, fetchedAt), doubt: "dated" };
}
