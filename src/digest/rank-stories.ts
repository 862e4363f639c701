import type { PeriodStory } from "../model/period-story.ts";

/**
 * Stories by how much they matter, most first: how many different people tell it, raised by how negative it is and,
 * slowly, by how far it reached. Voices and not mentions, so that one account repeating itself is one voice.
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
