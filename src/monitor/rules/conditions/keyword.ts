import { z } from "zod";
import { groupBy } from "../../../lib/group-by.ts";
import { foldText } from "../../../lib/text.ts";
import { UNSPACED } from "../../../lib/unspaced-scripts.ts";
import type { Mention } from "../../model/mention.ts";
import { defineCondition } from "../define-condition.ts";
import { isUnknown, lacks } from "../miss.ts";
import { listOf, Word } from "../params.ts";

const Keyword = Word.pipe(
  z
    .string()
    .refine((word) => /[\p{L}\p{N}\p{S}]/u.test(foldText(word)), "expected a word with a letter or digit"),
).meta({
  type: ["string", "number"],
  pattern: "[\\p{L}\\p{N}\\p{S}]",
  patternErrorMessage: "expected a word with a letter or digit",
});

/**
 * `keyword: [lawsuit, "class action", recall*]`: whole words and phrases in the title or text, ignoring case and
 * accents; `*` at the end matches any ending. All of them form one expression of literals, so a thousand cost little
 * more than one, and no mention can make it slow. Classes such as WORD_LETTER make an expression large, so they stand in it
 * as seldom as possible, and most texts are only searched for the bare literals.
 */
export const keyword = defineCondition({
  type: "keyword",
  params: listOf(Keyword).describe(
    "Whole words or phrases in title or text, one or a list. Case and accents make no difference; * at the end stands for any ending. Example: [refund*, money back]",
  ),
  compile: (words) => {
    const byFolded = new Map(words.map((word) => [foldText(word), word]));
    const folded = [...byFolded.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    const literals = new RegExp(folded.map((word) => escaped(literalOf(word))).join("|"));
    const whole = new RegExp(wholeWords(folded), "v");
    const label =
      words.length === 1 ? `with the keyword "${words[0]}"` : `with one of ${words.length} keywords`;
    return {
      form: { keyword: [...folded].sort() },
      matches: (mention) => {
        const text = searchableText(mention);
        return literals.test(text) && whole.test(text);
      },
      explain: (mention) => {
        const text = searchableText(mention);
        const at = whole.exec(text)?.index ?? 0;
        const found = folded.find((word) => isWholeAt(word, text, at)) ?? "";
        return `with the keyword "${byFolded.get(found) ?? found}"`;
      },
      miss: ({ title, text }) =>
        title === null && text === null
          ? isUnknown("keyword", "its text is withheld by the source, so no keyword is found in it")
          : lacks(
              "keyword",
              words.length === 1
                ? `the keyword "${words[0]}" is not in its text`
                : `none of the ${words.length} keywords is in its text`,
            ),
      label,
      attribute: label,
    };
  },
});

function literalOf(word: string): string {
  return word.endsWith("*") ? word.slice(0, -1) : word;
}

function escaped(literal: string): string {
  return literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/**
 * A character inside a word: letters, digits, and the marks with which Hindi or Arabic writes its vowels. The marks that
 * only make an emoji or a keycap of a sign are none.
 */
const WORD_LETTER = String.raw`[[\p{L}\p{M}\p{N}]--[\ufe00-\ufe0f\u20d0-\u20ff]]`;

/** One expression for all words; those with the same bounds share them. */
function wholeWords(words: readonly string[]): string {
  const groups = groupBy(words, (word) => `${opens(word)} ${closes(word)}`);
  return [...groups.values()]
    .map((group) => {
      const [first = ""] = group;
      const any = group.map((word) => escaped(literalOf(word))).join("|");
      return `${opens(first) ? `(?<!${WORD_LETTER})` : ""}(?:${any})${closes(first) ? `(?!${WORD_LETTER})` : ""}`;
    })
    .join("|");
}

/** Whether this word, too, stands at this place, where a whole word begins. */
function isWholeAt(word: string, text: string, at: number): boolean {
  const literal = literalOf(word);
  if (!text.startsWith(literal, at)) return false;
  if (!closes(word)) return true;
  WORD_END.lastIndex = at + literal.length;
  return WORD_END.test(text);
}

const WORD_END = new RegExp(`(?!${WORD_LETTER})`, "vy");

/** Whether a letter before it makes it a part of another word: only in scripts with spaces between words. */
function opens(word: string): boolean {
  return SPACED.test(literalOf(word).slice(0, 2));
}

/**
 * Whether a letter behind it makes it a part of another word. Chinese, Japanese, Thai and others have no spaces, and Korean
 * words have their endings behind.
 */
function closes(word: string): boolean {
  return !word.endsWith("*") && !KOREAN.test(word) && SPACED.test([...word].at(-1) ?? "");
}

/** One sign alone would stand at the beginning of many words. */
const KOREAN = /\p{sc=Hangul}{2}$/u;

const SPACED = new RegExp(`^(?![${UNSPACED}])${WORD_LETTER}`, "v");

/** All rules judge a mention before the next one: its text is folded once for all of them. */
let last: Mention | null = null;
let folded = "";

/** Title and text of a mention, folded. */
export function searchableText(mention: Mention): string {
  if (mention === last) return folded;
  const { title, text } = mention;
  if (title === null || text === null) folded = foldText(title ?? text ?? "");
  else folded = `${foldText(title)} \n ${foldText(text)}`;
  last = mention;
  return folded;
}
