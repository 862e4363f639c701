import { expect, test } from "vitest";
import { uuid7 } from "../../src/lib/uuid7.ts";

const NOON = Date.parse("2026-03-01T12:00:00Z");

test("an id names its moment and its version", () => {
  const id = uuid7(NOON);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)).toBe(NOON);
});

test("ids are in the order in which they were made, also while the clock stands still", () => {
  const ids = Array.from({ length: 20_000 }, (_, i) => uuid7(NOON + Math.floor(i / 15_000)));
  expect(ids).toEqual([...ids].sort());
  expect(new Set(ids).size).toBe(ids.length);
});

test("given randomness gives the same id", () => {
  const random = Uint8Array.from({ length: 10 }, (_, i) => i);
  expect(uuid7(NOON, random)).toBe(uuid7(NOON, random));
});
