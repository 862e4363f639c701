import {
  createDatabase,
  type DatabasePool,
  insertMentions,
  insightsOf,
  type MentionFields,
  type MentionVersion,
  mentionRecord,
  wireTime,
} from "#listening-api";
import { type Mention, preparePage, type Stores, toMention } from "#monitor";
import type { Instant } from "../../lib/instant.ts";
import type { Story, StoryChange, StoryMention } from "./story.ts";

/** Ids of the queries by name, in the project of the test. */
export interface StoryQueries {
  readonly projectId: string;
  readonly ids: ReadonlyMap<string, number>;
}

/** Writes a story into the tables of the local Listening API, which shows each mention and change from its time on. */
export async function writeStory(pool: DatabasePool, story: Story, queries: StoryQueries): Promise<void> {
  const versions = story.mentions.flatMap((mention) => {
    const changes = story.changes.filter(({ resourceId }) => resourceId === mention.resourceId);
    return versionsOf(mention, changes, queries);
  });
  await insertMentions(createDatabase(pool), versions);
}

function versionsOf(
  mention: StoryMention,
  changes: readonly StoryChange[],
  queries: StoryQueries,
): MentionVersion[] {
  const states = [{ at: mention.at, sentiment: mention.sentiment }, ...changes];
  return states.map(({ at, sentiment }, index) => ({
    version: index + 1,
    record: mentionRecord(fieldsOf(mention, queries, at, sentiment)),
    date: mention.publishedAt,
    added: mention.at,
    updated: at,
    visibleAt: at,
    supersededAt: states[index + 1]?.at ?? null,
    fullText: null,
  }));
}

/** The fields as the API sends them. */
function fieldsOf(
  mention: StoryMention,
  { ids }: StoryQueries,
  updated: Instant,
  sentiment: string,
): MentionFields {
  const { details, text, query } = mention;
  const { followers, verified, reach, impact, language, country, domain, url, category, tags } = details;
  return {
    resourceId: mention.resourceId,
    queryId: ids.get(query) ?? 0,
    queryName: query,
    date: wireTime(mention.publishedAt),
    added: wireTime(mention.at),
    updated: wireTime(updated),
    snippet: text,
    title: mention.title,
    author: mention.author,
    fullname: mention.author,
    sentiment,
    pageType: mention.pageType,
    ...insightsOf(text),
    url: url ?? `https://${domain ?? "social.example"}/${mention.author}/${mention.resourceId}`,
    domain: domain ?? "social.example",
    language: language ?? "en",
    ...(country !== undefined && { countryCode: country, country }),
    ...(followers !== undefined && { twitterFollowers: followers }),
    ...(verified !== undefined && { twitterVerified: verified }),
    ...(reach !== undefined && { reachEstimate: reach }),
    ...(impact !== undefined && { impact }),
    ...(tags !== undefined && { tags }),
    ...(category !== undefined && {
      categories: category.map((_, index) => index + 1),
      categoryDetails: category.map((name, index) => ({
        id: String(index + 1),
        name,
        parentId: "1000",
        parentName: "Topics",
      })),
    }),
  };
}

/**
 * Stores what was written before the story, as if it had been polled long ago: rules that are new count stored mentions
 * and learn from them, and alert about none. The queries must not be watched yet.
 */
export async function writeBaseline(
  stores: Stores,
  baseline: readonly StoryMention[],
  queries: StoryQueries,
  at: Instant,
): Promise<void> {
  const mentions = baseline.map((one) => asMention(one, queries));
  for (let from = 0; from < mentions.length; from += PAGE) {
    const page = {
      mentions: mentions.slice(from, from + PAGE),
      rejected: [],
      nextCursor: null,
      total: null,
      pageSize: null,
    };
    const { rows } = preparePage([], stores.mentions.rowsOf, page);
    await stores.mentions.storePage(queries.projectId, rows, at);
  }
}

const PAGE = 5_000;

/** A mention of a story as the source sends it at first. */
export function asMention(one: StoryMention, queries: StoryQueries): Mention {
  const { mention, rejection } = toMention(mentionRecord(fieldsOf(one, queries, one.at, one.sentiment)));
  if (mention === null) throw new Error(`a mention of a story is unusable: ${rejection.reason}`);
  return mention;
}
