import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../../src/lib/instant.ts";
import { findProblems } from "../../../../src/monitor/health/checks.ts";
import { aLine, aQuery, NOW, SETTINGS } from "../pipeline.ts";

const rules = (changes: Parameters<typeof aLine>[0]) =>
  findProblems(aLine(changes), SETTINGS).map(({ rule, because }) => [rule, because.split(". ")[0]]);

test("a clock that jumps is the problem, and not the queue that seems to have stood still", () => {
  const seems = { lastJobAgoMs: 2 * HOUR, upForMs: 3 * HOUR };
  expect(rules({ ...seems, jumpedMs: 2 * HOUR })).toEqual([
    ["clock-jumped", "the clock of this machine jumped forward by 2h"],
  ]);
  expect(rules({ ...seems, jumpedMs: -2 * HOUR })[0]).toEqual([
    "clock-jumped",
    "the clock of this machine jumped back by 2h",
  ]);
});

test("moments that are still to come show that a clock was ahead", () => {
  const ahead = { progress: [aQuery({ polledAt: NOW + 115 * MINUTE })] };
  expect(rules(ahead)).toEqual([
    [
      "clock-jumped",
      "a clock was ahead by 1h 55m and was set back: queries count as read up to a time that is still to come",
    ],
  ]);
});

test("a correction of a minute is no jump yet", () => {
  expect(rules({ jumpedMs: MINUTE })).toEqual([]);
  expect(rules({ jumpedMs: -MINUTE - 1 })).toHaveLength(1);
});

test("clocks of two machines that differ a little are no problem", () => {
  expect(rules({ jumpedMs: 20_000, progress: [aQuery({ polledAt: NOW + 20_000 })] })).toEqual([]);
});
