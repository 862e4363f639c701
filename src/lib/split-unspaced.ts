import { jpn, tha, zho } from "stopword";
import { foldText } from "./text.ts";
import { UNSPACED } from "./unspaced-scripts.ts";

/**
 * The words between which no blank stands, of two characters and more, and the text without them. The dictionaries of
 * Unicode cut them. These have few names; one in katakana is kept whole, and so is a hashtag, in the text.
 */
export function splitUnspaced(text: string): { readonly spaced: string; readonly unspaced: string[] } {
  const unspaced: string[] = [];
  const spaced = text.replaceAll(RUN, (run: string, at: number) => {
    if (run.startsWith("#")) return run;
    if (at < MOST_CUT) unspaced.push(...wordsOf(run.slice(0, MOST_CUT)));
    return "\n";
  });
  return { spaced, unspaced };
}

function wordsOf(run: string): string[] {
  return (run.match(KATAKANA_OR_NOT) ?? [])
    .flatMap((part) => (KATAKANA.test(part) ? [part] : Array.from(CUT.segment(part), (one) => one.segment)))
    .filter((word) => !ENDING.test(word));
}

/** To cut takes long: an article begins with what it is about. */
const MOST_CUT = 400;
/** It goes by the script, whatever the language. */
const CUT = new Intl.Segmenter("ja", { granularity: "word" });
const RUN = new RegExp(`#?[${UNSPACED}\\u30fc]{2,}`, "gu");
const KATAKANA = /^[\p{sc=Katakana}\u30fc]{2,}$/u;
const KATAKANA_OR_NOT = /[\p{sc=Katakana}\u30fc]+|[^\p{sc=Katakana}\u30fc]+/gu;
/** One sign says little alone, and what is hiragana only is mostly the end of a verb. */
const ENDING = /^(?:.|\p{sc=Hiragana}+)$/su;

/** Whether such a word says nothing of what a text is about; `folded` as by `foldText`. */
export function isSmallUnspaced(folded: string): boolean {
  return SMALL.has(folded);
}

const SMALL: ReadonlySet<string> = new Set([...jpn, ...zho, ...tha].map(foldText));
