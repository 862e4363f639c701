import { z } from "zod";
import { formatNumber } from "../../lib/numbers.ts";
import type { MentionReach } from "./rule.ts";
import type { Limits, StepKind } from "./severity-steps.ts";

const AtLeast = (least: number) =>
  z
    .union(
      [
        z.number().min(least),
        z.strictObject({ atLeast: z.number().min(least).describe("This number or more.") }),
      ],
      { error: `expected a number of ${least} or more, such as { atLeast: ${Math.max(10, least)} }` },
    )
    .transform((value) => (typeof value === "number" ? value : value.atLeast));

/** The limits of a severity step on single mentions; all limits of one step must be reached. */
export const MentionLimits = z
  .strictObject({
    mentions: AtLeast(2).exactOptional().describe("Mentions of the alert so far. 2 or more."),
    followers: AtLeast(1)
      .exactOptional()
      .describe("Followers of the author of one mention. Example: 1000000"),
    reach: AtLeast(1).exactOptional().describe("Estimated readers of one mention. Example: 50000"),
    story: AtLeast(2).exactOptional().describe("Mentions of the same story within a day. 2 or more."),
  })
  .refine((limits) => Object.keys(limits).length > 0, "expected mentions, followers, reach or story")
  .meta({ minProperties: 1 });

/** `tree` is the rule's `when`, which may limit followers or readers itself. */
export function mentionSteps(tree: unknown): StepKind {
  return {
    what: "a rule on single mentions",
    limits: MentionLimits,
    own: rangesOf(tree, "atLeast"),
    most: rangesOf(tree, "atMost"),
    describe: ({ mentions, followers, reach, story }) =>
      [
        ...(mentions === undefined ? [] : [`at least ${formatNumber(mentions)} mentions`]),
        ...(followers === undefined ? [] : [`at least ${formatNumber(followers)} followers`]),
        ...(reach === undefined ? [] : [`at least ${formatNumber(reach)} estimated readers`]),
        ...(story === undefined ? [] : [`a story shared at least ${formatNumber(story)} times in a day`]),
      ].join(" and "),
  };
}

export function mentionReaches(facts: MentionReach, limits: Limits): boolean {
  return (["mentions", "followers", "reach", "story"] as const).every((key) => {
    const limit = limits[key];
    return limit === undefined || (facts[key] ?? Number.NEGATIVE_INFINITY) >= limit;
  });
}

/** The limits at the top of the rule's conditions, which every mention must keep. */
function rangesOf(tree: unknown, end: "atLeast" | "atMost"): Limits {
  if (typeof tree !== "object" || tree === null) return {};
  const limits: { followers?: number; reach?: number } = {};
  for (const [key, value] of Object.entries(tree)) {
    if (key === "all" && Array.isArray(value)) {
      for (const part of value) Object.assign(limits, rangesOf(part, end));
    } else if ((key === "followers" || key === "reach") && typeof value === "object" && value !== null) {
      const limit: unknown = (value as Record<string, unknown>)[end];
      if (typeof limit === "number") limits[key] = limit;
    }
  }
  return limits;
}
