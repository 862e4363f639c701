/** What the spec says of the mention record, group by group: field -> type. Every field but the first two may be null. */
export const CURRENT_FIELDS: Readonly<Record<string, FieldKind>> = {
  // Identity and time
  resourceId: "string",
  queryId: "integer",
  ...all("string", "resourceType", "queryName"),
  ...all("timestamp", "date", "added", "updated", "threadCreated", "lastAssignmentDate"),
  // Content
  ...all(
    "string",
    "title",
    "snippet",
    "url",
    "originalUrl",
    "domain",
    "language",
    "pageType",
    "pageTypeName",
  ),
  ...all("string", "subtype", "threadId", "threadURL", "threadAuthor", "threadEntryType", "weblogTitle"),
  ...all("string", "blogName", "parentBlogName", "rootBlogName", "parentPostId", "rootPostId", "pubType"),
  ...all(
    "string",
    "publisherSubType",
    "itemReview",
    "rating",
    "mediaFilter",
    "status",
    "replyTo",
    "retweetOf",
  ),
  // Links and media
  ...all("strings", "displayUrls", "expandedUrls", "shortUrls", "mediaUrls"),
  ...all("array", "copyright", "imageInfo"),
  // Match
  matchPositions: "array",
  ...all("strings", "insightsHashtag", "insightsMentioned"),
  // Author
  ...all("string", "author", "fullname", "gender", "accountType", "avatarUrl", "authorVerifiedType"),
  interest: "strings",
  professions: "array",
  // Location
  ...all("string", "city", "cityCode", "region", "regionCode", "country", "countryCode"),
  ...all("string", "continent", "continentCode", "locationName"),
  ...all("number", "latitude", "longitude"),
  // Audience metrics
  ...all("integer", "monthlyVisitors", "dailyVisitors", "impressions", "reachEstimate", "impact"),
  // Workflow
  ...all("string", "assignment", "priority"),
  ...all("boolean", "checked", "starred"),
  tags: "array",
  categories: "integers",
  categoryDetails: "array",
  // Classification, entities
  classifications: "array",
  sentiment: "string",
  entityInfo: "array",
  // Networks
  ...all("string", "twitterAuthorId", "twitterRole"),
  ...all("integer", "twitterFollowers", "twitterFollowing", "twitterPostCount", "twitterReplyCount"),
  twitterRetweets: "integer",
  twitterVerified: "boolean",
  ...all("string", "facebookAuthorId", "facebookRole", "facebookSubtype"),
  ...all("integer", "facebookComments", "facebookLikes", "facebookShares"),
  ...all("integer", "instagramCommentCount", "instagramFollowerCount", "instagramFollowingCount"),
  ...all("integer", "instagramInteractionsCount", "instagramLikeCount", "instagramPostCount"),
  ...all("integer", "linkedinComments", "linkedinEngagement", "linkedinImpressions", "linkedinLikes"),
  ...all("integer", "linkedinShares", "linkedinVideoViews"),
  ...all("integer", "tiktokComments", "tiktokLikes", "tiktokShares"),
  blueskyAuthorId: "string",
  ...all("integer", "blueskyFollowers", "blueskyFollowing", "blueskyLikes", "blueskyPosts", "blueskyQuotes"),
  ...all("integer", "blueskyReplies", "blueskyReposts"),
};

/** The fields that only the earlier version has, and those of the current one that have another type there. */
export const EARLIER_FIELDS: Readonly<Record<string, FieldKind>> = {
  ...CURRENT_FIELDS,
  ...all("integer", "id", "resourceId"),
  ...all("string", "authorCity", "authorCityCode", "authorContinent", "authorContinentCode", "authorCountry"),
  ...all("string", "authorCountryCode", "authorCounty", "authorCountyCode", "authorLocation", "authorState"),
  ...all("string", "authorStateCode", "county", "countyCode", "state", "stateCode"),
  ...all("number", "averageDurationOfVisit", "averageVisits", "backlinks", "blogComments", "engagement"),
  ...all("number", "forumPosts", "forumViews", "importanceAmplification", "importanceReach", "influence"),
  ...all("number", "mozRank", "outreach", "pagesPerVisit", "percentFemaleVisitors", "percentMaleVisitors"),
  ...all("number", "reach", "trackedLinkClicks", "wordCount"),
  noteIds: "array",
  trackedLinks: "array",
};

export type FieldKind =
  | "string"
  | "timestamp"
  | "integer"
  | "number"
  | "boolean"
  | "strings"
  | "integers"
  | "array";

/** Whether a value is of the kind; null is of every kind. */
export function isOfKind(kind: FieldKind, value: unknown): boolean {
  if (value === null) return true;
  switch (kind) {
    case "string":
      return typeof value === "string";
    case "timestamp":
      return typeof value === "string" && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/.test(value);
    case "integer":
      return Number.isSafeInteger(value);
    case "number":
      return typeof value === "number";
    case "boolean":
      return typeof value === "boolean";
    case "strings":
      return Array.isArray(value) && value.every((item) => typeof item === "string");
    case "integers":
      return Array.isArray(value) && value.every(Number.isSafeInteger);
    case "array":
      return Array.isArray(value);
  }
}

function all(kind: FieldKind, ...names: readonly string[]): Record<string, FieldKind> {
  return Object.fromEntries(names.map((name) => [name, kind]));
}
