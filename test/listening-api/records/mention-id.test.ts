import { expect, test } from "vitest";
import { DAY, HOUR } from "../../../src/lib/instant.ts";
import { isInSample, mentionId } from "../../../src/listening-api/records/mention-id.ts";
import { resourceId, T0 } from "../fixture.ts";

const IDS = Array.from({ length: 4_000 }, (_, n) => resourceId(n));

test("ids are whole, each another one, the same for one mention, and grow from hour to hour", () => {
  const first = IDS.map((id) => mentionId(T0, id));
  expect(new Set(first).size).toBe(IDS.length);
  expect(IDS.map((id) => mentionId(T0 + HOUR - 1, id))).toEqual(first);
  expect(first.every(Number.isSafeInteger)).toBe(true);
  const next = IDS.map((id) => mentionId(T0 + HOUR, id));
  expect(Math.min(...next)).toBeGreaterThan(Math.max(...first));
  // Above 2^53 two of them could be the same number.
  expect(Number.isSafeInteger(mentionId(Date.parse("2088-12-31"), resourceId(1)))).toBe(true);
  expect(mentionId(DAY, resourceId(1))).toBeGreaterThanOrEqual(24 * 2 ** 33);
});

test("a sample has the share that was asked for, and all of every smaller one", () => {
  let smaller: readonly string[] = [];
  for (const percentage of [0.1, 1, 25, 50, 99]) {
    const kept = IDS.filter((id) => isInSample(id, percentage));
    const expected = (IDS.length * percentage) / 100;
    expect(Math.abs(kept.length - expected)).toBeLessThan(4 * Math.sqrt(expected) + 4);
    const keeps = new Set(kept);
    expect(smaller.filter((id) => !keeps.has(id))).toEqual([]);
    smaller = kept;
  }
  expect(IDS.filter((id) => isInSample(id, 100))).toHaveLength(IDS.length);
});
