import stopword from "stopword";
import { foldText } from "../lib/fold-text.ts";
import type { Mention } from "../model/mention.ts";
import { storyKey } from "../model/story.ts";

const MOST_WORDS = 6;
const LEAST_STORIES = 3;
const LEAST_SHARE = 0.06;
const LEAST_RISE = 3;
/** What one text in twenty said before is not new. */
const MOST_USUAL = 0.05;
/** Of some hundred words one or two are always surprising; one in a thousand is a word that matters. */
const LEAST_SURPRISE = 7;

/**
 * Words that many stories of now use and few of before did, the most telling first. A text that is repeated counts
 * once, so nobody puts a word here by saying it often; links and handles are no words, and the small words of a
 * language ("are") say nothing.
 */
export function risenWords(now: readonly Mention[], before: readonly Mention[]): string[] {
  const [stories, storiesBefore] = [wordsByStory(now), wordsByStory(before)];
  if (stories.length < LEAST_STORIES || storiesBefore.length < 10) return [];
  const [counts, countsBefore] = [countWords(stories), countWords(storiesBefore)];
  const least = Math.max(LEAST_STORIES, LEAST_SHARE * stories.length);
  const risen = [...counts]
    .map(([word, count]) => ({
      word,
      count,
      share: count / stories.length,
      usual: ((countsBefore.get(word) ?? 0) + 0.5) / (storiesBefore.length + 1),
    }))
    .filter(({ usual }) => usual <= MOST_USUAL)
    .filter(({ count, share, usual }) => count >= least && share >= LEAST_RISE * usual)
    .filter(({ count, usual }) => surprise(count, stories.length * usual) >= LEAST_SURPRISE)
    .sort(
      (a, b) =>
        b.count * Math.log(b.share / b.usual) - a.count * Math.log(a.share / a.usual) ||
        (a.word < b.word ? -1 : 1),
    )
    .map(({ word }) => word);
  // A hashtag and its word are one; so are one and many of it.
  const chosen: string[] = [];
  for (const word of risen) {
    if (chosen.length === MOST_WORDS) break;
    if (!chosen.some((other) => rootOf(other) === rootOf(word))) chosen.push(word);
  }
  return chosen;
}

/** Logarithm of how much likelier so many are at their own rate than at the usual one. */
function surprise(count: number, expected: number): number {
  return count * Math.log(count / expected) - (count - expected);
}

function wordsByStory(mentions: readonly Mention[]): readonly ReadonlySet<string>[] {
  const byStory = new Map<string, ReadonlySet<string>>();
  for (const mention of mentions) {
    const story = storyKey(mention);
    if (!byStory.has(story)) byStory.set(story, wordsOf(mention));
  }
  return [...byStory.values()];
}

function wordsOf({ title, text, language }: Mention): ReadonlySet<string> {
  const folded = foldText(`${title ?? ""} ${text ?? ""}`.slice(0, 2_000));
  const bare = folded.replaceAll(/(?:https?:\/\/|www\.)\S*|@\w+|&\w+;/g, " ");
  const words = new Set((bare.match(WORD) ?? []).filter((word) => !/^#?\d+$/.test(word)));
  const small = STOP_WORDS.get(language ?? "") ?? STOP_WORDS.get(likelyLanguage(bare));
  return small === undefined ? words : new Set([...words].filter((word) => !small.has(word)));
}

/**
 * The small words of each language, by its two letters. How often they stand in a text swings with its length and tone,
 * so that no test of counts tells "are" from a word that matters. The library's lists are short ones: longer lists hold
 * "fire" and "problem", which an alert must not lose.
 */
const STOP_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(stopword).flatMap(([name, list]) =>
    // One list is of digits, and beside the lists stands a function.
    Array.isArray(list) && /^[a-z]/.test(name)
      ? [[Intl.getCanonicalLocales(name)[0] ?? name, new Set(list.map(foldText))] as const]
      : [],
  ),
);

/**
 * The language whose small words a text uses most, English where several do. Only one list counts for a text, because
 * "die" is a small word in German alone.
 */
function likelyLanguage(text: string): string {
  const hits = new Map<string, number>();
  for (const word of new Set(text.match(/\p{L}+/gu))) {
    for (const [language, small] of STOP_WORDS) {
      if (small.has(word)) hits.set(language, (hits.get(language) ?? 0) + 1);
    }
  }
  let likely = "en";
  for (const [language, count] of hits) if (count > (hits.get(likely) ?? 0)) likely = language;
  return likely;
}

/** A word, a hashtag, or a few ideographs in a row. */
const WORD = /#?[\p{L}\p{N}][\p{L}\p{N}'-]{1,30}[\p{L}\p{N}]/gu;

function countWords(stories: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const words of stories) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function rootOf(word: string): string {
  return word.replace(/^#/, "").replace(/(?:'s|s|ed|ing|lation|led|ling)$/, "");
}
