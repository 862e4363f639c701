import fc from "fast-check";
import { expect, test } from "vitest";
import { withoutHalfWord } from "../../src/lib/text.ts";

test.each([
  ["Northwind grounds all fli", "g", "Northwind grounds all"],
  ["Northwind grounds all", " ", "Northwind grounds all"],
  ["Northwind grounds all ", "f", "Northwind grounds all"],
  // A word that is longer than half of the text, or no word at all, is cut.
  ["short https://a.example/very-long-add", "r", "short https://a.example/very-long-add"],
  ["no wo", "r", "no"],
  ["Fundamental", "s", "Fundamental"],
  ["航班取消没有人接电话", "了", "航班取消没有人接电话"],
  ["", "x", ""],
])("%j before %j becomes %j", (head, rest, expected) => {
  expect(withoutHalfWord(head, rest)).toBe(expected);
});

test("it is the beginning of the text, at least half of it, and loses no whole word", () => {
  fc.assert(
    fc.property(fc.lorem({ maxCount: 30 }), fc.nat(), (text, n) => {
      const end = n % (text.length + 1);
      const cut = withoutHalfWord(text.slice(0, end), text.slice(end, end + 1));
      expect(text.startsWith(cut)).toBe(true);
      expect(cut.length).toBeGreaterThanOrEqual(Math.floor(text.slice(0, end).trimEnd().length / 2));
      const whole = text.slice(0, end).split(" ").slice(0, -1).join(" ");
      expect(cut.length).toBeGreaterThanOrEqual(whole.trimEnd().length);
    }),
  );
});
