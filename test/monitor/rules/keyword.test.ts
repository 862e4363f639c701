import fc from "fast-check";
import { expect, test } from "vitest";
import { foldText } from "../../../src/lib/text.ts";
import { keyword, searchableText } from "../../../src/monitor/rules/conditions/keyword.ts";
import { aMention } from "../../mention.ts";
import { runs } from "../../runs.ts";

const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;
const LETTER = /[\p{L}\p{N}]/u;

/** The first word of the longest that stands in the text as a whole one, place by place. */
function plainlyFound(words: readonly string[], text: string): string | undefined {
  const folded = words.map(foldText).sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
  const isSpaced = (letter: string | undefined) =>
    letter !== undefined && LETTER.test(letter) && !UNSPACED.test(letter);
  for (let at = 0; at < text.length; at++)
    for (const word of folded) {
      const literal = word.replace(/\*$/, "");
      if (!text.startsWith(literal, at)) continue;
      const before = [...text.slice(0, at)].at(-1) ?? "";
      const [after = ""] = text.slice(at + literal.length);
      if (isSpaced([...literal][0]) && LETTER.test(before)) continue;
      const hasEndings = word.endsWith("*") || /[가-힣]{2}$/.test(literal);
      if (!hasEndings && isSpaced([...literal].at(-1)) && LETTER.test(after)) continue;
      return word;
    }
  return undefined;
}

const letters = fc.constantFrom(..."abeéßÄ1 .-'東京カไทж환불$+");
const word = fc
  .tuple(fc.string({ unit: letters, minLength: 1, maxLength: 4 }), fc.boolean())
  .filter(([text]) => /[\p{L}\p{N}\p{S}]/u.test(foldText(text)))
  .map(([text, isOpen]) => (isOpen ? `${text}*` : text));

test("finds the same words in any text as a search place by place, and names the same", () => {
  fc.assert(
    fc.property(
      fc.array(word, { minLength: 1, maxLength: 6 }),
      fc.string({ unit: letters, maxLength: 30 }),
      fc.option(fc.string({ unit: letters, maxLength: 8 })),
      (words, text, title) => {
        const compiled = keyword.compile(words);
        if (!("predicate" in compiled)) throw new Error("the words are no keywords");
        const { matches, explain } = compiled.predicate;
        const mention = aMention({ title, text });
        const found = plainlyFound(words, searchableText(mention));
        expect(matches(mention)).toBe(found !== undefined);
        if (found === undefined) return;
        // The schema takes the blanks around a word away.
        const asWritten = words.findLast((one) => foldText(one) === found)?.trim();
        expect(explain(mention)).toBe(`with the keyword "${asWritten}"`);
      },
    ),
    { numRuns: runs(2_000) },
  );
});

test("a Korean word is found with its endings, and one sign alone is not", () => {
  const finds = (word: string, text: string) => {
    const compiled = keyword.compile([word]);
    return "predicate" in compiled && compiled.predicate.matches(aMention({ title: null, text }));
  };
  for (const text of ["환불을 요청", "환불", "환불은 없다", "전액 환불까지"])
    expect(finds("환불", text)).toBe(true);
  expect(finds("환불", "무환불")).toBe(false);
  expect(finds("전액 환불", "전액 환불을 요청")).toBe(true);
  expect([finds("김", "김 씨"), finds("김", "김치")]).toEqual([true, false]);
});
