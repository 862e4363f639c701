import { EMPTY_MENTION } from "./empty-fields.ts";

/** A mention as the current version of the API shows it: every field is there, null or empty where it says nothing. */
export type MentionRecord = {
  // Identity and time
  readonly resourceId: string;
  readonly resourceType: string | null;
  readonly queryId: number;
  readonly queryName: string;
  readonly date: string | null;
  readonly added: string;
  readonly updated: string;
  readonly threadCreated: string | null;
  readonly lastAssignmentDate: string | null;
  // Content
  readonly title: string | null;
  readonly snippet: string | null;
  readonly url: string | null;
  readonly originalUrl: string | null;
  readonly domain: string | null;
  readonly language: string | null;
  readonly pageType: string | null;
  readonly pageTypeName: string | null;
  readonly subtype: string | null;
  readonly threadId: string | null;
  readonly threadURL: string | null;
  readonly threadAuthor: string | null;
  readonly threadEntryType: string | null;
  readonly weblogTitle: string | null;
  readonly blogName: string | null;
  readonly parentBlogName: string | null;
  readonly rootBlogName: string | null;
  readonly parentPostId: string | null;
  readonly rootPostId: string | null;
  readonly pubType: string | null;
  readonly publisherSubType: string | null;
  readonly itemReview: string | null;
  readonly rating: string | null;
  readonly mediaFilter: string | null;
  readonly status: string | null;
  readonly replyTo: string | null;
  readonly retweetOf: string | null;
  // Links and media
  readonly displayUrls: readonly string[];
  readonly expandedUrls: readonly string[];
  readonly shortUrls: readonly string[];
  readonly mediaUrls: readonly string[];
  readonly copyright: readonly string[];
  readonly imageInfo: readonly object[];
  // Match
  readonly matchPositions: readonly {
    readonly start: number;
    readonly text: string;
    readonly length: number;
  }[];
  readonly insightsHashtag: readonly string[];
  readonly insightsMentioned: readonly string[];
  // Author
  readonly author: string | null;
  readonly fullname: string | null;
  readonly gender: string | null;
  readonly accountType: string | null;
  readonly avatarUrl: string | null;
  readonly authorVerifiedType: string | null;
  readonly interest: readonly string[];
  readonly professions: readonly object[];
  // Location
  readonly city: string | null;
  readonly cityCode: string | null;
  readonly region: string | null;
  readonly regionCode: string | null;
  readonly country: string | null;
  readonly countryCode: string | null;
  readonly continent: string | null;
  readonly continentCode: string | null;
  readonly locationName: string | null;
  readonly latitude: number | null;
  readonly longitude: number | null;
  // Audience metrics
  readonly monthlyVisitors: number | null;
  readonly dailyVisitors: number | null;
  readonly impressions: number | null;
  readonly reachEstimate: number | null;
  readonly impact: number | null;
  // Workflow
  readonly assignment: string | null;
  readonly priority: string | null;
  readonly checked: boolean;
  readonly starred: boolean;
  readonly tags: readonly string[];
  readonly categories: readonly number[];
  readonly categoryDetails: readonly CategoryDetail[];
  // Classification
  readonly classifications: readonly object[];
  readonly sentiment: string | null;
  // Entities
  readonly entityInfo: readonly object[];
  // X, formerly Twitter
  readonly twitterAuthorId: string | null;
  readonly twitterRole: string | null;
  readonly twitterFollowers: number | null;
  readonly twitterFollowing: number | null;
  readonly twitterPostCount: number | null;
  readonly twitterReplyCount: number | null;
  readonly twitterRetweets: number | null;
  readonly twitterVerified: boolean | null;
  // Facebook
  readonly facebookAuthorId: string | null;
  readonly facebookRole: string | null;
  readonly facebookSubtype: string | null;
  readonly facebookComments: number | null;
  readonly facebookLikes: number | null;
  readonly facebookShares: number | null;
  // Instagram
  readonly instagramCommentCount: number | null;
  readonly instagramFollowerCount: number | null;
  readonly instagramFollowingCount: number | null;
  readonly instagramInteractionsCount: number | null;
  readonly instagramLikeCount: number | null;
  readonly instagramPostCount: number | null;
  // LinkedIn
  readonly linkedinComments: number | null;
  readonly linkedinEngagement: number | null;
  readonly linkedinImpressions: number | null;
  readonly linkedinLikes: number | null;
  readonly linkedinShares: number | null;
  readonly linkedinVideoViews: number | null;
  // TikTok
  readonly tiktokComments: number | null;
  readonly tiktokLikes: number | null;
  readonly tiktokShares: number | null;
  // Bluesky
  readonly blueskyAuthorId: string | null;
  readonly blueskyFollowers: number | null;
  readonly blueskyFollowing: number | null;
  readonly blueskyLikes: number | null;
  readonly blueskyPosts: number | null;
  readonly blueskyQuotes: number | null;
  readonly blueskyReplies: number | null;
  readonly blueskyReposts: number | null;
};

export interface CategoryDetail {
  readonly id: string;
  readonly name: string;
  readonly parentId: string;
  readonly parentName: string;
}

/** The fields of a mention that have a value. */
export type MentionFields = Pick<
  MentionRecord,
  "resourceId" | "queryId" | "queryName" | "added" | "updated"
> &
  Partial<MentionRecord>;

/**
 * The complete record, fields in the order of the spec; of two parts that have a field, the later one counts. Written
 * field by field: an import makes one of every line, and joining objects of so many fields costs several times that.
 */
export function mentionRecord(
  fields: MentionFields,
  ...more: readonly Partial<MentionFields>[]
): MentionRecord {
  const record: Partial<Record<keyof MentionRecord, unknown>> = { ...EMPTY_MENTION };
  for (const part of [fields, ...more])
    for (const name in part) record[name as keyof MentionFields] = part[name as keyof MentionFields];
  return record as MentionRecord;
}
