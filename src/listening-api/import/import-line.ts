import { z } from "zod";
import { SENTIMENTS } from "../filters/content-filters.ts";
import { parseMoment } from "../parameters/parse-moment.ts";
import { PAGE_TYPES } from "../records/page-types.ts";

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
const IMPORTED_FIELDS = {
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

/** PostgreSQL keeps no NUL in text. */
const Name = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => !name.includes("\0"), "must not contain a NUL");

/** In the format of the Listening API. */
const Moment = z.string().transform((text, context) => {
  const at = parseMoment(text, "utc");
  if (typeof at === "number") return at;
  context.addIssue({ code: "custom", message: at });
  return z.NEVER;
});

const Count = z.int().min(0).nullish();
const Latitude = z.number().min(-90).max(90);
const Longitude = z.number().min(-180).max(180);

/**
 * One line of an import file. Only id, text and date are required; unknown fields are ignored. Text is unchanged and
 * untrusted. Besides the fields named here a line may have most fields of the wire record under their own names
 * (`IMPORTED_FIELDS`); of two names for one thing, the record's own counts.
 */
export const ImportLine = z.object({
  ...IMPORTED_FIELDS,
  id: z.union([z.string().min(1).max(500), z.int()]).transform(String),
  /** Becomes the query. Without it, the mention comes into every query of the project whose text it matches. */
  brand: Name.nullish(),
  /** The full text; the snippet is its beginning unless the line brings one along. */
  text: z.string(),
  snippet: z.string().nullish(),
  /** Becomes `date`; and `added`, the moment from which it is visible, unless that is given. */
  date: Moment,
  added: Moment.nullish(),
  updated: Moment.nullish(),
  /** Found by looking back rather than when it was published. */
  backfilled: z.boolean().nullish(),
  author: z.string().nullish(),
  title: z.string().nullish(),
  url: z.string().nullish(),
  language: z.string().nullish(),
  /** Its page type. If absent, it follows from the address, or from a field that only X has; else it is `general`. */
  pageType: z.enum(PAGE_TYPES).nullish(),
  location: z.string().nullish(),
  /** Latitude, longitude; 0, 0 is what devices send that do not know. */
  coordinates: z.tuple([Latitude, Longitude]).nullish(),
  latitude: Latitude.nullish(),
  longitude: Longitude.nullish(),
  sentiment: z.enum(SENTIMENTS).nullish(),
  rating: z.union([z.string(), z.number()]).nullish(),
  /** Becomes a subcategory of "Negative reason". */
  negativeReason: Name.nullish(),
  categoryDetails: z.array(z.object({ name: Name, parentName: Name })).nullish(),
  tags: z.array(Name).nullish(),
  /** Counts of the network of the post, whichever that is. */
  authorId: z.union([z.string(), z.int()]).transform(String).nullish(),
  verified: z.boolean().nullish(),
  followers: Count,
  following: Count,
  posts: Count,
  likes: Count,
  comments: Count,
  replies: Count,
  shares: Count,
  retweets: Count,
  quotes: Count,
  views: Count,
});
export type ImportLine = z.infer<typeof ImportLine>;

/** The line, or why it is invalid. */
export function parseImportLine(json: unknown): ImportLine | { reason: string } {
  const given = withShortNames(json);
  if (given === undefined) return { reason: "is no object" };
  const line: Record<string, unknown> = {};
  const faults: string[] = [];
  // Field by field: of more than a hundred that there may be, a line has a dozen, and a schema looks for all of them.
  for (const name in given) {
    const value: unknown = given[name];
    const shape = value === undefined ? undefined : SHAPES.get(name);
    const parsed = shape?.safeParse(value);
    if (parsed?.success) line[name] = parsed.data;
    else
      for (const { path, message } of parsed?.error.issues ?? [])
        faults.push([name, ...path, message].join(": "));
  }
  for (const name of REQUIRED)
    if (!(name in line) && given[name] === undefined) faults.push(`${name} is missing`);
  return faults.length === 0 ? (line as ImportLine) : { reason: faults.join("; ") };
}

const SHAPES: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(ImportLine.shape));
const REQUIRED = ["id", "text", "date"] as const;

/** A wire record, current or earlier, is a valid line too: its required fields have the names of the record. */
function withShortNames(json: unknown): Record<string, unknown> | undefined {
  if (typeof json !== "object" || json === null || Array.isArray(json)) return undefined;
  const line: Record<string, unknown> = { ...json };
  line["id"] ??= line["resourceId"];
  line["brand"] ??= line["queryName"];
  line["text"] ??= line["fullText"] ?? line["snippet"];
  line["date"] ??= line["added"];
  return line;
}
