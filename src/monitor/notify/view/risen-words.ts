import { setImmediate } from "node:timers/promises";
import stopword from "stopword";
import { koreanStem } from "../../../lib/korean-stem.ts";
import { isSmallUnspaced, splitUnspaced } from "../../../lib/split-unspaced.ts";
import { foldText } from "../../../lib/text.ts";
import type { Mention } from "../../model/mention.ts";
import { storyKey } from "../../model/story.ts";

const MOST_WORDS = 6;
const LEAST_STORIES = 3;
const LEAST_SHARE = 0.06;
const LEAST_RISE = 3;
/** A word in one text of twenty before is not new. */
const MOST_USUAL = 0.05;
/** Among some hundred words one or two are always surprising at lower values; this one is about one in a thousand. */
const LEAST_SURPRISE = 7;

/**
 * Words that many stories use now and few used before, the most surprising first. A repeated text counts once, so
 * nobody can add a word by repeating it. Links and handles are not words, and stop words ("are") are left out.
 */
export async function risenWords(now: readonly Mention[], before: readonly Mention[]): Promise<string[]> {
  const [said, saidBefore] = [await wordsByStory(now), await wordsByStory(before)];
  if (said.length < LEAST_STORIES || saidBefore.length < 10) return [];
  const beginnings = beginningsOf(said);
  const stories = withoutEndings(said, beginnings);
  const storiesBefore = withoutEndings(saidBefore, beginnings);
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
  // A hashtag and its word count as one, and so do singular and plural.
  const chosen: string[] = [];
  for (const word of risen) {
    if (chosen.length === MOST_WORDS) break;
    if (!chosen.some((other) => rootOf(other) === rootOf(word))) chosen.push(word);
  }
  return chosen;
}

/** How much more likely this count is at its own rate than at the usual one, as a logarithm. */
function surprise(count: number, expected: number): number {
  return count * Math.log(count / expected) - (count - expected);
}

type Words = ReadonlySet<string>;

/** Thousands of texts take a second. Others of the process get their turn meanwhile. */
const AT_A_TIME = 20;

async function wordsByStory(mentions: readonly Mention[]): Promise<readonly Words[]> {
  const byStory = new Map<string, Words>();
  for (const [index, mention] of mentions.entries()) {
    const story = storyKey(mention);
    if (!byStory.has(story)) byStory.set(story, wordsOf(mention));
    if (index % AT_A_TIME === AT_A_TIME - 1) await setImmediate();
  }
  return [...byStory.values()];
}

function wordsOf({ title, text, language }: Mention): Words {
  const folded = foldText(`${title ?? ""} ${text ?? ""}`.slice(0, 2_000));
  const bare = folded.replaceAll(/(?:https?:\/\/|www\.)\S*|@\w+|&\w+;/g, " ");
  const { spaced, unspaced } = splitUnspaced(bare);
  const words = (spaced.match(WORD) ?? []).filter((word) => !/^#?\d+$/.test(word));
  const small = STOP_WORDS.get(language ?? "") ?? STOP_WORDS.get(likelyLanguage(spaced));
  const isSmall = (word: string) => small?.has(word) === true || small?.has(baseOf(word)) === true;
  return new Set([
    ...words.filter((word) => !isSmall(word)),
    ...unspaced.filter((word) => !isSmallUnspaced(word)),
  ]);
}

/** Korean words have their endings behind: what begins alike is one word, and what all of it begins with says which. */
function beginningsOf(stories: readonly Words[]): ReadonlyMap<string, string> {
  const beginnings = new Map<string, string>();
  for (const word of stories.flatMap((words) => [...words])) {
    const start = koreanStem(word);
    if (start === null) continue;
    let shared = beginnings.get(start) ?? word;
    while (!word.startsWith(shared)) shared = shared.slice(0, -1);
    beginnings.set(start, shared);
  }
  return beginnings;
}

function withoutEndings(
  stories: readonly Words[],
  beginnings: ReadonlyMap<string, string>,
): readonly Words[] {
  if (beginnings.size === 0) return stories;
  return stories.map(
    (words) => new Set([...words].map((word) => beginnings.get(koreanStem(word) ?? "") ?? word)),
  );
}

/** The lists have "i" and "do", and not "i'm" and "don't"; some of other languages have "m" and "t". */
function baseOf(words: string): string {
  return words.replaceAll(/(?:n't|'(?:m|d|ll|re|ve|s))\b/g, "");
}

/**
 * The stop words of each language, by its two letters. Their frequency changes with the length and tone of texts, so no
 * test of counts separates "are" from an important word. The library's lists are short; longer ones contain "fire" and
 * "problem", which an alert must keep.
 */
const STOP_WORDS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  Object.entries(stopword).flatMap(([name, list]) =>
    // The library also exports a list of digits and a function.
    Array.isArray(list) && /^[a-z]/.test(name)
      ? [[Intl.getCanonicalLocales(name)[0] ?? name, new Set(list.map(foldText))] as const]
      : [],
  ),
);

/**
 * The language with the most stop words in a text; English if several do. Only one list applies to a text, because
 * "die" is a stop word in German only.
 */
function likelyLanguage(text: string): string {
  const hits = new Map<string, number>();
  for (const word of new Set(baseOf(text).match(LETTERS))) {
    for (const [language, small] of STOP_WORDS) {
      if (small.has(word)) hits.set(language, (hits.get(language) ?? 0) + 1);
    }
  }
  let likely = "en";
  for (const [language, count] of hits) if (count > (hits.get(likely) ?? 0)) likely = language;
  return likely;
}

/** A word or a hashtag, between blanks. */
const WORD = /#?[\p{L}\p{N}][\p{L}\p{M}\p{N}'-]{1,30}[\p{L}\p{M}\p{N}]/gu;
/** A word as the lists of stop words have it. */
const LETTERS = /\p{L}[\p{L}\p{M}]*/gu;

function countWords(stories: readonly ReadonlySet<string>[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const words of stories) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function rootOf(word: string): string {
  return word.replace(/^#/, "").replace(/(?:'s|s|ed|ing|lation|led|ling)$/, "");
}
