/** What a field of a stored mention holds: numbers are bigint or double precision, moments timestamptz. */
export type FieldType = "text" | "texts" | "ids" | "number" | "flag" | "moment";

/**
 * What filters, orders, counts and charts know of a stored mention: field name -> type. The column of a field is its
 * name in snake case, see `fieldSql`. Names are those of the wire record where the record has the field. Every column
 * of `local_api.mention` that is not here is of no use to them: `id`, `version`, `shape_id`, `filled_fields`, `full_text`,
 * `visible_at`, `superseded_at`.
 *
 * Not in the record: `url` (the original one where there is one), `dateKnown` (false where `added` stands in for a
 * date that the source withholds), `insightsUrl` (what the text links to), `insightsSharedSite` (the domains of
 * these), `insightsEmoji`, `insightsEmoticon`, `repliedAuthor` and `sharedAuthor` (whose post this answers or
 * repeats, in lower case, no sign), `profession` (names only), `classifications` (`classifierId:labelId`),
 * `parentCategories`, `logoGroups`, `logoVersions`, `twitterLikeCount`.
 */
export const MENTION_FIELDS = {
  queryId: "number",
  resourceId: "text",
  date: "moment",
  added: "moment",
  updated: "moment",
  dateKnown: "flag",
  backfilled: "flag",
  checked: "flag",
  starred: "flag",
  lastAssignmentDate: "moment",
  sentiment: "text",
  pageType: "text",
  language: "text",
  author: "text",
  impact: "number",
  impressions: "number",
  reachEstimate: "number",
  monthlyVisitors: "number",
  categories: "ids",
  parentCategories: "ids",
  tags: "ids",
  resourceType: "text",
  subtype: "text",
  title: "text",
  url: "text",
  domain: "text",
  weblogTitle: "text",
  threadId: "text",
  threadAuthor: "text",
  threadEntryType: "text",
  replyTo: "text",
  retweetOf: "text",
  repliedAuthor: "text",
  sharedAuthor: "text",
  fullname: "text",
  gender: "text",
  accountType: "text",
  authorVerifiedType: "text",
  interest: "texts",
  profession: "texts",
  classifications: "texts",
  assignment: "text",
  status: "text",
  priority: "text",
  city: "text",
  cityCode: "text",
  region: "text",
  regionCode: "text",
  country: "text",
  countryCode: "text",
  continent: "text",
  continentCode: "text",
  locationName: "text",
  latitude: "number",
  longitude: "number",
  insightsHashtag: "texts",
  insightsMentioned: "texts",
  insightsUrl: "texts",
  insightsSharedSite: "texts",
  insightsEmoji: "texts",
  insightsEmoticon: "texts",
  logoGroups: "ids",
  logoVersions: "ids",
  twitterAuthorId: "text",
  twitterRole: "text",
  twitterVerified: "flag",
  twitterFollowers: "number",
  twitterFollowing: "number",
  twitterPostCount: "number",
  twitterReplyCount: "number",
  twitterRetweets: "number",
  twitterLikeCount: "number",
  facebookAuthorId: "text",
  facebookRole: "text",
  facebookSubtype: "text",
  facebookComments: "number",
  facebookLikes: "number",
  facebookShares: "number",
  instagramCommentCount: "number",
  instagramFollowerCount: "number",
  instagramFollowingCount: "number",
  instagramInteractionsCount: "number",
  instagramLikeCount: "number",
  instagramPostCount: "number",
  linkedinComments: "number",
  linkedinEngagement: "number",
  linkedinImpressions: "number",
  linkedinLikes: "number",
  linkedinShares: "number",
  linkedinVideoViews: "number",
} as const satisfies Readonly<Record<string, FieldType>>;

export type MentionField = keyof typeof MENTION_FIELDS;

/** The fields of one type. */
export type FieldOf<Type extends FieldType> = {
  [Name in MentionField]: (typeof MENTION_FIELDS)[Name] extends Type ? Name : never;
}[MentionField];
