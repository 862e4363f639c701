import fc from "fast-check";
import { expect, test } from "vitest";
import { fitsGlob } from "../../src/lib/patterns.ts";

test.each([
  ["*", "", true],
  ["*", "anything", true],
  ["", "", true],
  ["", "a", false],
  ["United", "united", true],
  ["United*", "United Airlines", true],
  ["United*", "The United", false],
  ["*air*", "Delta Air Lines", true],
  ["a*b*c", "aXbXbc", true],
  ["a*b*c", "aXbX", false],
  ["a?c", "abc", true],
  ["a?c", "ac", false],
  ["a?c", "a😡c", true],
  ["crisis.spike", "crisis-spike", false],
  ["(a+)+", "(a+)+", true],
])("%j fits %j: %s", (pattern, text, fits) => {
  expect(fitsGlob(pattern, text)).toBe(fits);
});

test("every text fits itself with any part of it replaced by a star", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(20), fc.nat(20), (text, a, b) => {
      const plain = text.replaceAll(/[*?]/g, "x");
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      expect(fitsGlob(`${plain.slice(0, from)}*${plain.slice(to)}`, plain)).toBe(true);
    }),
  );
});

test("a pattern made to take for ever does not", () => {
  expect(fitsGlob(`${"*a".repeat(100)}b`, "a".repeat(10_000))).toBe(false);
});
