import { z } from "zod";
import { LocalTime, TimeZone, WEEKDAYS, Weekday } from "../lib/local-time.ts";
import { Patterns } from "../lib/patterns.ts";

const DAY_EXPECTED = `expected a day of the week (${WEEKDAYS.join(", ")}) or of the month (1 to 31)`;

/** An entry of `digests`: what is sent to whom, and when by the clock on the reader's wall. */
export const DigestConfig = z
  .strictObject({
    name: z.string().min(1),
    /** Minutes after local midnight, once parsed. */
    at: LocalTime.refine((minutes) => minutes < 24 * 60, `write "00:00" for midnight`),
    timezone: TimeZone,
    every: z.enum(["day", "week", "month"]).default("day"),
    /** The day of the week, or of the month; a month without that day sends on its last. Monday, or the first. */
    on: z
      .union([Weekday, z.int().refine((day) => day >= 1 && day <= 31, DAY_EXPECTED)], { error: DAY_EXPECTED })
      .exactOptional(),
    /** Names or ids of queries. */
    queries: Patterns.default(["*"]),
    receivers: z
      .array(z.string().min(1))
      .min(1, "a digest needs at least one receiver, else nobody would read it"),
    /** Send nothing about a period in which nothing happened. */
    skipQuiet: z.boolean().default(false),
  })
  .superRefine(({ every, on }, context) => {
    const wanted = { day: "undefined", week: "string", month: "number" }[every];
    if (on === undefined || typeof on === wanted) return;
    context.addIssue({
      code: "custom",
      path: ["on"],
      message: {
        day: "a daily digest is sent every day; leave `on` out, or write `every: week`",
        week: `a weekly digest needs a day of the week: ${WEEKDAYS.join(", ")}`,
        month: "a monthly digest needs a day of the month: 1 to 31",
      }[every],
    });
  });
export type DigestConfig = z.infer<typeof DigestConfig>;
