import { z } from "zod";

/** What a person can do about an alert: from the page, a signed link, the shell or Slack. */
export const AlertAction = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("acknowledge") }),
  z.strictObject({ do: z.literal("assign"), to: z.string().trim().min(1).max(80) }),
  z.strictObject({ do: z.literal("resolve") }),
  z.strictObject({ do: z.literal("not-relevant") }),
]);
export type AlertAction = z.infer<typeof AlertAction>;

/** The reviewed alerts of a rule: the base of its precision. */
export interface RulePrecision {
  readonly rule: string;
  /** Alerts that fired. */
  readonly fired: number;
  /** Of those, how many somebody acknowledged, or resolved as relevant. */
  readonly relevant: number;
  readonly notRelevant: number;
}

/** `60% of 5 alerts that people judged were relevant; 12 fired in 30 days`, or that nobody has judged any. */
export function describePrecision({ fired, relevant, notRelevant }: RulePrecision, days: number): string {
  const judged = relevant + notRelevant;
  const share =
    judged === 0
      ? "nobody has said yet whether its alerts are relevant"
      : `${Math.round((100 * relevant) / judged)}% of the ${judged === 1 ? "one alert" : `${judged} alerts`} that people judged ${judged === 1 ? "was" : "were"} relevant`;
  return `${share}; ${fired} fired in ${days} days`;
}
