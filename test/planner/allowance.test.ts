import { expect, test } from "vitest";
import { MINUTE, SECOND } from "../../src/lib/instant.ts";
import { PRIORITIES } from "../../src/model/call-budget.ts";
import { lanesOf, MOST_MEMBERS, mostMembers, spacingMs } from "../../src/planner/allowance.ts";

test.each([1, 2, 4, 5, 6, 30, 600, 10_000])(
  "with %i calls every lane has a place, and whoever comes first in the order reaches higher",
  (limit) => {
    const { of, usable } = lanesOf(limit);
    expect(usable).toBeLessThanOrEqual(limit);
    for (const priority of PRIORITIES) {
      expect(of[priority].from).toBeGreaterThanOrEqual(1);
      expect(of[priority].to).toBeGreaterThanOrEqual(of[priority].from);
    }
    const tops = PRIORITIES.map((priority) => of[priority].to);
    expect(tops).toEqual([...tops].sort((a, b) => b - a));
    expect(tops[0]).toBe(usable);
  },
);

test("where calls are scarce, as many queries share one as an address of 14 kB holds; else as many as any server takes", () => {
  const scarce = spacingMs({ limit: 30, periodMs: 10 * MINUTE }, "live");
  expect(mostMembers(10, scarce) * ("&queryId=".length + 10)).toBeLessThanOrEqual(14_000);
  expect(mostMembers(10, scarce)).toBeGreaterThan(700);
  expect(mostMembers(80, scarce)).toBe(MOST_MEMBERS);
  expect(mostMembers(10, SECOND)).toBe(MOST_MEMBERS);
});
