import fc from "fast-check";
import { expect, test } from "vitest";
import { coverQueries, type GroupOffer } from "../../../../src/monitor/polling/planner/cover-queries.ts";
import { runs } from "../../../runs.ts";

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, nth) => String(from + nth));
const group = (groupId: string, queryIds: readonly string[], surplusRows = 0): GroupOffer => {
  return { groupId, queryIds, surplusRows };
};

test("one id stands for all members of a group, and whoever is in none is named", () => {
  const cover = coverQueries(ids(0, 12), [group("a", ids(0, 5)), group("b", ids(5, 10))], 15);
  expect([...cover.groups]).toEqual([
    ["a", ids(0, 5)],
    ["b", ids(5, 10)],
  ]);
  expect(cover).toMatchObject({ singles: ["10", "11"], ids: 4, atLeast: 4 });
});

test("a group whose members later groups name as well is left out", () => {
  // Greedy takes the middle first, and then needs both sides anyway.
  const cover = coverQueries(
    ids(0, 12),
    [group("middle", ids(2, 10)), group("left", ids(0, 6)), group("right", ids(6, 12))],
    15,
  );
  expect([...cover.groups.keys()].sort()).toEqual(["left", "right"]);
});

test("a group for one wanted query is no better than the query itself", () => {
  expect(coverQueries(["1"], [group("a", ["1", "2", "3"])], 15)).toMatchObject({ singles: ["1"], ids: 1 });
});

test("a group brings unwanted rows as far as the ids that it saves are worth them", () => {
  const wanted = ids(0, 11);
  expect(coverQueries(wanted, [group("a", ids(0, 20), 150)], 15).ids).toBe(1);
  expect(coverQueries(wanted, [group("a", ids(0, 20), 151)], 15)).toMatchObject({ singles: wanted, ids: 11 });
});

const world = fc
  .record({
    queries: fc.integer({ min: 0, max: 40 }),
    groups: fc.array(
      fc.record({
        members: fc.uniqueArray(fc.integer({ min: 0, max: 50 }), { maxLength: 30 }),
        surplusRows: fc.constantFrom(0, 0, 20, 1_000),
      }),
      { maxLength: 12 },
    ),
  })
  .map(({ queries, groups }) => ({
    wanted: ids(0, queries),
    groups: groups.map(({ members, surplusRows }, nth) => group(`g${nth}`, members.map(String), surplusRows)),
  }));

test("every wanted query is named exactly once, by fewer ids than queries, and no cover beats the bound", () => {
  fc.assert(
    fc.property(world, ({ wanted, groups }) => {
      const cover = coverQueries(wanted, groups, 15);
      const named = [...cover.singles, ...[...cover.groups.values()].flat()];
      expect(named.sort()).toEqual([...wanted].sort());
      for (const [groupId, members] of cover.groups) {
        const { queryIds, surplusRows } = groups.find((one) => one.groupId === groupId) as GroupOffer;
        expect(queryIds).toEqual(expect.arrayContaining([...members]));
        expect(surplusRows).toBeLessThanOrEqual((queryIds.length - 1) * 15);
      }
      expect(cover.ids).toBe(cover.groups.size + cover.singles.length);
      expect(cover.ids).toBeLessThanOrEqual(wanted.length);
      expect(cover.atLeast).toBeLessThanOrEqual(smallest(wanted, groups));
      expect(smallest(wanted, groups)).toBeLessThanOrEqual(cover.ids);
    }),
    { numRuns: runs(200) },
  );
});

/** Tries all choices of groups that may be named. */
function smallest(wanted: readonly string[], groups: readonly GroupOffer[]): number {
  const members = groups
    .map(({ queryIds, surplusRows }) => ({ own: queryIds.filter((id) => wanted.includes(id)), surplusRows }))
    .filter(({ own, surplusRows }) => own.length > 1 && surplusRows <= (own.length - 1) * 15)
    .map(({ own }) => own);
  let best = wanted.length;
  for (let choice = 0; choice < 2 ** members.length; choice++) {
    const chosen = members.filter((_, nth) => (choice >> nth) & 1);
    best = Math.min(best, chosen.length + wanted.length - new Set(chosen.flat()).size);
  }
  return best;
}

test("whoever comes to a group or leaves it changes the cover by one id at most, if groups share no query", () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(sizes, fc.nat(), (lengths, pick) => {
      const ends = lengths.map((_, nth) => lengths.slice(0, nth + 1).reduce((total, one) => total + one, 0));
      const next = ends.at(-1) as number;
      const groups = ends.map((end, nth) => group(`g${nth}`, ids(ends[nth - 1] ?? 0, end)));
      const gone = String(pick % next);
      const without = groups.map((one) => ({ ...one, queryIds: one.queryIds.filter((id) => id !== gone) }));
      const [before, after] = [
        coverQueries(ids(0, next), groups, 15),
        coverQueries(ids(0, next), without, 15),
      ];
      expect(after.ids - before.ids).toBeGreaterThanOrEqual(0);
      expect(after.ids - before.ids).toBeLessThanOrEqual(1);
    }),
    { numRuns: runs(100) },
  );
});
