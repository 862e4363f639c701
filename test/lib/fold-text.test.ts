import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldText } from "../../src/lib/text.ts";
import { runs } from "../runs.ts";

/** Folded between Cyrillic letters, for which only the long way is right. */
function foldTheLongWay(text: string): string {
  return foldText(`ж${text}ж`).slice(1, -1);
}

function foldBetweenLetters(text: string): string {
  return foldText(`x${text}x`).slice(1, -1);
}

describe("folding", () => {
  it("gives the same for every single character, the short way and the long way", () => {
    for (let code = 0; code <= 0x10ffff; code++) {
      // Planes 4 to 13 hold no character.
      if (code === 0x40000) code = 0xe0000;
      const character = String.fromCodePoint(code);
      if (foldBetweenLetters(character) !== foldTheLongWay(character)) {
        expect.fail(`U+${code.toString(16)} is folded differently alone`);
      }
    }
  });

  it("gives the same for every text, the short way and the long way", () => {
    const letter = fc.constantFrom(
      ..."aZ é Ñ ß ı İ ǆ ´ ½ ª — ’ “ … 👏 😊 🇩🇪 ❤️ \u00ad\u200d\u200b\u2028\u0301\ud83d\ude00".split(""),
    );
    const text = fc.oneof(fc.string({ unit: letter }), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(text, (some) => {
        // A mark at the very start would join the letter before it, which differs between the two ways.
        fc.pre(!/^\p{M}/u.test(some));
        expect(foldBetweenLetters(some)).toBe(foldTheLongWay(some));
      }),
      { numRuns: runs(2_000) },
    );
  });
});
