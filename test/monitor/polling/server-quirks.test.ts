import { expect, test } from "vitest";
import { DAY } from "../../../src/lib/instant.ts";
import type { QuirkName, ServerQuirk } from "../../../src/monitor/model/server-quirk.ts";
import { isLastPage, type ShortPage } from "../../../src/monitor/polling/server-quirks.ts";

const NOW = Date.parse("2026-03-02T12:00:00Z");

function isLast(
  more: Partial<ShortPage>,
  known: Partial<Record<QuirkName, string>> = {},
  lastAt = NOW,
): boolean {
  const page = { rows: 30, sent: 30, total: null, fullest: 200, goOn: false, ...more };
  const quirks = Object.entries(known).map(([name, value]) => {
    const quirk = name as QuirkName;
    return [quirk, { quirk, value, ms: null, firstAt: lastAt, lastAt } satisfies ServerQuirk] as const;
  });
  return isLastPage(page, new Map(quirks), NOW);
}

test("a total that was seen to agree decides", () => {
  expect(isLast({ total: 30, fullest: 30 }, { total: "agrees" })).toBe(true);
  expect(isLast({ total: 31 }, { total: "agrees" })).toBe(false);
  expect(isLast({ total: 30, sent: 130, fullest: 30 }, { total: "agrees", "short-pages": "go-on" })).toBe(
    true,
  );
});

test("a total that is not known to agree speaks for more, and not for the end", () => {
  expect(isLast({ total: 31 })).toBe(false);
  expect(isLast({ total: 30, fullest: 30 })).toBe(false);
  expect(isLast({ total: 30 })).toBe(true);
});

test("a wrong total, or one that counts repeats, proves nothing", () => {
  expect(isLast({ total: 33 }, { total: "high" })).toBe(true);
  expect(isLast({ total: 30, fullest: 30 }, { total: "low" })).toBe(false);
  expect(isLast({ total: 31 }, { total: "agrees", "repeated-rows": "seen" })).toBe(true);
});

test("without a total a page is the last where fuller ones came, and none ever went on within a day", () => {
  expect(isLast({})).toBe(true);
  expect(isLast({ fullest: 30 })).toBe(false);
  expect(isLast({ goOn: true })).toBe(false);
  expect(isLast({}, { "short-pages": "go-on" })).toBe(false);
  expect(isLast({}, { "short-pages": "go-on" }, NOW - DAY)).toBe(true);
});
