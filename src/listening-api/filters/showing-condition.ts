import { type DataPolicyName, withheldSources } from "../records/data-policy.ts";
import type { MentionCondition } from "./mention-condition.ts";

/**
 * For answers made of the values of a field over many mentions (hashtags, authors, links …): leaves out the mentions
 * that may not show it, so that no breakdown reveals what a record withholds. Empty if every source shows it.
 */
export function showingCondition(policy: DataPolicyName, field: string): MentionCondition | undefined {
  const values = withheldSources(policy, field);
  if (values.length === 0) return undefined;
  return { kind: "not", condition: { kind: "one-of", field: "pageType", values } };
}
