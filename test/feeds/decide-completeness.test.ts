import { describe, expect, test } from "vitest";
import {
  decideCompleteness,
  decideInterval,
  isTeaser,
  pushedEveryMs,
  spanOf,
} from "../../src/feeds/common/decide-completeness.ts";
import { askedPause } from "../../src/feeds/common/rate-limit.ts";
import { countLanguages, describeLanguages } from "../../src/feeds/run/count-languages.ts";
import { DAY, HOUR, MINUTE } from "../../src/lib/instant.ts";

const now = Date.UTC(2026, 10, 23, 12);

describe("whether a document continues the one before", () => {
  const document = { coversMs: HOUR, oldestAt: now - HOUR };
  const fetched = {
    ...{ document, known: 0, added: 5, isBroken: false, unproven: 0 },
    ...{ readAt: now - 2 * HOUR, now },
  };
  test.each([
    ["none of its items is known", {}, "Gap"],
    ["one is known", { known: 1 }, "Overlaps"],
    ["it is read for the first time", { readAt: null }, "NothingToCompare"],
    ["it has nothing new", { added: 0 }, "NothingToCompare"],
    ["it breaks off before an item that is known", { isBroken: true }, "Unproven"],
    ["it breaks off behind one", { isBroken: true, known: 1 }, "Overlaps"],
    ["only items of one that broke off are known", { known: 3, unproven: 3 }, "Gap"],
    ["all its items are of one that broke off", { known: 3, unproven: 3, added: 0 }, "Gap"],
    ["items from before that are known, too", { known: 4, unproven: 3 }, "Overlaps"],
    ["as many are new as were unproven", { known: 3, unproven: 3, added: 3 }, "Gap"],
    ["it has one item, and that is new", { added: 1 }, "Gap"],
  ])("%s", (_name, more, outcome) => {
    expect(decideCompleteness({ ...fetched, ...more }).outcome).toBe(outcome);
  });

  test("the gap is from the last fetch to the oldest item", () => {
    expect(decideCompleteness(fetched)).toEqual({ outcome: "Gap", from: now - 2 * HOUR, to: now - HOUR });
    const undated = { ...fetched, document: { coversMs: null, oldestAt: null } };
    expect(decideCompleteness(undated)).toMatchObject({ from: now - 2 * HOUR, to: now });
    const endOf = (oldestAt: number) =>
      decideCompleteness({ ...fetched, document: { coversMs: HOUR, oldestAt } });
    expect(endOf(now - 3 * HOUR)).toMatchObject({ from: now - 2 * HOUR, to: now - 2 * HOUR });
    expect(endOf(now + HOUR)).toMatchObject({ from: now - 2 * HOUR, to: now });
  });
});

test.each([
  ["a document that covers days", 10 * MINUTE, { coversMs: 3 * DAY, isGap: false }, 10 * MINUTE],
  ["one that covers 15 minutes", 10 * MINUTE, { coversMs: 15 * MINUTE, isGap: false }, 5 * MINUTE],
  ["after a gap", 10 * MINUTE, { coversMs: 20 * MINUTE, isGap: true }, 5 * MINUTE],
  ["after a gap at once a minute", MINUTE, { coversMs: MINUTE, isGap: true }, MINUTE],
  ["after a gap, read more seldom than it is configured", HOUR, { coversMs: HOUR, isGap: true }, 10 * MINUTE],
  ["after a gap, read every odd number", 125_001, { coversMs: HOUR, isGap: true }, 62_501],
  ["one that covers no whole number of intervals", 10 * MINUTE, { coversMs: 300_002, isGap: false }, 100_001],
  ["back by no whole number", 100_003, { coversMs: DAY, isGap: false }, 120_004],
  ["slowly back", 5 * MINUTE, { coversMs: 3 * DAY, isGap: false }, 6 * MINUTE],
  ["without dates", 10 * MINUTE, { coversMs: null, isGap: false }, 10 * MINUTE],
])("%s, read every %i ms before, is read at its pace", (_name, beforeMs, more, everyMs) => {
  expect(decideInterval(10 * MINUTE, { beforeMs, ...more })).toBe(everyMs);
});

test("an interval is never longer than configured, nor shorter than a minute", () => {
  expect(decideInterval(30 * MINUTE, { coversMs: 0, beforeMs: MINUTE, isGap: false })).toBe(MINUTE);
  expect(decideInterval(2 * MINUTE, { coversMs: 9 * DAY, beforeMs: 2 * MINUTE, isGap: false })).toBe(
    2 * MINUTE,
  );
});

test.each([
  ["seldom", 10 * MINUTE, 9 * DAY, HOUR],
  ["seldom, where nobody knows what it covers", 10 * MINUTE, null, HOUR],
  ["before it turns over", 10 * MINUTE, 90 * MINUTE, 30 * MINUTE],
  ["before it turns over, to the millisecond", MINUTE, 400_001, 133_334],
  ["no more often than without its hub", 10 * MINUTE, 15 * MINUTE, 10 * MINUTE],
  ["no more often than without its hub, where that is seldom", 2 * HOUR, null, 2 * HOUR],
])("a document that is pushed is read %s", (_name, everyMs, coversMs, expected) => {
  expect(pushedEveryMs(everyMs, coversMs)).toBe(expected);
});

test("what a document covers: the time between dates that can be true", () => {
  expect(spanOf([now, null, now - HOUR, now - 2 * HOUR, 0, now + 2 * DAY], now)).toEqual({
    ...{ coversMs: 2 * HOUR, oldestAt: now - 2 * HOUR },
  });
  expect(spanOf([now - HOUR, now - 2 * HOUR], now)).toEqual({ coversMs: HOUR, oldestAt: now - 2 * HOUR });
  expect(spanOf([null, now], now)).toEqual({ coversMs: null, oldestAt: now });
  expect(spanOf([null], now)).toEqual({ coversMs: null, oldestAt: null });
  const [oldest, newest] = [now - 3_650 * DAY, now + DAY];
  expect(spanOf([oldest, oldest + 1, newest, newest + 1], now)).toEqual({
    ...{ coversMs: newest - oldest - 1, oldestAt: oldest + 1 },
  });
});

test("a document with texts of less than 300 characters has excerpts only", () => {
  const found = [null, 0, 200, 299, 300, 900].map((usualLength) => isTeaser({ usualLength }));
  expect(found).toEqual([false, true, true, true, false, false]);
});

test("a feed that declares another language than its texts are is told so, and no other", () => {
  const count = (languages: readonly (string | null)[], text = "x".repeat(200)) => {
    const counted = countLanguages();
    for (const language of languages) counted.add("en", { text, language });
    return describeLanguages(counted.count);
  };
  expect(count(["de", "de", "en", "de"])).toBe(
    "it declares the language en, and 3 of 4 texts are de: what the texts are counts",
  );
  expect([count(["de", "en", "en"]), count(["de", "de"]), count([null, null, null])]).toEqual([
    null,
    null,
    null,
  ]);
  const [enough, short] = [100, 99].map((length) => count(["de", "de", "de"], "x".repeat(length)));
  expect(enough).toContain("3 of 3 texts are de");
  expect(short).toBeNull();
  // The language of most texts, wherever it comes first; half of them are not most.
  expect(count(["fr", "de", "de", "de"])).toContain("3 of 4 texts are de");
  expect(count(["de", "de", "de", "fr"])).toContain("3 of 4 texts are de");
  expect(count(["de", "de", "en", "en"])).toBeNull();
  // What declares nothing, or has no language that anybody knows, says nothing.
  expect(count(["de", "de", null])).toBeNull();
  const undeclared = countLanguages();
  for (let n = 0; n < 3; n++) undeclared.add(null, { text: "x".repeat(200), language: "de" });
  expect(undeclared.count).toEqual({ texts: 0, other: new Map() });
});

test.each([
  ["retry-after of a day", { "retry-after": "86400" }, 24 * HOUR],
  ["retry-after of a week", { "retry-after": "604800" }, 24 * HOUR],
  ["Reddit's headers", { "x-ratelimit-remaining": "0.0", "x-ratelimit-reset": "287" }, 287_000],
  ["a moment that is soon", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "0" }, 1_000],
  ["hours", { "x-ratelimit-remaining": "0", "x-ratelimit-reset": "9000" }, HOUR],
  ["headers with blanks", { "x-ratelimit-remaining": " 0 ", "x-ratelimit-reset": " 60 " }, MINUTE],
  ["no moment", { "x-ratelimit-remaining": "0" }, null],
  ["a moment, and nobody knows how many calls are left", { "x-ratelimit-reset": "60" }, null],
  ["one call that is left", { "x-ratelimit-remaining": "1", "x-ratelimit-reset": "60" }, null],
  ["calls that are left", { "x-ratelimit-remaining": "12.0", "x-ratelimit-reset": "287" }, null],
])("a server that asks for a pause by %s gets it", (_name, headers: Record<string, string>, pauseMs) => {
  expect(askedPause((name) => headers[name] ?? null, now)).toBe(pauseMs);
});

test("a server is left alone while few calls are left, where its kind needs more than one", () => {
  const header = (left: string) => (name: string) =>
    ({ "x-ratelimit-remaining": left, "x-ratelimit-reset": "60" })[name] ?? null;
  expect([askedPause(header("2"), now, 2), askedPause(header("3"), now, 2)]).toEqual([MINUTE, null]);
});
