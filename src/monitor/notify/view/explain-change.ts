import type { Explanation } from "../../model/alert.ts";
import type { Mention } from "../../model/mention.ts";
import { storyKey } from "../../model/story.ts";
import { risenWords } from "./risen-words.ts";

/** The part of an explanation that comes from mentions. */
type ChangeExplanation = Pick<
  Explanation,
  "looked" | "authors" | "reposts" | "negative" | "topics" | "domains" | "words"
>;

/**
 * What changed, from the mentions of the alert (`slice`), all mentions of its window (`now`), and those of the same
 * hours of the days before. The order of the mentions does not change the result.
 */
export async function explainChange(mentions: {
  readonly slice: readonly Mention[];
  readonly sliceBefore: readonly Mention[];
  readonly now: readonly Mention[];
  readonly before: readonly Mention[];
}): Promise<ChangeExplanation> {
  const { slice, sliceBefore, now, before } = mentions;
  return {
    looked: { now: slice.length, before: sliceBefore.length },
    authors: authorsOf(slice),
    reposts: { now: repeated(slice), before: sliceBefore.length < FEW ? null : repeated(sliceBefore) },
    negative: negativeOf(now, before),
    topics: risen(slice, sliceBefore, ({ categories }) => categories.map(({ name }) => name)),
    domains: risen(slice, sliceBefore, ({ domain }) => [domain]),
    words: await risenWords(slice, sliceBefore),
  };
}

/** Below this number of mentions a share means nothing. */
const FEW = 10;
const MOST_NAMED = 3;

function authorsOf(slice: readonly Mention[]): Explanation["authors"] {
  const names = new Map<string, number>();
  let unknown = 0;
  for (const { author, authorName } of slice) {
    const name = author ?? authorName;
    if (name === null) unknown += 1;
    else names.set(name, (names.get(name) ?? 0) + 1);
  }
  const loudest = [...names]
    // At least one in ten and more than two: anybody may reply to a reply.
    .filter(([, mentions]) => mentions > 2 && mentions >= slice.length / 10)
    .sort(byCount)
    .slice(0, MOST_NAMED)
    .map(([name, mentions]) => ({ name, mentions }));
  return { count: names.size + unknown, loudest };
}

/** The share of mentions that repeat the story of another one here, or say that they are reposts. */
function repeated(mentions: readonly Mention[]): number {
  if (mentions.length === 0) return 0;
  const stories = new Set<string>();
  let copies = 0;
  for (const mention of mentions) {
    const story = storyKey(mention);
    if (stories.has(story) || mention.repostOf !== null) copies += 1;
    stories.add(story);
  }
  return copies / mentions.length;
}

function negativeOf(now: readonly Mention[], before: readonly Mention[]): Explanation["negative"] {
  const isRated = ({ sentiment }: Mention): boolean => sentiment !== null;
  const [rated, ratedBefore] = [now.filter(isRated), before.filter(isRated)];
  if (rated.length < FEW || ratedBefore.length < FEW) return null;
  const share = (mentions: readonly Mention[]): number =>
    mentions.filter(({ sentiment }) => sentiment === "negative").length / mentions.length;
  return { now: share(rated), before: share(ratedBefore) };
}

/** Values with a larger share than before, the largest rise first; without earlier mentions, simply the largest. */
function risen(
  slice: readonly Mention[],
  before: readonly Mention[],
  read: (mention: Mention) => readonly (string | null)[],
): Explanation["topics"] {
  if (slice.length < FEW || before.length < FEW) return [];
  const [counts, countsBefore] = [countsOf(slice, read), countsOf(before, read)];
  return [...counts]
    .map(([name, count]) => ({
      name,
      now: count / slice.length,
      before: (countsBefore.get(name) ?? 0) / before.length,
    }))
    .filter(({ now, before: usual }) => now >= 0.1 && now - usual >= 0.1)
    .sort((a, b) => b.now - b.before - (a.now - a.before) || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_NAMED);
}

function countsOf(
  mentions: readonly Mention[],
  read: (mention: Mention) => readonly (string | null)[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const mention of mentions) {
    for (const value of new Set(read(mention))) {
      if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
  }
  return counts;
}

function byCount([a, m]: [string, number], [b, n]: [string, number]): number {
  return n - m || (a < b ? -1 : 1);
}
