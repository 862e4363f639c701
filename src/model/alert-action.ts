import { z } from "zod";

/** What a person can do about an alert: from the page, a signed link, the shell or Slack. */
export const AlertAction = z.discriminatedUnion("do", [
  z.strictObject({ do: z.literal("acknowledge") }),
  z.strictObject({ do: z.literal("assign"), to: z.string().trim().min(1).max(80) }),
  z.strictObject({ do: z.literal("resolve") }),
  z.strictObject({ do: z.literal("not-relevant") }),
]);
export type AlertAction = z.infer<typeof AlertAction>;

/** How an alert and its rule stand after people have looked: the base of a rule's precision. */
export interface RulePrecision {
  readonly rule: string;
  /** Alerts that fired. */
  readonly fired: number;
  /** Of those, how many somebody took on, or ended, as worth telling. */
  readonly relevant: number;
  readonly notRelevant: number;
}
