import { foldText } from "../../lib/text.ts";
import { UNSPACED } from "../../lib/unspaced-scripts.ts";
import { type Mention, type StoryMention, speakerOf } from "../model/mention.ts";

/** What the mentions of an incident have in common. */
export interface Material {
  readonly ids: ReadonlySet<string>;
  readonly stories: Tally;
  readonly authors: Tally;
  /** Words that many of them have, and few mentions had before. */
  readonly words: ReadonlySet<string>;
}

/** How many mentions have a story, or an author. */
type Tally = (name: string) => number;

/** `before`: mentions of the same query from before it began, to find the words that are not the brand's own. */
export function materialOf(mentions: readonly StoryMention[], before: readonly StoryMention[]): Material {
  const ids = new Set(mentions.map(({ mention }) => mention.resourceId));
  return { ...namesIn(mentions), ids, words: typicalWords(mentions, before) };
}

/** Without these mentions, which an alert of the incident may have counted, too: nothing shares with itself. */
export function withoutMentions(material: Material, own: readonly StoryMention[]): Material {
  const counted = namesIn(own.filter(({ mention }) => material.ids.has(mention.resourceId)));
  // Asked for each alert of a storm: the others are not counted again.
  return {
    ...material,
    stories: (name) => material.stories(name) - counted.stories(name),
    authors: (name) => material.authors(name) - counted.authors(name),
  };
}

function namesIn(mentions: readonly StoryMention[]): Pick<Material, "stories" | "authors"> {
  return {
    stories: tally(mentions.map(({ story }) => story)),
    authors: tally(mentions.flatMap(({ mention }) => authorOf(mention) ?? [])),
  };
}

function tally(names: readonly string[]): Tally {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return (name) => counts.get(name) ?? 0;
}

/**
 * What an alert shares with an incident, if at least a tenth of its mentions do: a story, an author, or two typical
 * words. Null: too little.
 */
export function sharedWith(
  mentions: readonly StoryMention[],
  { stories, authors, words }: Material,
): "stories" | "authors" | "words" | null {
  const enough = Math.max(1, mentions.length / 10);
  const has = (test: (one: StoryMention) => boolean): boolean => mentions.filter(test).length >= enough;
  if (has(({ story }) => stories(story) > 0)) return "stories";
  if (has(({ mention }) => authors(authorOf(mention) ?? "") > 0)) return "authors";
  if (has(({ mention }) => wordsOf(mention, words).size >= 2)) return "words";
  return null;
}

function authorOf(mention: Mention): string | null {
  const name = mention.author ?? mention.authorName ?? speakerOf(mention);
  return name === null ? null : foldText(name);
}

const LEAST_MENTIONS = 3;
const LEAST_SHARE = 0.08;
/** Its share among the mentions before, times this, is still less than its share now. */
const RISE = 3;

function typicalWords(now: readonly StoryMention[], before: readonly StoryMention[]): ReadonlySet<string> {
  const [counts, countsBefore] = [countWords(now), countWords(before)];
  const typical = [...counts].filter(([word, count]) => {
    const usual = before.length === 0 ? 0 : (countsBefore.get(word) ?? 0) / before.length;
    const share = count / now.length;
    return count >= LEAST_MENTIONS && share >= LEAST_SHARE && share > RISE * usual;
  });
  return new Set(typical.map(([word]) => word));
}

function countWords(mentions: readonly StoryMention[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { mention } of mentions) {
    for (const word of wordsOf(mention)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/** Only so much of a text is read. */
const MOST_CHARACTERS = 1_000;
const SHORTEST_WORD = 4;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const HASHTAG = /#[\p{L}\p{M}\p{N}]+/gu;

/** Chinese words mostly have two characters, and so have Korean ones without the endings that are written on. */
const PAIRED = /\p{sc=Han}{2,}|\p{sc=Hangul}{2,}/gu;
/** Written for one foreign word. */
const KATAKANA = /[\p{sc=Katakana}\u30fc]{3,}/gu;
/** Here only a dictionary tells where a word ends. */
const CUT_BY_DICTIONARY = /[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{4,}/gu;
const NOT_BY_BLANKS = new RegExp(`[${UNSPACED}\\p{sc=Hangul}\\u30fc]+`, "gu");
/** The dictionaries of Unicode, whatever the language. They take a microsecond a character, so only the beginning is cut. */
const DICTIONARY = new Intl.Segmenter("th", { granularity: "word" });
const MOST_CUT = 300;

/**
 * The different words of a mention; with `typical`, those of them that are. A hashtag is made to say what a text belongs to:
 * it is a word with its sign and without, and so counts twice.
 */
function wordsOf({ title, text }: Mention, typical?: ReadonlySet<string>): ReadonlySet<string> {
  const folded = foldText(`${title ?? ""} ${text ?? ""}`.slice(0, MOST_CHARACTERS));
  const plain = folded.replaceAll(/https?:\S+/g, " ");
  const spaced = plain.replaceAll(NOT_BY_BLANKS, " ").match(WORD) ?? [];
  const cut = (plain.slice(0, MOST_CUT).match(CUT_BY_DICTIONARY) ?? []).flatMap((run) =>
    Array.from(DICTIONARY.segment(run), ({ segment }) => segment),
  );
  const words = [
    ...[...spaced, ...cut, ...(plain.match(HASHTAG) ?? [])].filter((word) => word.length >= SHORTEST_WORD),
    ...(plain.match(KATAKANA) ?? []),
    ...(plain.match(PAIRED) ?? []).flatMap((run) => pairsOf([...run], typical)),
  ];
  return new Set(typical === undefined ? words : words.filter((word) => typical.has(word)));
}

/** Every two neighbours; of two typical pairs that overlap only the first: they are parts of the same word. */
function pairsOf(characters: readonly string[], typical?: ReadonlySet<string>): string[] {
  const pairs: string[] = [];
  for (let at = 0; at + 1 < characters.length; at++) {
    const pair = characters.slice(at, at + 2).join("");
    if (typical !== undefined && !typical.has(pair)) continue;
    pairs.push(pair);
    if (typical !== undefined) at++;
  }
  return pairs;
}
