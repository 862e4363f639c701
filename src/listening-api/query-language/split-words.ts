import { foldText, normalized } from "../../lib/text.ts";
import { UNSPACED } from "../../lib/unspaced-scripts.ts";

/** A word of a text: its position and how it is compared. */
export interface Word {
  readonly start: number;
  readonly end: number;
  /** Without case and accents. */
  readonly folded: string;
  /**
   * Counts words as people do, from 0: the parts of `wendy's`, `4.5` and `t.co` share a number, so that distances do
   * not grow with apostrophes, while `wendy` is still found.
   */
  readonly place: number;
}

/**
 * The words of a text in its order, for queries and mentions alike. A word is a run of letters, digits and `_`; in
 * scripts that put no spaces between words every character is one, and so is every emoji. Signs are not words: see
 * `significantSigns`.
 */
export function splitWords(text: string): Word[] {
  const words: Word[] = [];
  const pattern = ASCII.test(text) ? ASCII_WORD : ANY_WORD;
  let place = -1;
  let before = "";
  let endBefore = -1;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const start = found.index;
    const word = found[0];
    if (!isOneWord(before, text, endBefore, start, word)) place++;
    before = word;
    endBefore = start + word.length;
    words.push({ start, end: endBefore, folded: foldWord(word), place });
  }
  return words;
}

const ASCII = /^[\0-\x7f]*$/;
const ASCII_WORD = /[A-Za-z0-9_]+/g;

/** The long-vowel mark of kana belongs to no script. */
const UNSPACED_SIGNS = `${UNSPACED}\\u30fc`;
const LETTER = `[[\\p{L}\\p{N}_]--[${UNSPACED_SIGNS}]]`;
const EMOJI_PART = "\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?";
const EMOJI = `\\p{Regional_Indicator}{2}|${EMOJI_PART}(?:\\u200d${EMOJI_PART})*`;
const ONE_CHARACTER = `[[\\p{L}\\p{N}]&&[${UNSPACED_SIGNS}]]\\p{M}*`;
/** Where a line may be broken (soft hyphens of news), and where letters are not joined, a word goes on. */
const INSIDE = `${LETTER}|\\p{M}|[\\u00ad\\u200c\\u200d\\u2060](?=\\p{L})`;

const ANY_WORD = new RegExp(`${LETTER}(?:${INSIDE})*|${ONE_CHARACTER}|${EMOJI}`, "gv");

/**
 * The same words with `*` and `?` in, before or after them. A run of wildcards is tried from its beginning only: tried
 * from each of them, time would grow with the square of the run.
 */
export const WORD_WITH_WILDCARDS = new RegExp(
  `(?<![*?])[*?]*(?:${LETTER}(?:${INSIDE}|[*?])*|${ONE_CHARACTER}[*?]*|${EMOJI})`,
  "gv",
);

const DIGIT_END = /\p{N}$/u;
const DIGIT_START = /^\p{N}/u;

function isOneWord(before: string, text: string, endBefore: number, start: number, word: string): boolean {
  if (start - endBefore !== 1) return false;
  const between = text[endBefore] ?? "";
  if (!"'’.,".includes(between)) return false;
  const digits = DIGIT_END.test(before);
  if (digits !== DIGIT_START.test(word)) return false;
  return between !== "," || digits;
}

/**
 * Without case and accents, ß as ss; an emoji without the mark for its coloured form, and without its skin tone: the
 * plain one matches all of them, as a letter does for its accents.
 */
export function foldWord(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return foldText(word).replaceAll(COLOURS, "").replaceAll("ß", "ss");
}

const COLOURS = /\ufe0f|\p{Emoji_Modifier}/gu;

/** Without case, accents as they are written. The small letter of the Turkish İ has the one dot that every i has. */
export function lowerWord(word: string): string {
  if (ASCII.test(word)) return word.toLowerCase();
  return normalized(word, "NFKC").replaceAll(INVISIBLE, "").toLowerCase().replaceAll("i\u0307", "i");
}

/** Without accents, case as it is written. */
export function casedWord(word: string): string {
  if (ASCII.test(word)) return word;
  const bare = normalized(word, "NFKD").replaceAll(ACCENTS, "");
  return normalized(bare, "NFC").replaceAll(INVISIBLE, "");
}

/** The small sigma has another form at the end of a word: a beginning of it would not begin with the same letter. */
export function withOneSigma(word: string): string {
  return word.includes("ς") ? word.replaceAll("ς", "σ") : word;
}

const INVISIBLE = /\p{Cf}|\ufe0f/gu;
const ACCENTS = /[\u0300-\u036f]/g;

/** The signs of a stretch between words that are searched as they are typed; others only part words. */
export function significantSigns(between: string): string {
  return between === " " || between === "" ? "" : between.replaceAll(OTHER_SIGNS, "");
}

const OTHER_SIGNS = /[^%:|#/!?@&+=\p{Sc}]/gu;
