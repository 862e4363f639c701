import { splitWords } from "../query-language/split-words.ts";
import { STOP_WORDS } from "./stop-words.ts";

/** What the topics of a mention are made of. */
export interface TopicSource {
  readonly text: string;
  readonly hashtags: readonly string[];
}

/** Words, or up to three of them next to each other. */
export type TopicKind = "words" | "phrases" | "hashtags";

const LONGEST_PHRASE = 3;
const MAX_WORD = 40;
/** The beginning of a very long text is enough. */
const MAX_CHARACTERS = 5_000;
const ADDRESS = /https?:\/\/\S+|[@#][\p{L}\p{N}_]+/gu;

/** The topics of a text, each once: folded form -> as it is written. Pure. */
export function topicsOf({ text, hashtags }: TopicSource, kinds: readonly TopicKind[]): Map<string, string> {
  const found = new Map<string, string>();
  if (kinds.includes("hashtags")) for (const tag of hashtags) found.set(tag.toLowerCase(), tag);
  const most = kinds.includes("phrases") ? LONGEST_PHRASE : kinds.includes("words") ? 1 : 0;
  const least = kinds.includes("words") ? 1 : 2;
  if (most === 0) return found;
  const plain = text.slice(0, MAX_CHARACTERS).replaceAll(ADDRESS, (part) => "\n".repeat(part.length));
  const words = splitWords(plain);
  for (let from = 0; from < words.length; from++) {
    for (let length = 1; length <= most && from + length <= words.length; length++) {
      const run = words.slice(from, from + length);
      const [first, last] = [run[0], run.at(-1)];
      if (first === undefined || last === undefined || !isTopicWord(first.folded)) break;
      // A phrase ends at the end of a sentence, and with a word that has a meaning.
      if (/[.!?;:,\n]/.test(plain.slice(first.end, last.start))) break;
      if (length < least || !isTopicWord(last.folded)) continue;
      found.set(
        run.map(({ folded }) => folded).join(" "),
        plain.slice(first.start, last.end).replaceAll(/\s+/g, " "),
      );
    }
  }
  return found;
}

function isTopicWord(folded: string): boolean {
  return folded.length > 1 && folded.length <= MAX_WORD && !STOP_WORDS.has(folded) && !/^\d+$/.test(folded);
}

/** The number of texts with each topic, and its most frequent spelling among the first. */
export interface TopicCounts {
  readonly texts: number;
  readonly counts: ReadonlyMap<string, number>;
}

/** A topic of the answer, with what makes it unusual. */
export interface ChosenTopic {
  readonly key: string;
  readonly volume: number;
  /** Log-likelihood ratio of its share here against its share in the other texts. */
  readonly score: number;
}

const MIN_VOLUME = 2;

/**
 * The topics that are more frequent here than elsewhere, the most unusual ones first. A part of a longer topic that
 * hardly ever occurs alone is left out. Without other texts, the most frequent ones. Pure.
 */
export function chooseTopics(here: TopicCounts, elsewhere: TopicCounts, limit: number): ChosenTopic[] {
  const candidates: ChosenTopic[] = [];
  for (const [key, volume] of here.counts) {
    if (volume < MIN_VOLUME) continue;
    const unusual =
      elsewhere.texts === 0
        ? volume
        : excess(volume, here.texts, elsewhere.counts.get(key) ?? 0, elsewhere.texts);
    if (unusual > 0) candidates.push({ key, volume, score: unusual * longer(key) });
  }
  candidates.sort((a, b) => b.score - a.score || b.volume - a.volume || (a.key < b.key ? -1 : 1));
  const chosen: ChosenTopic[] = [];
  for (const candidate of candidates) {
    if (chosen.length >= limit) break;
    if (!chosen.some((one) => isSameTopic(one, candidate))) chosen.push(candidate);
  }
  return chosen;
}

/** A phrase says more than its words, and is never more frequent than they are. */
function longer(key: string): number {
  return 1 + 0.3 * (key.split(" ").length - 1);
}

/** "hot" next to "hot water": one of them, unless the shorter one is often used alone, too. */
function isSameTopic(known: ChosenTopic, next: ChosenTopic): boolean {
  const [shorter, longer] = known.key.length < next.key.length ? [known, next] : [next, known];
  return ` ${longer.key} `.includes(` ${shorter.key} `) && longer.volume * 2 > shorter.volume;
}

/** Signed log-likelihood ratio (G²); below 0 where the topic is rarer here. */
function excess(here: number, hereTexts: number, there: number, thereTexts: number): number {
  const share = (here + there) / (hereTexts + thereTexts);
  const [expectedHere, expectedThere] = [hereTexts * share, thereTexts * share];
  const part = (seen: number, expected: number) => (seen === 0 ? 0 : seen * Math.log(seen / expected));
  const ratio = 2 * (part(here, expectedHere) + part(there, expectedThere));
  return here / hereTexts > there / Math.max(1, thereTexts) ? ratio : -ratio;
}
