import { normalized } from "../../../lib/text.ts";
import { foldWord, type Tokens } from "./tokens.ts";

/** Words, or pairs of words, with their sentiment, about from -1 to 1. `*` at the end stands for any ending. */
export type WordList = Readonly<Record<string, number>>;

interface OpenList {
  readonly whole: ReadonlyMap<string, number>;
  readonly stems: ReadonlyMap<string, number>;
}

/** What lists say about a text, three numbers of each list: good words, bad words, words turned around by a negation. */
export type CountWords = (tokens: Tokens) => Float32Array;

/** Numbers of a list. */
export const COUNTS = 3;
const FEWEST_OF_A_STEM = 2;
const MOST = 2;

export function openWordLists(lists: readonly WordList[]): CountWords {
  const opened = lists.map(openList);
  return ({ tokens, negated }) => {
    const counts = new Float32Array(opened.length * COUNTS);
    for (const [index, list] of opened.entries()) {
      const own = counts.subarray(index * COUNTS, (index + 1) * COUNTS);
      for (let at = 0; at < tokens.length; at++) {
        const score = scoreOf(list, tokens[at] ?? "", tokens[at + 1]);
        if (score === 0) continue;
        const which = negated[at] === true ? 2 : score > 0 ? 0 : 1;
        own[which] = (own[which] ?? 0) + score;
      }
    }
    const root = Math.sqrt(Math.max(1, tokens.length));
    return counts.map((count) => Math.max(-MOST, Math.min(MOST, count / root)));
  };
}

function openList(list: WordList): OpenList {
  const whole = new Map<string, number>();
  const stems = new Map<string, number>();
  for (const [written, score] of Object.entries(list)) {
    const word = foldWord(normalized(written, "NFC"));
    if (word.endsWith("*")) stems.set(word.slice(0, -1), score);
    else whole.set(word, score);
  }
  return { whole, stems };
}

function scoreOf(list: OpenList, token: string, next: string | undefined): number {
  const ofPair = next === undefined ? undefined : list.whole.get(`${token} ${next}`);
  if (ofPair !== undefined) return ofPair;
  const whole = list.whole.get(token);
  if (whole !== undefined) return whole;
  // "l'horrible" is in no list, "horrible" is; and so with the Arabic article.
  const apostrophe = token.lastIndexOf("'");
  const bare = token.startsWith("ال") && token.length > 4 ? token.slice(2) : token.slice(apostrophe + 1);
  return list.whole.get(bare) ?? ofStem(list.stems, bare);
}

function ofStem(stems: ReadonlyMap<string, number>, word: string): number {
  if (stems.size === 0) return 0;
  for (let length = word.length; length >= FEWEST_OF_A_STEM; length--) {
    const score = stems.get(word.slice(0, length));
    if (score !== undefined) return score;
  }
  return 0;
}
