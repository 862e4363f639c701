import fc from "fast-check";
import { expect, test } from "vitest";
import { type OwnGroup, planOwnGroups } from "../../../../src/monitor/polling/planner/own-groups.ts";
import { runs } from "../../../runs.ts";

/** The groups after the changes. */
function afterChanges(groups: readonly OwnGroup[], wanted: readonly string[]): OwnGroup[] {
  const list = new Map(groups.map((group) => [group.groupId, group]));
  for (const [nth, change] of planOwnGroups(wanted, groups).entries()) {
    if (change.outcome === "Delete") list.delete(change.groupId);
    else if (change.outcome === "Update") list.set(change.groupId, change);
    else list.set(`new ${nth}`, { groupId: `new ${nth}`, queryIds: change.queryIds });
  }
  return [...list.values()];
}

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, nth) => String(from + nth));

test("a new query changes one group, and one that goes its own", () => {
  const groups = [
    { groupId: "a", queryIds: ids(0, 500) },
    { groupId: "b", queryIds: ids(500, 700) },
  ];
  expect(planOwnGroups(ids(0, 700), groups)).toEqual([]);
  expect(planOwnGroups(ids(0, 701), groups)).toEqual([
    { outcome: "Update", groupId: "b", queryIds: ids(500, 701) },
  ]);
  expect(planOwnGroups(ids(500, 700), groups)).toEqual([{ outcome: "Delete", groupId: "a" }]);
  expect(planOwnGroups([], groups).map(({ outcome }) => outcome)).toEqual(["Delete", "Delete"]);
});

test("whatever groups a kill has left: afterwards they name exactly the wanted queries, each once, and nothing is to do", () => {
  const group = fc.uniqueArray(fc.integer({ min: 0, max: 1_300 }), { maxLength: 700 });
  fc.assert(
    fc.property(fc.nat(1_200), fc.array(group, { maxLength: 4 }), (count, members) => {
      const groups = members.map((some, nth) => ({ groupId: String(nth), queryIds: some.map(String) }));
      const after = afterChanges(groups, ids(0, count));
      expect(after.flatMap(({ queryIds }) => queryIds).sort()).toEqual(ids(0, count).sort());
      for (const { queryIds } of after) expect(queryIds.length).toBeLessThanOrEqual(500);
      expect(planOwnGroups(ids(0, count), after)).toEqual([]);
    }),
    { numRuns: runs(30) },
  );
});
