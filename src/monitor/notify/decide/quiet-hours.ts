import { z } from "zod";
import type { Instant } from "../../../lib/instant.ts";
import { formatLocalTime, WEEKDAYS } from "../../../lib/local-time.ts";
import { MIDNIGHT_AFTER, rangeAt, weeklyRangeShape } from "../../../lib/weekly-range.ts";
import { compareSeverity, Severity } from "../../model/severity.ts";

/** Times of the week at which a receiver gets no messages. */
export const QuietHours = z
  .strictObject({
    ...weeklyRangeShape,
    breakThrough: z
      .union([Severity, z.literal("nothing")])
      .default("critical")
      .describe("This severity and higher ones are sent all the same."),
    notifyAfterwards: z
      .union([Severity, z.literal("nothing")])
      .default("warning")
      .describe("An alert of this severity or higher that fired and ended inside is sent when they end."),
  })
  .superRefine((hours, context) => {
    if (hours.from === hours.to || hours.from === MIDNIGHT_AFTER) {
      context.addIssue({
        code: "custom",
        path: ["from"],
        message: `the quiet hours would be empty; for whole days write from "00:00" to "24:00"`,
      });
    }
    if (hours.from === 0 && hours.to === MIDNIGHT_AFTER && new Set(hours.days).size === WEEKDAYS.length) {
      context.addIssue({
        code: "custom",
        path: ["days"],
        message: "the quiet hours would never end; leave out a day, or take the receiver out of the routes",
      });
    }
  });
export type QuietHours = z.infer<typeof QuietHours>;

/** The quiet hours in force, and when they end. */
export interface Quiet {
  readonly until: Instant;
  readonly hours: QuietHours;
}

/**
 * The quiet hours that hold an alert of this severity at `at`. Ranges that touch or overlap count as one: `until` is
 * the end of the last. Ranges that together never end give an `until` a week away, to check again.
 */
export function quietAt(ranges: readonly QuietHours[], severity: Severity, at: Instant): Quiet | null {
  const found = rangeAt(
    ranges.filter((hours) => !breaksThrough(hours, severity)),
    at,
  );
  return found && { until: found.until, hours: found.range };
}

/** `quiet hours 22:00–07:00 Europe/Berlin`, shown as the cause. */
export function describeQuietHours({ from, to, timezone }: QuietHours): string {
  return `quiet hours ${formatLocalTime(from)}–${formatLocalTime(to)} ${timezone}`;
}

function breaksThrough({ breakThrough }: QuietHours, severity: Severity): boolean {
  return breakThrough !== "nothing" && compareSeverity(severity, breakThrough) >= 0;
}
