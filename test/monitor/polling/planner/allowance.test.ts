import { expect, test } from "vitest";
import { MINUTE } from "../../../../src/lib/instant.ts";
import { PRIORITIES, type RateLimit } from "../../../../src/monitor/model/poll.ts";
import { MOST_IDS, mostIds, slotsOf } from "../../../../src/monitor/polling/planner/allowance.ts";

test.each([1, 2, 4, 5, 6, 30, 600, 10_000])(
  "with %i calls every priority has a slot, and a higher priority has more slots",
  (limit) => {
    const { of, usable } = slotsOf(limit);
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

test("in long rounds, as many queries share a call as fit into an address of 14 kB; else as many as any server accepts", () => {
  const [scarce, plenty] = [30, 600].map((limit) => ({ limit, periodMs: 10 * MINUTE })) as [
    RateLimit,
    RateLimit,
  ];
  for (const [polls, limit] of [
    [10, scarce],
    [2_000, plenty],
  ] as const) {
    expect(mostIds(10, polls, limit) * ("&queryId=".length + 10)).toBeLessThanOrEqual(14_000);
    expect(mostIds(10, polls, limit)).toBeGreaterThan(700);
    expect(mostIds(80, polls, limit)).toBe(MOST_IDS);
  }
  expect(mostIds(10, 400, plenty)).toBe(MOST_IDS);
});
