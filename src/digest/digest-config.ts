import { z } from "zod";
import { LocalTime, TimeZone, WEEKDAYS, Weekday } from "../lib/local-time.ts";
import { Patterns } from "../lib/patterns.ts";
import { parseCron } from "./cron.ts";

const DAY_EXPECTED = `expected a day of the week (${WEEKDAYS.join(", ")}) or of the month (1 to 31)`;

/** Language tag for dates. The words of a digest come from its templates. */
const Language = z.string().refine(isKnownLanguage, {
  error: ({ input }) =>
    `expected the tag of a language such as "en", "de" or "pt-BR", got "${String(input)}"`,
});

/** A reader of a digest: a receiver, and its own time zone and language if they differ from the digest's. */
const Subscriber = z.union([
  z
    .string()
    .min(1)
    .transform((name) => ({ name })),
  z.strictObject({
    name: z.string().min(1),
    timezone: TimeZone.exactOptional(),
    language: Language.exactOptional(),
  }),
]);
export type Subscriber = z.output<typeof Subscriber>;

/** An entry of `digests`: what is sent to whom, and when in the reader's local time. */
export const DigestConfig = z
  .strictObject({
    name: z.string().min(1),
    /** Minutes after local midnight, once parsed. */
    at: LocalTime.refine((minutes) => minutes < 24 * 60, `write "00:00" for midnight`).exactOptional(),
    timezone: TimeZone,
    every: z.enum(["day", "week", "month"]).exactOptional(),
    /** The day of the week, or of the month; a month without that day sends on its last. Monday, or the first. */
    on: z
      .union([Weekday, z.int().refine((day) => day >= 1 && day <= 31, DAY_EXPECTED)], { error: DAY_EXPECTED })
      .exactOptional(),
    /** `minute hour day-of-month month day-of-week`, instead of `at`, `every` and `on`. */
    cron: z
      .string()
      .superRefine((text, context) => {
        const read = parseCron(text);
        if (typeof read === "string") context.addIssue({ code: "custom", message: read });
      })
      .exactOptional(),
    language: Language.default("en"),
    /** Names or ids of queries. */
    queries: Patterns.default(["*"]),
    receivers: z.array(Subscriber).min(1, "a digest needs at least one receiver"),
    /** Send nothing for a period in which nothing happened. */
    skipQuiet: z.boolean().default(false),
  })
  .superRefine(({ at, every, on, cron }, context) => {
    const fault = (path: string, message: string) =>
      context.addIssue({ code: "custom", path: [path], message });
    if (cron !== undefined) {
      if (at !== undefined || every !== undefined || on !== undefined)
        fault("cron", "a cron line says it all; leave out `at`, `every` and `on`");
      return;
    }
    if (at === undefined) fault("at", `say when, by the reader's clock: at: "08:00", or a cron line`);
    const wanted = { day: "undefined", week: "string", month: "number" }[every ?? "day"];
    if (on === undefined || typeof on === wanted) return;
    fault(
      "on",
      {
        day: "a daily digest is sent every day; leave `on` out, or write `every: week`",
        week: `a weekly digest needs a day of the week: ${WEEKDAYS.join(", ")}`,
        month: "a monthly digest needs a day of the month: 1 to 31",
      }[every ?? "day"],
    );
  });
export type DigestConfig = z.infer<typeof DigestConfig>;

function isKnownLanguage(tag: string): boolean {
  try {
    return Intl.DateTimeFormat.supportedLocalesOf(tag).length > 0;
  } catch {
    return false;
  }
}
