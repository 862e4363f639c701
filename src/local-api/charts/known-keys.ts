import { WEEKDAYS } from "../../lib/local-time.ts";
import type { AxisKey } from "./axis.ts";

export const FLAG_KEYS: readonly AxisKey[] = [
  { key: "true", id: "true", name: "true" },
  { key: "false", id: "false", name: "false" },
];

const WEEKDAY_NAMES = {
  mon: "Monday",
  tue: "Tuesday",
  wed: "Wednesday",
  thu: "Thursday",
  fri: "Friday",
  sat: "Saturday",
  sun: "Sunday",
} as const;

/** Hours of the day, and days of the week as ISO 8601 counts them. */
export const CLOCK_KEYS: Readonly<Record<"hourOfDay" | "dayOfWeek", readonly AxisKey[]>> = {
  hourOfDay: Array.from({ length: 24 }, (_, hour) => ({ key: String(hour), id: hour, name: String(hour) })),
  dayOfWeek: WEEKDAYS.map((day, index) => ({
    key: String(index + 1),
    id: index + 1,
    name: WEEKDAY_NAMES[day],
  })),
};
