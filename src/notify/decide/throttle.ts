import { z } from "zod";
import { durationBetween } from "../../lib/duration.ts";
import { DAY, MINUTE, SECOND } from "../../lib/instant.ts";
import { compareSeverity, Severity } from "../../model/severity.ts";

/**
 * The most that a receiver is told in a time. What comes on top waits for the next free place and is then told as it
 * stands, so that three changes of one alert become one message and none is lost.
 */
export const Throttle = z
  .strictObject({
    atMost: z.int().positive(),
    per: durationBetween(SECOND, 30 * DAY),
    /** This severity and graver ones do not wait for a place. They take one all the same. */
    breakThrough: z.union([Severity, z.literal("nothing")]).default("critical"),
  })
  .transform(({ per, ...throttle }) => ({ ...throttle, perMs: per }));
export type Throttle = z.infer<typeof Throttle>;

/** Of a person for whom nothing is configured: far more than anybody reads, far less than a storm. */
export const STORM_THROTTLE: Throttle = { atMost: 10, perMs: 10 * MINUTE, breakThrough: "critical" };

export function breaksThrough({ breakThrough }: Throttle, severity: Severity): boolean {
  return breakThrough !== "nothing" && compareSeverity(severity, breakThrough) >= 0;
}
