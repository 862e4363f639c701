import type { Mention } from "../src/monitor/model/mention.ts";

/** A mention with every field absent that a source may withhold, and what a test says otherwise. */
export function aMention(facts: Partial<Mention> = {}): Mention {
  const addedAt = facts.addedAt ?? facts.publishedAt ?? Date.parse("2026-03-01T12:00:00Z");
  return {
    queryId: "1",
    resourceId: "resource",
    publishedAt: addedAt,
    addedAt,
    updatedAt: addedAt,
    title: null,
    text: null,
    url: null,
    domain: null,
    language: null,
    pageType: null,
    author: null,
    authorName: null,
    verified: null,
    followers: null,
    reach: null,
    impact: null,
    impressions: null,
    country: null,
    countryCode: null,
    sentiment: null,
    categories: [],
    tags: [],
    hashtags: [],
    reposts: null,
    repostOf: null,
    ...facts,
  };
}
