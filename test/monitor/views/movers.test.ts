import { expect, test } from "vitest";
import { buildMovers } from "../../../src/monitor/views/movers.ts";

const row = (value: string, negative: number, negativeBefore: number) =>
  ({ facet: "category", value, label: value, negative, negativeBefore }) as never;
const moved = (rows: never[], period: number, before: number) =>
  buildMovers(rows, { period, before }).map(({ value, share, shareBefore }) => [value, share, shareBefore]);

test("what moves the mood by a point is named, more or less, in the order of its rows", () => {
  const rows = [row("price", 30, 10), row("crew", 5, 20), row("app", 10, 10)];
  expect(moved(rows, 100, 200)).toEqual([
    ["price", 0.3, 0.05],
    ["crew", 0.05, 0.1],
    ["app", 0.1, 0.05],
  ]);
});

test("a whole point counts, wherever it lies, and less does not", () => {
  for (let n = 1; n <= 100; n++) {
    expect(moved([row("price", n, n - 1)], 100, 100)).toHaveLength(1);
    expect(moved([row("price", n - 1, n)], 100, 100)).toHaveLength(1);
    expect(moved([row("price", 10 * n, 10 * n - 9)], 1_000, 1_000)).toEqual([]);
  }
});

test("a period without mentions has no mood that could move", () => {
  expect(moved([row("price", 5, 0)], 100, 0)).toEqual([]);
  expect(moved([row("price", 0, 5)], 0, 100)).toEqual([]);
});
