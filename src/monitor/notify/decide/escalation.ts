import { z } from "zod";
import { durationBetween } from "../../../lib/duration.ts";
import { DAY, type Instant } from "../../../lib/instant.ts";
import type { Alert } from "../../model/alert.ts";
import { AlertMatch, matchesAlert } from "../../model/alert-match.ts";
import type { EscalationTerms } from "./batch.ts";
import { onCall, type Rotation } from "./rotation.ts";

/** More rounds than this are a loop, not an escalation. */
const MOST_ROUNDS = 10;

/** Who else is notified of an unacknowledged alert. Steps count from when the alert began to need attention. */
export const EscalationConfig = z
  .strictObject({
    name: z.string().min(1).describe("Name of the escalation, shown as the cause of its messages."),
    match: AlertMatch.prefault({}).describe("The alerts that it is for. Default: every alert about a brand."),
    steps: z
      .array(
        z.strictObject({
          after: durationBetween(0, 7 * DAY).describe(
            "How long after the alert fired. Each step is later than the one before it. Example: 15m",
          ),
          receivers: z
            .array(z.string().min(1))
            .min(1, "name at least one receiver or rotation")
            .describe("Names of receivers or of rotations."),
        }),
      )
      .min(1, "name at least one step")
      .describe("Who is notified, and when, until somebody acknowledges the alert."),
    rounds: z
      .int()
      .min(1)
      .max(MOST_ROUNDS)
      .default(1)
      .describe("How often all steps run, 1 to 10. Each round notifies its receivers again."),
    roundEvery: durationBetween(0, 7 * DAY)
      .prefault("30m")
      .describe("From the last step of a round to the start of the next."),
  })
  .superRefine(({ steps, roundEvery, rounds }, context) => {
    steps.forEach(({ after }, index) => {
      const before = steps[index - 1]?.after;
      if (before !== undefined && after <= before) {
        context.addIssue({
          code: "custom",
          path: ["steps", index, "after"],
          message: "a step has to come later than the one before it; times count from the start",
        });
      }
    });
    if (rounds > 1 && roundEvery <= 0) {
      context.addIssue({ code: "custom", path: ["roundEvery"], message: "has to be longer than 0" });
    }
  });
export type EscalationConfig = z.infer<typeof EscalationConfig>;

/**
 * The steps of the first matching escalation, by receiver: the newest due step and the time of the next. Empty for an
 * alert that is resolved or acknowledged. A rotation is resolved for the moment of the step.
 */
export function escalationOf(
  policies: { readonly escalations: readonly EscalationConfig[]; readonly rotations: readonly Rotation[] },
  alert: Alert,
  startedAt: Instant,
  now: Instant,
): ReadonlyMap<string, EscalationTerms> {
  const found = policies.escalations.find(({ match }) => matchesAlert(match, alert));
  const reached = new Map<string, EscalationTerms>();
  if (found === undefined || alert.state !== "firing") return reached;
  for (const { at, receivers, by } of stepsOf(found, startedAt)) {
    for (const name of receivers) {
      const rotation = policies.rotations.find((one) => one.name === name);
      const receiver = rotation === undefined ? name : onCall(rotation, at);
      const before = reached.get(receiver);
      if (at <= now) reached.set(receiver, { reachedAt: at, nextAt: null, by });
      else if (before === undefined) reached.set(receiver, { reachedAt: null, nextAt: at, by });
      else if (before.nextAt === null) reached.set(receiver, { ...before, nextAt: at });
    }
  }
  return reached;
}

function stepsOf({ name, steps, rounds, roundEvery }: EscalationConfig, startedAt: Instant) {
  const roundMs = (steps.at(-1)?.after ?? 0) + roundEvery;
  return Array.from({ length: rounds }, (_, round) =>
    steps.map(({ after, receivers }, index) => ({
      at: startedAt + round * roundMs + after,
      receivers,
      by: `escalation ${name}, step ${index + 1}${rounds === 1 ? "" : ` of round ${round + 1}`}`,
    })),
  ).flat();
}
