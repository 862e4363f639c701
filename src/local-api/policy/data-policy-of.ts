import { DATA_POLICIES, type DataPolicyName } from "./data-policy.ts";

/** The client tag that names the data policy of a client. */
const DATA_POLICY_TAG = "data.policy";

/**
 * The policy of a call: that of the project, else that of the client (its tag `data.policy`), else `full`. An unknown
 * name is read as `restricted`: a typing error must not show more than was meant.
 */
export function dataPolicyOf(
  client: { readonly tags: Readonly<Record<string, string>> },
  project: { readonly dataPolicy: string | null },
): DataPolicyName {
  const named = project.dataPolicy ?? client.tags[DATA_POLICY_TAG] ?? "full";
  return isDataPolicyName(named) ? named : "restricted";
}

function isDataPolicyName(name: string): name is DataPolicyName {
  return Object.hasOwn(DATA_POLICIES, name);
}
