import { expect, test } from "vitest";
import { uuid7, uuid7Floor } from "../../src/lib/uuid7.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");

test("an id names its moment and its version", () => {
  const id = uuid7(NOON);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(NOON);
});

test("ids are in the order in which they were made, also if the clock does not move", () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => uuid7(NOON + Math.floor(i / 15_000)));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test("a moment before 1970 and a part of a millisecond give an id that is in order, too", () => {
  const ids = [-5, 0, 0.2, 0.7, NOON + 0.1, NOON + 0.6, NOON + 1].map((at) => uuid7(at));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test("the bound of a moment lies between the ids before it and its own, and disturbs no order", () => {
  const before = uuid7(NOON - 1);
  const ids = [uuid7(NOON), uuid7(NOON)];
  const floor = uuid7Floor(NOON);
  ids.push(uuid7(NOON));
  expect(before < floor && floor <= (ids[0] ?? "")).toBe(true);
  expect(ids).toEqual([...ids].sort());
});

test("ids of one moment are in order although ids of others are made in between", () => {
  const ids = Array.from({ length: 1_000 }, (_, i) => {
    for (let other = 1; other <= i % 3; other++) uuid7(NOON + 1_000 * other);
    return uuid7(NOON);
  });
  expect(ids).toEqual([...ids].sort());
});
