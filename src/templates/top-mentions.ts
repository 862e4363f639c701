import type { Mention } from "../model/mention.ts";
import { eventAt } from "../model/mention.ts";
import { storyKey } from "../model/story.ts";

/** A mention to show, with the size of its story. */
export interface TopMention {
  readonly mention: Mention;
  readonly copies: number;
}

/**
 * The few mentions that explain an alert best: one per story, negative ones first, then by how many people may have
 * seen them (copies of the same text add up), then the earliest, where it started.
 */
export function topMentions(
  mentions: readonly Mention[],
  limit: number,
  storyOf: (mention: Mention) => string = storyKey,
): readonly TopMention[] {
  const stories = new Map<string, Story>();
  for (const mention of mentions) addTo(stories, storyOf(mention), mention);
  return [...stories.values()].sort(compareStories).slice(0, limit);
}

/** The story that most of these mentions share; null where each is a story of its own. */
export function largestStory(stories: readonly string[]): string | null {
  const sizes = new Map<string, number>();
  for (const story of stories) sizes.set(story, (sizes.get(story) ?? 0) + 1);
  const [largest] = [...sizes].sort(([, a], [, b]) => b - a);
  return largest === undefined || largest[1] < 2 ? null : largest[0];
}

interface Story {
  mention: Mention;
  copies: number;
  audience: number;
}

function addTo(stories: Map<string, Story>, key: string, mention: Mention): void {
  const story = stories.get(key);
  if (story === undefined) {
    stories.set(key, { mention, copies: 1 + (mention.reposts ?? 0), audience: audienceOf(mention) });
    return;
  }
  story.copies += 1;
  story.audience += audienceOf(mention);
  if (isBetterTopMention(mention, story.mention)) story.mention = mention;
}

/** The original rather than a repost of it, else the one that most people follow. */
function isBetterTopMention(candidate: Mention, current: Mention): boolean {
  const isOriginal = candidate.repostOf === null;
  if (isOriginal !== (current.repostOf === null)) return isOriginal;
  return audienceOf(candidate) > audienceOf(current);
}

function audienceOf(mention: Mention): number {
  return Math.max(mention.reach ?? 0, mention.impressions ?? 0, mention.followers ?? 0, 0);
}

function compareStories(a: Story, b: Story): number {
  const negative = Number(b.mention.sentiment === "negative") - Number(a.mention.sentiment === "negative");
  if (negative !== 0) return negative;
  if (a.audience !== b.audience) return b.audience - a.audience;
  if (a.copies !== b.copies) return b.copies - a.copies;
  return eventAt(a.mention) - eventAt(b.mention);
}
