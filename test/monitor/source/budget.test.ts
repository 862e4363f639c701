import { expect, test } from "vitest";
import { readBudget } from "../../../src/monitor/source/budget.ts";
import { waitForBudget } from "../../../src/monitor/source/refusal.ts";

const MINUTE = 60_000;

function headers(values: Record<string, string>): (name: string) => string | null {
  return (name) => values[name] ?? null;
}

test("the budget is read from its two headers", () => {
  expect(readBudget(headers({ "x-rate-limit": "30/10m", "x-rate-limit-used": "4" }))).toEqual({
    limit: 30,
    periodMs: 10 * MINUTE,
    used: 4,
  });
  expect(readBudget(headers({ "x-rate-limit": "600/10" }))).toEqual({
    limit: 600,
    periodMs: 10 * MINUTE,
    used: null,
  });
});

test.each(["", "30", "0/10m", "30/0m", "x/10m", "30/10d"])("%j is no budget", (value) => {
  expect(readBudget(headers({ "x-rate-limit": value }))).toBeNull();
});

test("without Retry-After the wait grows with the calls above the limit, up to the whole period", () => {
  const periodMs = 10 * MINUTE;
  expect(waitForBudget(null)).toBe(MINUTE);
  expect(waitForBudget({ limit: 30, periodMs, used: 30 })).toBe(MINUTE);
  expect(waitForBudget({ limit: 30, periodMs, used: 35 })).toBe(2 * MINUTE);
  expect(waitForBudget({ limit: 30, periodMs, used: 500 })).toBe(periodMs);
});
