import { toUSVString } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { storableJson } from "../../src/lib/json.ts";
import { cutText, nameSome, plainLine, startOf, storableText } from "../../src/lib/text.ts";

const anyText = fc.string({
  unit: fc.oneof(fc.constantFrom("\0", "\ud83d", "\udc00", "😀", "\\", "u0000", "ud83d", '"'), fc.string()),
});

test("JSON that is stored reads as what was given, with U+FFFD for what PostgreSQL refuses", () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: "binary" }), anyText, (value, text) => {
      const stored = storableJson({ value, text, [text]: text });
      expect(stored).not.toMatch(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/);
      const read = JSON.parse(stored) as Record<string, unknown>;
      expect(read["text"]).toBe(storableText(text));
      expect(read[storableText(text)]).toBe(storableText(text));
      if (!/\\u(?:0000|d)/.test(JSON.stringify(value)))
        expect(read["value"]).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test("the start of a text never ends with half a character, and is as long as it may be", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.nat(20), (text, most) => {
      const start = startOf(text, most);
      expect(toUSVString(start) === start).toBe(toUSVString(text) === text);
      expect(text.startsWith(start)).toBe(true);
      expect(start.length).toBeGreaterThanOrEqual(Math.min(text.length, most) - 1);
      expect(start.length).toBeLessThanOrEqual(most);
    }),
  );
  expect(startOf("ab😀", 3)).toBe("ab");
  expect(startOf("ab😀", 4)).toBe("ab😀");
  expect(startOf("ab\ud83d", 3)).toBe("ab\ud83d");
  expect(cutText("ab😀cd", 4)).toBe("ab…");
  expect(plainLine(`${"x".repeat(39)}😀`, 40)).toBe("x".repeat(39));
});

test("of several names the first three are shown, each cut between two characters", () => {
  expect(nameSome(["a", "b", "c"])).toBe("a, b, c");
  expect(nameSome(["a", "b", "c", "d", "e"])).toBe("a, b, c and 2 more");
  expect(nameSome(["x".repeat(60)])).toBe("x".repeat(60));
  expect(nameSome([`${"x".repeat(58)}😀yz`])).toBe(`${"x".repeat(58)}…`);
});
