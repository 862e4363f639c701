import { z } from "zod";
import { LocalTime, TimeZone, WEEKDAYS, Weekday } from "../../lib/local-time.ts";
import { Patterns } from "../../lib/patterns.ts";
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
    name: z.string().min(1).describe("Name of the receiver."),
    timezone: TimeZone.exactOptional().describe(
      "Time zone of this reader, who gets an edition at the same local time. Default: that of the digest.",
    ),
    language: Language.exactOptional().describe(
      "Language of dates for this reader, such as de or pt-BR. Default: that of the digest.",
    ),
  }),
]);

/** An entry of `digests`: what is sent to whom, and when in the reader's local time. */
export const DigestConfig = z
  .strictObject({
    name: z.string().min(1).describe("Name of the digest, which its subject line shows."),
    /** Minutes after local midnight, once parsed. */
    at: LocalTime.refine((minutes) => minutes < 24 * 60, `write "00:00" for midnight`)
      .exactOptional()
      .describe(
        'Local time at which it is sent, in quotation marks, such as "08:00". Required without cron.',
      ),
    timezone: TimeZone.describe("Time zone of the reader, by its IANA name, such as Europe/Berlin."),
    every: z.enum(["day", "week", "month"]).exactOptional().describe("How often it is sent. Default: day."),
    on: z
      .union([Weekday, z.int().refine((day) => day >= 1 && day <= 31, DAY_EXPECTED)], { error: DAY_EXPECTED })
      .exactOptional()
      .describe(
        "Day of the week (mon to sun) for a weekly digest, or of the month (1 to 31; a shorter month sends on its last day). Default: mon, or 1.",
      ),
    cron: z
      .string()
      .superRefine((text, context) => {
        const read = parseCron(text);
        if (typeof read === "string") context.addIssue({ code: "custom", message: read });
      })
      .exactOptional()
      .describe(
        'Times as "minute hour day-of-month month day-of-week", instead of at, every and on. Example: "30 8,17 * * mon-fri"',
      ),
    language: Language.default("en").describe("Language of dates: a tag such as en, de or pt-BR."),
    queries: Patterns.default(["*"]).describe(
      "Names of the queries that it covers, where * and ? are wildcards, or ids. Default: all.",
    ),
    receivers: z
      .array(Subscriber)
      .min(1, "a digest needs at least one receiver")
      .describe("Who gets it: names of receivers, or a name with a time zone and a language of its own."),
    skipQuiet: z
      .boolean()
      .default(false)
      .describe("true: sends nothing for a time in which nothing happened."),
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
    const type = { day: "undefined", week: "string", month: "number" }[every ?? "day"];
    if (on === undefined || typeof on === type) return;
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
