import type { Mention } from "../../src/model/mention.ts";
import type { Query } from "../../src/model/query.ts";

/** A mention of which the source told almost nothing, but for `known`. */
export function aMention(known: Partial<Mention> = {}): Mention {
  return {
    queryId: "q1",
    resourceId: "r1",
    publishedAt: 0,
    addedAt: 0,
    updatedAt: 0,
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
    ...known,
  };
}

export function aQuery(known: Partial<Query> = {}): Query {
  return { projectId: "p", queryId: "q1", name: "Acme", projectName: "Brands", timezone: "UTC", ...known };
}
