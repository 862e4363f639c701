import { createHash } from "node:crypto";
import type { Instant } from "../../lib/instant.ts";
import { type CategoryDetail, type MentionFields, mentionRecord } from "../records/mention-record.ts";
import { insightsOf } from "../records/text-insights.ts";
import { wireTime } from "../records/wire-time.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import type { GeneratedMention } from "./generate-hour.ts";
import type { PageType, Post } from "./post.ts";
import { createRandom } from "./random.ts";
import type { Sentiment, Topic } from "./topics.ts";

/** Where generated mentions go: ids of queries by brand, categories by topic. */
export interface StreamTargets {
  readonly queries: ReadonlyMap<string, number>;
  readonly categories: ReadonlyMap<Topic, CategoryDetail>;
}

/** The versions of a generated mention: one, or two when its sentiment is corrected later. */
export function generatedVersions(
  seed: string,
  mention: GeneratedMention,
  targets: StreamTargets,
): MentionVersion[] {
  const { post, added, visibleAt, firstSentiment, correctedAt } = mention;
  const fields = fieldsOf(seed, post, added, targets);
  const version = (number: number, sentiment: Sentiment, updated: Instant): MentionVersion => ({
    version: number,
    record: mentionRecord({ ...fields, sentiment, updated: wireTime(updated) }),
    date: post.publishedAt,
    added,
    updated,
    visibleAt: number === 1 ? visibleAt : updated,
    supersededAt: number === 1 ? correctedAt : null,
    fullText: post.text,
  });
  const first = version(1, firstSentiment, added);
  return correctedAt === null ? [first] : [first, version(2, post.sentiment, correctedAt)];
}

const PAGE_TYPE_NAMES: Readonly<Record<PageType, string>> = {
  twitter: "Twitter",
  news: "News",
  forum: "Forum",
  reddit: "Reddit",
  instagram: "Instagram",
  review: "Review",
};

function fieldsOf(seed: string, post: Post, added: Instant, targets: StreamTargets): MentionFields {
  const queryId = targets.queries.get(post.brand);
  if (queryId === undefined) throw new Error(`no query for brand ${post.brand}`);
  const category = post.topic === null ? undefined : targets.categories.get(post.topic);
  const { author } = post;
  const { place } = author;
  return {
    resourceId: createHash("md5").update(`${seed}/${post.key}`).digest("hex"),
    resourceType: "generated",
    queryId,
    queryName: post.brand,
    date: wireTime(post.publishedAt),
    added: wireTime(added),
    updated: wireTime(added),
    title: post.title,
    snippet: post.text.slice(0, 280),
    url: post.url,
    originalUrl: post.url,
    domain: post.domain,
    language: post.language,
    pageType: post.pageType,
    pageTypeName: PAGE_TYPE_NAMES[post.pageType],
    threadEntryType: post.repostOf === null ? "post" : "share",
    retweetOf: post.repostOf?.url ?? null,
    rating: post.rating === null ? null : String(post.rating),
    ...insightsOf(post.text),
    author: author.handle,
    fullname: author.name,
    gender: author.gender,
    accountType: author.isOrganisation ? "organisational" : "individual",
    authorVerifiedType: author.verified,
    city: place.city,
    country: place.country,
    countryCode: place.countryCode,
    continent: place.continent,
    continentCode: place.continentCode,
    locationName: `${place.city}, ${place.country}`,
    monthlyVisitors: post.monthlyVisitors,
    ...audienceOf(seed, post),
    categories: category === undefined ? [] : [Number(category.id)],
    categoryDetails: category === undefined ? [] : [category],
  };
}

/** Impact grows with the logarithm of the audience, from 0 to 100; reach is the share of it that looks. */
function audienceOf(seed: string, post: Post): Partial<MentionFields> {
  const random = createRandom(seed, "audience", post.key);
  const { author } = post;
  const audience = post.monthlyVisitors === null ? author.followers : post.monthlyVisitors / 30;
  const common = {
    impact: Math.min(100, Math.round(Math.log10(audience + 1) * 13 + random.next() * 9)),
    reachEstimate: Math.round(audience * (0.08 + random.next() * 0.2)),
    impressions: Math.round(audience * (0.3 + random.next() * 0.9)),
  };
  if (post.pageType === "twitter") {
    return {
      ...common,
      twitterAuthorId: String(random.whole(10_000_000, 4_000_000_000)),
      twitterFollowers: author.followers,
      twitterFollowing: author.following,
      twitterPostCount: author.posts,
      twitterReplyCount: random.poisson(1),
      twitterRetweets: post.reposts,
      twitterVerified: author.verified !== null,
    };
  }
  if (post.pageType === "instagram") {
    return {
      ...common,
      instagramFollowerCount: author.followers,
      instagramFollowingCount: author.following,
      instagramPostCount: author.posts,
      instagramLikeCount: random.poisson(Math.min(400, author.followers / 30)),
      instagramCommentCount: random.poisson(2),
    };
  }
  return common;
}
