import type { PeriodStory } from "../model/digest.ts";

/**
 * Stories by importance, most important first: the number of distinct authors, raised by negativity and, slowly, by
 * reach. It counts authors, not mentions, so one account that repeats itself counts once.
 */
export function rankStories(stories: readonly PeriodStory[]): readonly PeriodStory[] {
  return stories
    .map((story) => ({ story, worth: worthOf(story) }))
    .sort((a, b) => b.worth - a.worth || byAge(a.story, b.story))
    .map(({ story }) => story);
}

function worthOf({ distinctAuthors, mentions, negative, audience }: PeriodStory): number {
  return distinctAuthors * (1 + negative / Math.max(mentions, 1)) * (1 + Math.log10(1 + audience) / 5);
}

function byAge(a: PeriodStory, b: PeriodStory): number {
  return a.firstAt - b.firstAt || (a.topMention.resourceId < b.topMention.resourceId ? -1 : 1);
}
