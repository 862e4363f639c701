import { expect, test } from "vitest";
import { connectionLimit, OWN_DESCRIPTORS, readDescriptorLimit } from "../../src/lib/descriptors.ts";

const own = Object.values(OWN_DESCRIPTORS).reduce((sum, n) => sum + n, 0);
const BOTH = [
  { most: 1_000, share: 2 / 3 },
  { most: 500, share: 1 / 3 },
];

test("the limit is the first number of the line, and a usual one where a system says nothing", () => {
  const line = (soft: string) =>
    `Limit  Soft Limit  Hard Limit  Units\nMax processes  7  7  processes\nMax open files            ${soft}                1048576              files\n`;
  expect(readDescriptorLimit(line("1024"))).toBe(1_024);
  expect(readDescriptorLimit(line("unlimited"))).toBe(Number.MAX_SAFE_INTEGER);
  expect(readDescriptorLimit("")).toBe(1_024);
});

test.each([512, 1_024, 1_500, 4_096])(
  "of %i descriptors, both servers together leave those that the process needs itself",
  (limit) => {
    const held = BOTH.map((server) => connectionLimit(server, limit));
    expect(held.reduce((sum, n) => sum + n, 0) + own).toBeLessThanOrEqual(limit);
  },
);

test("many descriptors do not make a server hold more than it can answer, and few leave it some", () => {
  expect(BOTH.map((server) => connectionLimit(server, 1_048_576))).toEqual([1_000, 500]);
  expect(BOTH.map((server) => connectionLimit(server, 256))).toEqual([50, 50]);
});
