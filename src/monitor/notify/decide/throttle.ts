import { z } from "zod";
import { durationBetween } from "../../../lib/duration.ts";
import { DAY, MINUTE, SECOND } from "../../../lib/instant.ts";
import { compareSeverity, Severity } from "../../model/severity.ts";

/**
 * The most messages that a receiver gets in a period. An alert beyond that waits for the next free slot and is then
 * sent in its state of that time, so that three changes become one message and none is lost.
 */
export const Throttle = z
  .strictObject({
    atMost: z
      .int()
      .positive()
      .describe("The most messages in the time. The last one covers everything that waits."),
    per: durationBetween(SECOND, 30 * DAY).describe("The time in which they are counted, such as 1h."),
    breakThrough: z
      .union([Severity, z.literal("nothing")])
      .default("critical")
      .describe("This severity and higher ones do not wait."),
  })
  .transform(({ per, ...throttle }) => ({ ...throttle, perMs: per }));
export type Throttle = z.infer<typeof Throttle>;

/** The default for a person: far more than anybody reads, far less than a storm. */
export const STORM_THROTTLE: Throttle = { atMost: 10, perMs: 10 * MINUTE, breakThrough: "critical" };

export function breaksThrough({ breakThrough }: Throttle, severity: Severity): boolean {
  return breakThrough !== "nothing" && compareSeverity(severity, breakThrough) >= 0;
}
