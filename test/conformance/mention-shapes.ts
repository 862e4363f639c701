import { all, type Shape } from "./shape.ts";

/** Who and when; everything else may be null. */
const IDENTITY: Shape = {
  resourceId: "string",
  resourceType: "string?",
  queryId: "integer",
  queryName: "string",
  date: "timestamp?",
  added: "timestamp",
  updated: "timestamp",
  threadCreated: "timestamp?",
  lastAssignmentDate: "timestamp?",
};

/** The current version, group by group. */
export const CURRENT_FIELDS: Readonly<Record<string, Shape>> = {
  "Identity and time": IDENTITY,
  Content: all(
    "string?",
    `title snippet url originalUrl domain language pageType pageTypeName subtype threadId threadURL threadAuthor
    threadEntryType weblogTitle blogName parentBlogName rootBlogName parentPostId rootPostId pubType publisherSubType
    itemReview rating mediaFilter status replyTo retweetOf`,
  ),
  "Links and media": all("array?", "displayUrls expandedUrls shortUrls mediaUrls copyright imageInfo"),
  Match: all("array?", "matchPositions insightsHashtag insightsMentioned"),
  Author: {
    ...all("string?", "author fullname gender accountType avatarUrl authorVerifiedType"),
    ...all("array?", "interest professions"),
  },
  Location: {
    ...all(
      "string?",
      "city cityCode region regionCode country countryCode continent continentCode locationName",
    ),
    ...all("number?", "latitude longitude"),
  },
  "Audience metrics": all("integer?", "monthlyVisitors dailyVisitors impressions reachEstimate impact"),
  Workflow: {
    ...all("string?", "assignment priority"),
    ...all("boolean?", "checked starred"),
    ...all("array?", "tags categories categoryDetails"),
  },
  Classification: { classifications: "array?", sentiment: "string?" },
  Entities: { entityInfo: "array?" },
  Twitter: {
    ...all("string?", "twitterAuthorId twitterRole"),
    ...all(
      "integer?",
      "twitterFollowers twitterFollowing twitterPostCount twitterReplyCount twitterRetweets",
    ),
    twitterVerified: "boolean?",
  },
  Facebook: {
    ...all("string?", "facebookAuthorId facebookRole facebookSubtype"),
    ...all("integer?", "facebookComments facebookLikes facebookShares"),
  },
  Instagram: all(
    "integer?",
    `instagramCommentCount instagramFollowerCount instagramFollowingCount instagramInteractionsCount
    instagramLikeCount instagramPostCount`,
  ),
  LinkedIn: all(
    "integer?",
    "linkedinComments linkedinEngagement linkedinImpressions linkedinLikes linkedinShares linkedinVideoViews",
  ),
  TikTok: all("integer?", "tiktokComments tiktokLikes tiktokShares"),
  Bluesky: {
    blueskyAuthorId: "string?",
    ...all(
      "integer?",
      "blueskyFollowers blueskyFollowing blueskyLikes blueskyPosts blueskyQuotes blueskyReplies blueskyReposts",
    ),
  },
};

/** What the earlier version has besides. */
export const EARLIER_FIELDS: Shape = {
  ...all(
    "value",
    `authorCity authorCityCode authorContinent authorContinentCode authorCountry authorCountryCode authorCounty
    authorCountyCode authorLocation authorState authorStateCode county countyCode state stateCode
    averageDurationOfVisit averageVisits backlinks blogComments engagement forumPosts forumViews
    importanceAmplification importanceReach influence outreach pagesPerVisit percentFemaleVisitors
    percentMaleVisitors reach trackedLinkClicks wordCount trackedLinks`,
  ),
  mozRank: "number?",
  id: "integer",
  noteIds: "array?",
};

/** Shapes of the objects in lists. */
export const NESTED: Readonly<Record<string, Shape>> = {
  matchPositions: { start: "integer", text: "string", length: "integer" },
  categoryDetails: all("string", "id name parentId parentName"),
  classifications: { ...all("string", "classifierId labelId name"), confidence: "number" },
  entityInfo: { entityConfidence: "string", entityId: "integer", url: "string" },
  professions: all("value", "profession jobTitle"),
  imageInfo: { url: "string", imageDimensions: "object?", objects: "array?", scenes: "array?" },
};

export const MENTIONS_ENVELOPE: Shape = {
  results: "array",
  ...all("integer", "resultsTotal resultsPage resultsPageSize"),
  startDate: "timestamp",
  endDate: "timestamp",
};
