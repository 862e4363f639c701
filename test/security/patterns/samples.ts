import { splitWords, WORD_WITH_WILDCARDS } from "../../../src/listening-api/query-language/split-words.ts";
import { keyword } from "../../../src/monitor/rules/conditions/keyword.ts";
import { redact } from "../../../src/monitor/source/refusal.ts";
import { aMention } from "../../mention.ts";

/** An expression that is made of text while the program runs, as it is used: the characters to feed it with, and how. */
export interface Sample {
  readonly characters: string;
  readonly run: (text: string) => void;
}

const WORDS = "aA0_*?中あー\u0301\u200d\ufe0f\u{1f600}\u{1f1e9}";

const compiled = keyword.compile(["ab", "aab*", "中文", "a.b"]);
if ("issues" in compiled) throw new Error("the keywords of the sample have faults");
const { predicate } = compiled;
const words: Sample = {
  characters: "ab.中文 ",
  run: (text) => {
    const mention = aMention({ text });
    predicate.matches(mention);
    predicate.explain(mention);
  },
};

/** Each `RegExp(…)` of the product. A new one has to be written here, with a sample of how it is used. */
export const SAMPLES: Readonly<Record<string, Sample>> = {
  'src/listening-api/query-language/split-words.ts: RegExp( `(?<![*?])[*?]*(?:${LETTER}(?:${INSIDE}|[*?])*|${ONE_CHARACTER}[*?]*|${EMOJI})`, "gv", )':
    {
      characters: WORDS,
      run: (text) => {
        for (const _ of text.matchAll(WORD_WITH_WILDCARDS));
      },
    },
  'src/listening-api/query-language/split-words.ts: RegExp(`${LETTER}(?:${INSIDE})*|${ONE_CHARACTER}|${EMOJI}`, "gv")':
    {
      characters: WORDS,
      run: splitWords,
    },
  // Of the first letter of a word only.
  'src/monitor/rules/conditions/keyword.ts: RegExp(`^(?![${UNSPACED}])[\\\\p{L}\\\\p{N}]`, "u")': words,
  'src/monitor/rules/conditions/keyword.ts: RegExp(folded.map((word) => escaped(literalOf(word))).join("|"))':
    words,
  'src/monitor/rules/conditions/keyword.ts: RegExp(wholeWords(folded), "u")': words,
  // A literal, whatever the secret is.
  'src/monitor/source/refusal.ts: RegExp(escapeForPattern(form), "gi")': {
    characters: "ab+(*",
    run: (text) => redact(text, ["aaab", "(a+)+$"]),
  },
};
