import type { Mention } from "../../src/model/mention.ts";

/** A mention with what a test cares about. */
export function mentionOf(given: Partial<Mention> = {}): Mention {
  return {
    queryId: "1",
    resourceId: "m1",
    publishedAt: 1_000,
    addedAt: 2_000,
    updatedAt: 2_000,
    title: null,
    text: "Four hours on hold",
    url: "https://example.com/1",
    domain: "example.com",
    language: "en",
    pageType: "twitter",
    author: "someone",
    authorName: null,
    verified: false,
    followers: null,
    reach: null,
    impact: null,
    impressions: null,
    country: null,
    countryCode: null,
    sentiment: "neutral",
    categories: [],
    tags: [],
    hashtags: [],
    reposts: null,
    repostOf: null,
    ...given,
  };
}
