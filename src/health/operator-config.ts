import { z } from "zod";
import { Duration, durationBetween } from "../lib/duration.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../lib/instant.ts";

/** `operator` in `earshot.yaml`: who is told about Earshot's own troubles, and from when on something is one. */
export const OperatorConfig = z
  .strictObject({
    /** Absent: the receivers of routes for critical alerts, else the first receiver. */
    receivers: z.array(z.string().min(1)).min(1).exactOptional(),
    /** A trouble that goes on is told again. */
    repeatEvery: Duration.default(4 * HOUR),
    /** A query may lie so far behind the present. Longer on its own where the account is polled more slowly. */
    lag: durationBetween(SECOND, 30 * DAY).default(30 * MINUTE),
    /** The account may be over its rate limit for so long. */
    rateLimited: durationBetween(SECOND, 30 * DAY).default(15 * MINUTE),
    /** A receiver may fail for so long, where trying again can help. Where it cannot, it is told at once. */
    receiverFails: durationBetween(SECOND, 30 * DAY).default(10 * MINUTE),
    /** Work that is due may wait for so long. */
    standstill: durationBetween(SECOND, 30 * DAY).default(5 * MINUTE),
    /** A digest may be late by so much. */
    digestLate: durationBetween(SECOND, 30 * DAY).default(15 * MINUTE),
    /** A query that is usually busy at this hour may be silent for so long. */
    silence: durationBetween(SECOND, 30 * DAY).default(HOUR),
  })
  .refine((operator) => operator.repeatEvery > 0, {
    path: ["repeatEvery"],
    error: "has to be longer than nothing",
  });
export type OperatorConfig = z.output<typeof OperatorConfig>;
