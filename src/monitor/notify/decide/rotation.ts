import { z } from "zod";
import { DAY, type Instant } from "../../../lib/instant.ts";
import {
  instantOf,
  type LocalDate,
  LocalTime,
  localDateOf,
  plusDays,
  TimeZone,
  Weekday,
  weekdayOf,
} from "../../../lib/local-time.ts";

/** Receivers who take turns. Turns change at one local time, every day or on one day of the week. */
export const Rotation = z
  .strictObject({
    name: z
      .string()
      .min(1)
      .describe("Name of the rotation, for steps of escalations. Not the name of a receiver."),
    timezone: TimeZone.describe("Time zone of its turns, by its IANA name, such as Europe/Berlin."),
    every: z.enum(["day", "week"]).default("week").describe("How long a turn is."),
    on: Weekday.default("mon").describe("Day of the week on which the turn changes. For weekly turns."),
    at: LocalTime.prefault("09:00").describe("Local time at which the turn changes, in quotation marks."),
    from: z.iso
      .date("expected a date such as 2026-01-05")
      .prefault("2026-01-05")
      .describe("The day, or the week of this day, on which the first receiver of the list has its turn."),
    receivers: z
      .array(z.string().min(1))
      .min(1, "name at least one receiver")
      .describe("Names of the receivers who take turns, in order."),
  })
  .transform(({ from, ...rotation }) => ({ ...rotation, from: dateOf(from) }));
export type Rotation = z.output<typeof Rotation>;

/** Whose turn it is at `at`. A turn changes at the local time, across clock changes too. */
export function onCall(rotation: Rotation, at: Instant): string {
  const { receivers, every } = rotation;
  const days = daysBetween(handoverOn(rotation, rotation.from), lastHandover(rotation, at));
  const turns = Math.floor(days / (every === "week" ? 7 : 1));
  const index = ((turns % receivers.length) + receivers.length) % receivers.length;
  return receivers[index] ?? "";
}

/** The date of the newest handover that is not later than `at`. */
function lastHandover(rotation: Rotation, at: Instant): LocalDate {
  const today = localDateOf(at, rotation.timezone);
  const found = handoverOn(rotation, today);
  const isOver = instantOf(rotation.timezone, found, rotation.at) <= at;
  return isOver ? found : plusDays(found, rotation.every === "week" ? -7 : -1);
}

/** The day of handover in the week before and including this date; for a daily rotation the date itself. */
function handoverOn({ every, on }: Rotation, date: LocalDate): LocalDate {
  if (every === "day") return date;
  for (let back = 0; back < 7; back++) {
    const day = plusDays(date, -back);
    if (weekdayOf(day) === on) return day;
  }
  return date;
}

function daysBetween(from: LocalDate, to: LocalDate): number {
  return (Date.UTC(to.year, to.month - 1, to.day) - Date.UTC(from.year, from.month - 1, from.day)) / DAY;
}

function dateOf(text: string): LocalDate {
  const [year = 0, month = 1, day = 1] = text.split("-").map(Number);
  return { year, month, day };
}
