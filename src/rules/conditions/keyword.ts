import { z } from "zod";
import { foldText } from "../../lib/text.ts";
import { defineCondition } from "../define-condition.ts";
import { isUnknown, lacks } from "../miss.ts";
import { listOf, Word } from "../params.ts";
import { searchableText } from "../searchable-text.ts";

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
 * more than one, and no mention can make it slow.
 */
export const keyword = defineCondition({
  type: "keyword",
  params: listOf(Keyword).describe(
    "Whole words or phrases in title or text, one or a list. Case and accents make no difference; * at the end stands for any ending. Example: [refund*, money back]",
  ),
  compile: (words) => {
    const byFolded = new Map(words.map((word) => [foldText(word), word]));
    const folded = [...byFolded.keys()].sort((a, b) => b.length - a.length || (a < b ? -1 : 1));
    const expression = new RegExp(folded.map((word) => `(${wholeWord(word)})`).join("|"), "u");
    const cheap = new RegExp(folded.map(wholeWord).join("|"), "u");
    const label =
      words.length === 1 ? `with the keyword "${words[0]}"` : `with one of ${words.length} keywords`;
    return {
      form: { keyword: [...folded].sort() },
      matches: (mention) => cheap.test(searchableText(mention)),
      explain: (mention) => {
        const groups = expression.exec(searchableText(mention))?.slice(1) ?? [];
        const found = folded[groups.findIndex((group) => group !== undefined)] ?? "";
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

/** Word bounds only for scripts with spaces between words; Chinese, Japanese, Thai and others have none. */
function wholeWord(word: string): string {
  const open = word.endsWith("*");
  const literal = open ? word.slice(0, -1) : word;
  const before = SPACED.test(literal.slice(0, 2)) ? "(?<![\\p{L}\\p{N}])" : "";
  const last = [...literal].at(-1) ?? "";
  const after = !open && SPACED_END.test(last) ? "(?![\\p{L}\\p{N}])" : "";
  return before + literal.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&") + after;
}

const UNSPACED =
  "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}";
const SPACED = new RegExp(`^(?![${UNSPACED}])[\\p{L}\\p{N}]`, "u");
const SPACED_END = SPACED;
