import type { TopKey } from "../store/top-keys.ts";
import type { Axis, AxisKey } from "./axis.ts";
import type { AxisPlan } from "./read-axis.ts";

/** Completes a plan with the values that mentions have; `find` gives the most frequent ones. */
export async function findKeys(
  plan: AxisPlan,
  find: (plan: AxisPlan, limit: number, among: readonly string[] | undefined) => Promise<readonly TopKey[]>,
): Promise<Axis> {
  const needsNames = plan.nameField !== undefined && plan.keys.length > 0;
  const limit = plan.findUpTo + plan.keys.length;
  const among = plan.findUpTo > 0 ? undefined : plan.keys.map((key) => key.key);
  const found = plan.findUpTo > 0 || needsNames ? await find(plan, limit, among) : [];
  const names = new Map(found.map(({ key, name }) => [key, name]));
  const known = new Set(plan.keys.map((key) => key.key));
  const added = found.filter(({ key }) => !known.has(key)).slice(0, plan.findUpTo);
  const keys: AxisKey[] = [
    ...plan.keys.map((key) => ({ ...key, name: names.get(key.key) ?? key.name })),
    ...added.map(({ key, name }) => ({ key, id: key, name: name ?? key })),
  ];
  return { source: plan.source, keys };
}
