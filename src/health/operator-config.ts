import { z } from "zod";
import { Duration, durationBetween } from "../lib/duration.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../lib/instant.ts";

/** `operator` in `earshot.yaml`: who is notified about problems of Earshot itself, and when something is a problem. */
export const OperatorConfig = z
  .strictObject({
    /** Absent: the receivers of routes for critical alerts, else the first receiver. */
    receivers: z.array(z.string().min(1)).min(1).exactOptional(),
    /** The pause between reminders of an open problem. */
    repeatEvery: Duration.default(4 * HOUR),
    /** How far a query may lag. Longer by itself if the account is polled more slowly. */
    lag: durationBetween(SECOND, 30 * DAY).default(30 * MINUTE),
    /** How long the account may be over its rate limit. */
    rateLimited: durationBetween(SECOND, 30 * DAY).default(15 * MINUTE),
    /** How long a receiver may fail if a retry can help. If it cannot, it is reported at once. */
    receiverFails: durationBetween(SECOND, 30 * DAY).default(10 * MINUTE),
    /** How long due work may wait. */
    standstill: durationBetween(SECOND, 30 * DAY).default(5 * MINUTE),
    /** How late a digest may be. */
    digestLate: durationBetween(SECOND, 30 * DAY).default(15 * MINUTE),
    /** How long a query that is usually busy at this hour may be silent. */
    silence: durationBetween(SECOND, 30 * DAY).default(HOUR),
  })
  .refine((operator) => operator.repeatEvery > 0, {
    path: ["repeatEvery"],
    error: "has to be longer than 0",
  });
export type OperatorConfig = z.output<typeof OperatorConfig>;
