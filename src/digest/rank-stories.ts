import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";

/** All mentions of a period that tell one story of one query, summed up. A story may have one mention. */
export interface StoryFacts {
  readonly story: string;
  /** The mention that is shown for it. */
  readonly face: Mention;
  readonly mentions: number;
  readonly negative: number;
  /** Different authors; those whom the source withholds count one each. */
  readonly voices: number;
  /** How many people its mentions may have reached, added up. */
  readonly audience: number;
  readonly firstAt: Instant;
}

/**
 * Stories by how much they matter, most first: how many different people tell it, raised by how negative it is and,
 * slowly, by how far it reached. Voices and not mentions, so that one account repeating itself is one voice.
 */
export function rankStories(stories: readonly StoryFacts[]): readonly StoryFacts[] {
  return stories
    .map((story) => ({ story, worth: worthOf(story) }))
    .sort((a, b) => b.worth - a.worth || byAge(a.story, b.story))
    .map(({ story }) => story);
}

function worthOf({ voices, mentions, negative, audience }: StoryFacts): number {
  return voices * (1 + negative / Math.max(mentions, 1)) * (1 + Math.log10(1 + audience) / 5);
}

function byAge(a: StoryFacts, b: StoryFacts): number {
  return a.firstAt - b.firstAt || (a.face.resourceId < b.face.resourceId ? -1 : 1);
}
