import { z } from "zod";

/**
 * Fields of the wire record that a line of an import file may bring along under their own names, by what they hold.
 * They are taken as they are: a file that was exported from a Listening API keeps what that one knew.
 */
const TEXTS = [
  "resourceType",
  "originalUrl",
  "domain",
  "pageTypeName",
  "subtype",
  "threadId",
  "threadURL",
  "threadAuthor",
  "threadEntryType",
  "threadCreated",
  "weblogTitle",
  "blogName",
  "parentBlogName",
  "rootBlogName",
  "parentPostId",
  "rootPostId",
  "pubType",
  "publisherSubType",
  "itemReview",
  "mediaFilter",
  "status",
  "replyTo",
  "retweetOf",
  "fullname",
  "gender",
  "accountType",
  "avatarUrl",
  "authorVerifiedType",
  "city",
  "cityCode",
  "region",
  "regionCode",
  "country",
  "countryCode",
  "continent",
  "continentCode",
  "locationName",
  "assignment",
  "lastAssignmentDate",
  "priority",
  "twitterAuthorId",
  "twitterRole",
  "facebookAuthorId",
  "facebookRole",
  "facebookSubtype",
  "blueskyAuthorId",
] as const;

const COUNTS = [
  "monthlyVisitors",
  "dailyVisitors",
  "impressions",
  "reachEstimate",
  "impact",
  "twitterFollowers",
  "twitterFollowing",
  "twitterPostCount",
  "twitterReplyCount",
  "twitterRetweets",
  "facebookComments",
  "facebookLikes",
  "facebookShares",
  "instagramCommentCount",
  "instagramFollowerCount",
  "instagramFollowingCount",
  "instagramInteractionsCount",
  "instagramLikeCount",
  "instagramPostCount",
  "linkedinComments",
  "linkedinEngagement",
  "linkedinImpressions",
  "linkedinLikes",
  "linkedinShares",
  "linkedinVideoViews",
  "tiktokComments",
  "tiktokLikes",
  "tiktokShares",
  "blueskyFollowers",
  "blueskyFollowing",
  "blueskyLikes",
  "blueskyPosts",
  "blueskyQuotes",
  "blueskyReplies",
  "blueskyReposts",
] as const;

const FLAGS = ["checked", "starred", "twitterVerified"] as const;

const LISTS = [
  "displayUrls",
  "expandedUrls",
  "shortUrls",
  "mediaUrls",
  "insightsHashtag",
  "insightsMentioned",
  "interest",
] as const;

const OBJECTS = ["imageInfo", "professions", "classifications", "entityInfo"] as const;

/** Shared by the shape of a line; each field may be absent or null. */
export const IMPORTED_FIELDS = {
  ...shapes(TEXTS, z.string().nullish()),
  ...shapes(COUNTS, z.int().nullish()),
  ...shapes(FLAGS, z.boolean().nullish()),
  ...shapes(LISTS, z.array(z.string()).nullish()),
  ...shapes(OBJECTS, z.array(z.record(z.string(), z.json())).nullish()),
};

/** Names in the order above. */
export const IMPORTED_NAMES = [...TEXTS, ...COUNTS, ...FLAGS, ...LISTS, ...OBJECTS] as const;

function shapes<Name extends string, Shape extends z.ZodType>(
  names: readonly Name[],
  shape: Shape,
): Record<Name, Shape> {
  return Object.fromEntries(names.map((name) => [name, shape])) as Record<Name, Shape>;
}
