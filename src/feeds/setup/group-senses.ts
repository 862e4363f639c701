import { isTopicWord } from "#listening-api";
import { koreanStem } from "../../lib/korean-stem.ts";
import { isSmallUnspaced, splitUnspaced } from "../../lib/split-unspaced.ts";
import { foldText, plainLine } from "../../lib/text.ts";
import { COMMON_WORDS } from "./common-words.ts";

/** A text that the feeds bring under a name. */
interface NamedText {
  readonly title: string | null;
  readonly text: string;
}

/** Texts that are like each other, and unlike the others: probably one meaning of the name. */
export interface Sense {
  readonly texts: number;
  /** The words that tell it from the others, the best first. Of strangers, and only letters and digits. */
  readonly words: readonly string[];
  /** Words that only its texts have, which leave most of them out. */
  readonly not: readonly string[];
  /** Headlines, the most typical first; as hostile as any text. */
  readonly examples: readonly string[];
}

export type Senses =
  | { readonly outcome: "TooFew"; readonly texts: number }
  /** They do not fall apart. */
  | { readonly outcome: "One"; readonly texts: number }
  | { readonly outcome: "Several"; readonly senses: readonly Sense[] };

/** With fewer, groups are chance. */
const FEWEST_TEXTS = 12;
const FEWEST_OF_A_SENSE = 4;
const MOST_TEXTS = 300;
const MOST_SENSES = 4;
/** How much of what ties the texts of two groups may go from one to the other: 0 nothing, 2 as much as within them. */
const MOST_BETWEEN = 0.7;
const MOST_WORDS = 6;
const MOST_NOT = 8;
/** What only two texts have is chance, and might be of others tomorrow. */
const FEWEST_WITH_NOT = 3;
const MOST_EXAMPLES = 3;
const LONGEST_EXAMPLE = 120;

/**
 * Groups texts by their words into the few senses that a name has, without knowing any of them: texts that share rare
 * words are near each other, and groups are cut where the least is shared (a spectral cut, again and again). The same
 * texts give the same senses. A tenth of a second for 300 texts.
 */
export function groupSenses(texts: readonly NamedText[], name: readonly string[]): Senses {
  const ignored = new Set(name.flatMap(wordsOf));
  const items = distinct(texts).slice(0, MOST_TEXTS);
  const all = items.map((item) => itemOf(item, ignored));
  if (all.length < FEWEST_TEXTS) return { outcome: "TooFew", texts: all.length };
  const vectors = vectorsOf(all);
  const near = all.map((_, a) => all.map((__, b) => (a === b ? 0 : cosine(vectors, a, b))));
  // What shares no word with another says nothing of its sense.
  const tied = all.flatMap((_, index) => (near[index]?.some((one) => one > 0) === true ? [index] : []));
  const groups = cutApart(tied, near);
  if (groups.length < 2) return { outcome: "One", texts: all.length };
  return { outcome: "Several", senses: groups.map((group) => senseOf(group, groups, all, near)) };
}

/** What the query should mean in plain words, from the senses that are meant and the others: 500 characters at most. */
export function aboutOf(
  name: string,
  meant: readonly Pick<Sense, "words">[],
  others: readonly Pick<Sense, "words">[],
): string {
  const list = (senses: readonly Pick<Sense, "words">[]) =>
    senses
      .flatMap(({ words }) => words.slice(0, 4))
      .slice(0, MOST_WORDS - 1)
      .join(", ");
  return `${name}, as in texts about ${list(meant)}; not about ${list(others)}`;
}

interface Item {
  readonly shown: string;
  /** Each word with how much it counts: more in a headline. */
  readonly words: ReadonlyMap<string, number>;
}

function distinct(texts: readonly NamedText[]): readonly NamedText[] {
  return [...new Map(texts.map((one) => [foldText(`${one.title ?? ""} ${one.text}`), one])).values()];
}

const IN_TITLE = 2;
/** What a text is about shows at its beginning. */
const ENOUGH = 1_000;

function itemOf({ title, text }: NamedText, ignored: ReadonlySet<string>): Item {
  const words = new Map<string, number>();
  for (const word of wordsOf(text.slice(0, ENOUGH))) words.set(word, 1);
  for (const word of wordsOf(title ?? "")) words.set(word, IN_TITLE);
  for (const word of words.keys()) if (ignored.has(word)) words.delete(word);
  return { shown: plainLine(title ?? text, LONGEST_EXAMPLE), words };
}

/** Words that a query finds again as they are, Korean ones with any ending; numbers and everyday words tell no sense. */
function wordsOf(text: string): readonly string[] {
  const plain = text.replaceAll(/https?:\/\/\S+/gi, " ").toLowerCase();
  const { spaced, unspaced } = splitUnspaced(plain);
  const words = (spaced.match(/[\p{L}\p{M}\p{N}]{2,30}/gu) ?? [])
    .map((word) => koreanStem(word)?.concat("*") ?? word)
    .filter(
      (word) =>
        word.length > 2 && !COMMON_WORDS.has(word) && isTopicWord(foldText(word)) && /\p{L}/u.test(word),
    );
  return [...words, ...unspaced.filter((word) => !isSmallUnspaced(foldText(word)) && /\p{L}/u.test(word))];
}

type Vector = ReadonlyMap<string, number>;

/** A word of nearly all texts, or of one, ties nothing. */
function vectorsOf(items: readonly Item[]): readonly Vector[] {
  const found = countsIn(items);
  return items.map(({ words }) => {
    const weights = [...words].flatMap(([word, weight]): [string, number][] => {
      const n = found.get(word) ?? 0;
      return n < 2 || n > items.length / 2 ? [] : [[word, weight * Math.log(items.length / n)]];
    });
    const length = Math.hypot(...weights.map(([, weight]) => weight)) || 1;
    return new Map(weights.map(([word, weight]) => [word, weight / length]));
  });
}

function countsIn(items: readonly Item[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { words } of items)
    for (const word of words.keys()) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}

function cosine(vectors: readonly Vector[], a: number, b: number): number {
  let sum = 0;
  const other = vectors[b];
  for (const [word, weight] of vectors[a] ?? []) sum += weight * (other?.get(word) ?? 0);
  return sum;
}

type Near = readonly (readonly number[])[];

/** Cuts the group that falls apart best, until none does. */
function cutApart(whole: readonly number[], near: Near): readonly (readonly number[])[] {
  let groups: readonly (readonly number[])[] = [whole];
  while (groups.length < MOST_SENSES) {
    const cuts = groups.flatMap((group) => {
      const parts = bisect(group, near);
      return parts === null ? [] : [{ group, ...parts }];
    });
    const best = cuts.toSorted((a, b) => a.between - b.between)[0];
    if (best === undefined || best.between > MOST_BETWEEN) break;
    groups = groups.flatMap((group) => (group === best.group ? [best.left, best.right] : [group]));
  }
  return groups.toSorted((a, b) => b.length - a.length || (a[0] ?? 0) - (b[0] ?? 0));
}

const ROUNDS = 200;

/** The cut in two that shares the least, found along the second eigenvector of the graph; null: no part is large enough. */
function bisect(group: readonly number[], near: Near) {
  const size = group.length;
  if (size < 2 * FEWEST_OF_A_SENSE) return null;
  const ties = group.map((a) => group.map((b) => (near[a]?.[b] ?? 0) + 1e-4));
  const degrees = ties.map((row) => row.reduce((sum, one) => sum + one, 0));
  const whole = degrees.reduce((sum, one) => sum + one, 0);
  // Any beginning that is not symmetric.
  let vector = group.map((_, index) => Math.sin(index + 1));
  for (let round = 0; round < ROUNDS; round++) {
    const mean = vector.reduce((sum, one, index) => sum + one * (degrees[index] ?? 0), 0) / whole;
    const centred = vector.map((one) => one - mean);
    const next = ties.map((row, a) => {
      const pulled = row.reduce((sum, tie, b) => sum + tie * (centred[b] ?? 0), 0) / (degrees[a] ?? 1);
      return (centred[a] ?? 0) + pulled;
    });
    const length = Math.hypot(...next) || 1;
    vector = next.map((one) => one / length);
  }
  const order = [...group.keys()].sort((a, b) => (vector[a] ?? 0) - (vector[b] ?? 0) || a - b);
  let best = { between: Number.POSITIVE_INFINITY, at: 0 };
  let [cut, left] = [0, 0];
  const isLeft = new Set<number>();
  for (const [index, moved] of order.entries()) {
    for (const other of order)
      if (other !== moved) cut += (isLeft.has(other) ? -1 : 1) * (ties[moved]?.[other] ?? 0);
    isLeft.add(moved);
    left += degrees[moved] ?? 0;
    const at = index + 1;
    if (at < FEWEST_OF_A_SENSE || size - at < FEWEST_OF_A_SENSE) continue;
    const between = cut / left + cut / (whole - left);
    if (between < best.between) best = { between, at };
  }
  const of = (some: readonly number[]) => some.map((index) => group[index] ?? 0).sort((a, b) => a - b);
  return { between: best.between, left: of(order.slice(0, best.at)), right: of(order.slice(best.at)) };
}

function senseOf(
  group: readonly number[],
  groups: readonly (readonly number[])[],
  all: readonly Item[],
  near: Near,
): Sense {
  const own = group.flatMap((index) => all[index] ?? []);
  const others = groups
    .filter((one) => one !== group)
    .flatMap((one) => one.flatMap((index) => all[index] ?? []));
  const [here, there] = [countsIn(own), countsIn(others)];
  const scores = [...here].map(([word, n]) => {
    const elsewhere = there.get(word) ?? 0;
    const ratio = (n + 0.5) / (own.length + 1) / ((elsewhere + 0.5) / (others.length + 1));
    return { word, n, elsewhere, score: n * Math.log(ratio) };
  });
  const telling = scores
    .filter(({ n, score }) => n >= 2 && score > 0)
    .sort((a, b) => b.score - a.score || (a.word < b.word ? -1 : 1));
  const middle = (index: number) => group.reduce((sum, other) => sum + (near[index]?.[other] ?? 0), 0);
  return {
    texts: own.length,
    words: telling.slice(0, MOST_WORDS).map(({ word }) => word),
    not: coveringWords(
      own,
      telling.filter(({ elsewhere }) => elsewhere === 0).map(({ word }) => word),
    ),
    examples: [...group]
      .sort((a, b) => middle(b) - middle(a) || a - b)
      .slice(0, MOST_EXAMPLES)
      .map((index) => all[index]?.shown ?? ""),
  };
}

/** Of the words, each time the one that leaves out most of what is left. */
function coveringWords(items: readonly Item[], words: readonly string[]): readonly string[] {
  const chosen: string[] = [];
  let left = items;
  while (chosen.length < MOST_NOT && left.length > 0) {
    const counts = countsIn(left);
    const best = words.reduce(
      (most, word) => ((counts.get(word) ?? 0) > (counts.get(most) ?? 0) ? word : most),
      "",
    );
    if ((counts.get(best) ?? 0) < FEWEST_WITH_NOT) break;
    chosen.push(best);
    left = left.filter((item) => !item.words.has(best));
  }
  return chosen;
}
