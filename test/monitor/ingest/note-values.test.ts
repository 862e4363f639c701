import { expect, test } from "vitest";
import { DAY, HOUR, MINUTE } from "../../../src/lib/instant.ts";
import { noteValues, SERIES_ITSELF, type ValueUse } from "../../../src/monitor/ingest/note-values.ts";
import type { SeenValue } from "../../../src/monitor/model/judging.ts";

const NOON = Date.UTC(2026, 2, 2, 12);
const TERMS = { atLeast: 3, withinMs: DAY };

const use = (value: string, person: string, at: number): ValueUse => ({
  value,
  author: person,
  arrivedAt: NOON + at,
  eventAt: NOON + at,
});

function note(known: readonly SeenValue[], ...uses: ValueUse[]) {
  return noteValues("s", TERMS, known, uses);
}

test("a value is large with the author that makes it so, and grows while it is new", () => {
  const noted = note(
    [],
    use("#fail", "a", 0),
    use("#Fail", "b", MINUTE),
    use("#fail", "c", HOUR),
    use("#fail", "a", 2 * HOUR),
    use("#fail", "d", 2 * DAY),
  );
  expect(
    noted.large.map(({ use: { author: person }, authors, isFirst }) => [person, authors, isFirst]),
  ).toEqual([
    ["c", 3, true],
    ["a", 3, false],
  ]);
});

test("an author who uses it often counts once", () => {
  const uses = Array.from({ length: 50 }, (_, i) => use("#spam", "bot", i * MINUTE));
  expect(note([], ...uses).large).toEqual([]);
});

test("a value that was seen before is not new when it comes back, even if many use it", () => {
  const before = note([], use("#old", "a", 0)).seen;
  const uses = ["b", "c", "d", "e"].map((person) => use("#old", person, 3 * DAY));
  expect(note(before, ...uses).large).toEqual([]);
});

test("many pages give the same as one page", () => {
  const uses = ["a", "b", "c", "d"].map((person, i) => use("#fail", person, i * MINUTE));
  const [first, second] = [uses.slice(0, 2), uses.slice(2)];
  const stored = note([], ...first).seen;
  expect(note(stored, ...second).large).toEqual(note([], ...uses).large);
  expect(stored.find(({ value }) => value === SERIES_ITSELF)?.firstAt).toBe(NOON);
});
