import type { MentionCondition } from "../filters/mention-condition.ts";
import { DATA_POLICIES, type DataPolicy, type DataPolicyName } from "./data-policy.ts";

/**
 * For answers made of the values of a field over many mentions (hashtags, authors, links …): leaves out the mentions
 * that may not show it, so that no breakdown reveals what a record withholds. Empty if every source shows it.
 */
export function showingCondition(policy: DataPolicyName, field: string): MentionCondition | undefined {
  const values = withheldSources(policy, field);
  if (values.length === 0) return undefined;
  return { kind: "not", condition: { kind: "one-of", field: "pageType", values } };
}

/** Page types whose mentions do not show the field under the policy. */
function withheldSources(policy: DataPolicyName, field: string): string[] {
  const sources: DataPolicy = DATA_POLICIES[policy];
  return Object.keys(sources).filter((source) => sources[source]?.shows(field) === false);
}
