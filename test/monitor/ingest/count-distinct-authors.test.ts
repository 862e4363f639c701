import fc from "fast-check";
import { expect, test } from "vitest";
import { HOUR, MINUTE } from "../../../src/lib/instant.ts";
import {
  countDistinctAuthors,
  type DistinctAuthorChange,
  distinctAuthorKey,
} from "../../../src/monitor/ingest/count-distinct-authors.ts";
import type { DistinctAuthor } from "../../../src/monitor/model/judging.ts";

const NOON = Date.UTC(2026, 2, 2, 12);

const said = (speaker: string, at: number, n: 1 | -1 = 1): DistinctAuthorChange => ({
  series: "s",
  speaker,
  arrivedAt: NOON + at,
  eventAt: NOON + at,
  n,
});

/** Changes page by page, each reading what the one before it stored. */
function inPages(pages: readonly (readonly DistinctAuthorChange[])[]) {
  const stored = new Map<string, DistinctAuthor>();
  let count = 0;
  for (const page of pages) {
    const keys = new Set(page.map(distinctAuthorKey).map(({ author: person, span }) => `${person} ${span}`));
    const known = [...stored].filter(([key]) => keys.has(key)).map(([, person]) => person);
    const counted = countDistinctAuthors(known, page);
    for (const person of counted.distinctAuthors) stored.set(`${person.author} ${person.span}`, person);
    for (const { n } of counted.counts) count += n;
  }
  return count;
}

test("one author of 500 mentions in two hours counts once, or twice if a span ends in between", () => {
  const changes = Array.from({ length: 500 }, (_, i) => said("story a", (i * 2 * HOUR) / 500));
  expect(inPages([changes])).toBeLessThanOrEqual(2);
  expect(inPages([changes.slice(0, 200), changes.slice(200)])).toBe(inPages([changes]));
});

test("five hundred people are five hundred distinct authors", () => {
  const changes = Array.from({ length: 500 }, (_, i) => said(`author ${i}`, i * 1_000));
  expect(inPages([changes])).toBe(500);
});

test("an author is subtracted with the last mention, from the bucket in which it was counted", () => {
  const first = countDistinctAuthors([], [said("a", 0), said("a", MINUTE)]);
  expect(first.counts).toEqual([{ series: "s", arrived: NOON, bucket: NOON, n: 1 }]);
  const less = countDistinctAuthors(first.distinctAuthors, [{ ...said("a", 0, -1), arrivedAt: NOON + HOUR }]);
  expect(less.counts).toEqual([]);
  const none = countDistinctAuthors(less.distinctAuthors, [
    { ...said("a", MINUTE, -1), arrivedAt: NOON + HOUR },
  ]);
  expect(none.counts).toEqual([{ series: "s", arrived: NOON + HOUR, bucket: NOON, n: -1 }]);
});

test("spans do not begin for everybody at the same moment", () => {
  const spans = Array.from({ length: 200 }, (_, i) => distinctAuthorKey(said(`author ${i}`, 0)).span);
  expect(new Set(spans).size).toBeGreaterThan(190);
});

test("the count of distinct authors does not depend on the order of mentions or on their pages", () => {
  const changes = fc.array(fc.tuple(fc.integer({ min: 0, max: 4 }), fc.integer({ min: 0, max: 30 * 60 })), {
    minLength: 1,
    maxLength: 40,
  });
  fc.assert(
    fc.property(changes, fc.integer({ min: 0, max: 40 }), (list, cut) => {
      const all = list.map(([speaker, minute]) => said(`author ${speaker}`, minute * MINUTE));
      const expected = new Set(
        all.map(distinctAuthorKey).map(({ author: person, span }) => `${person} ${span}`),
      ).size;
      expect(inPages([all])).toBe(expected);
      expect(inPages([all.toReversed().slice(0, cut), all.toReversed().slice(cut)])).toBe(expected);
      const back = all.map((change) => ({ ...change, n: -1 as const }));
      expect(inPages([all, back.slice(0, cut), back.slice(cut)])).toBe(0);
    }),
  );
});
