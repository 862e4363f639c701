import type { Instant } from "../../lib/instant.ts";
import type { PeriodStory } from "../model/digest.ts";
import type { WatchedQuery } from "../model/query.ts";
import type { Period } from "./schedule.ts";

/** An active author of a period, with the name to show. */
interface TalkingAuthor {
  readonly name: string;
  readonly mentions: number;
  /** Null if the count has no such number. */
  readonly negative: number | null;
}

interface UsedHashtag {
  /** Without `#`. */
  readonly name: string;
  readonly mentions: number;
}

/** The most active authors and most used hashtags of a period, most first. */
export interface Insights {
  readonly authors: readonly TalkingAuthor[];
  readonly hashtags: readonly UsedHashtag[];
}

/** Asks the source for its counts; null if it cannot be asked or has none. */
export type FetchInsights = (queries: readonly WatchedQuery[], period: Period) => Promise<Insights | null>;

/** Merges the insights of several projects: the same name, ignoring case, is the same author. */
export function joinInsights(insights: readonly Insights[]): Insights {
  return {
    authors: summed(insights.flatMap(({ authors }) => authors)).map(({ name, mentions, negative }) => ({
      name,
      mentions,
      negative,
    })),
    hashtags: summed(
      insights.flatMap(({ hashtags }) => hashtags.map((one) => ({ ...one, negative: null }))),
    ).map(({ name, mentions }) => ({ name, mentions })),
  };
}

function summed(rows: readonly TalkingAuthor[]): readonly TalkingAuthor[] {
  const byName = new Map<string, TalkingAuthor>();
  for (const row of rows) {
    const key = row.name.toLowerCase();
    const known = byName.get(key);
    byName.set(
      key,
      known === undefined
        ? row
        : {
            name: known.name,
            mentions: known.mentions + row.mentions,
            negative: known.negative === null || row.negative === null ? null : known.negative + row.negative,
          },
    );
  }
  return [...byName.values()].sort((a, b) => b.mentions - a.mentions || (a.name < b.name ? -1 : 1));
}

/**
 * Stories by importance, most important first: the number of distinct authors, raised by negativity and, slowly, by
 * reach. It counts authors, not mentions, so one account that repeats itself counts once.
 */
export function rankStories(stories: readonly PeriodStory[], peakAt: Instant): readonly PeriodStory[] {
  return stories
    .map((story) => ({ story, worth: worthOf(story) }))
    .sort((a, b) => b.worth - a.worth || byDistance(a.story, b.story, peakAt))
    .map(({ story }) => story);
}

function worthOf({ distinctAuthors, mentions, negative, audience }: PeriodStory): number {
  return distinctAuthors * (1 + negative / Math.max(mentions, 1)) * (1 + Math.log10(1 + audience) / 5);
}

/** Of what is worth the same the busiest time comes first: the first of a day says nothing about it. */
function byDistance(a: PeriodStory, b: PeriodStory, peakAt: Instant): number {
  const away = ({ firstAt }: PeriodStory) => Math.abs(firstAt - peakAt);
  return away(a) - away(b) || (a.topMention.resourceId < b.topMention.resourceId ? -1 : 1);
}
