import { planOwnGroups } from "../../../src/monitor/polling/planner/own-groups.ts";
import type { PlannedGroup } from "../../../src/monitor/polling/planner/plan-calls.ts";
import { createRandom, type World } from "./world.ts";

/** A group of queries of the simulated account. `strangersPerMs`: rows of members that are not followed. */
export interface AccountGroup extends PlannedGroup {
  readonly strangersPerMs: number;
}

/**
 * Groups as people make them, one for a brand or a region: 10 to 200 queries, four in five queries in one of them, a
 * sixth in a second one. A fifth of the groups has members that are not followed, a tenth of its own number.
 */
export function naturalGroups(world: World, seed: number): AccountGroup[] {
  const random = createRandom(seed);
  const ids = world.queries.map((_, index) => String(index)).sort(() => random() - 0.5);
  const grouped = ids.slice(0, Math.floor(ids.length * 0.8));
  const groups: AccountGroup[] = [];
  const perQuery = world.perMinute / 60_000 / world.queries.length;
  for (let at = 0; at < grouped.length; ) {
    const size = Math.floor(10 * 20 ** random());
    const others = Array.from(
      { length: Math.floor(size / 6) },
      () => grouped[Math.floor(random() * grouped.length)] as string,
    );
    const strangers = random() < 0.2 ? Math.ceil(size / 10) : 0;
    const unknown = Array.from({ length: strangers }, (_, nth) => `stranger ${groups.length} ${nth}`);
    groups.push({
      groupId: String(groups.length),
      queryIds: [...new Set([...grouped.slice(at, at + size), ...others]), ...unknown],
      surplusRate: null,
      strangersPerMs: strangers * perQuery,
    });
    at += size;
  }
  return groups;
}

/** Groups that Earshot keeps in the account itself, if it may. */
export function ownGroups(world: World): AccountGroup[] {
  const ids = world.queries.map((_, index) => String(index));
  return planOwnGroups(ids, []).map((change, nth) => {
    const queryIds = change.outcome === "Create" ? change.queryIds : [];
    return { groupId: String(nth), queryIds, surplusRate: 0, strangersPerMs: 0 };
  });
}
