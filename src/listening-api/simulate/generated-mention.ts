import { createHash } from "node:crypto";
import type { Instant } from "../../lib/instant.ts";
import { findPlace, placeFields } from "../places/gazetteer.ts";
import { type CategoryDetail, type MentionFields, mentionRecord } from "../records/mention-record.ts";
import { excerptOf, SNIPPET_CHARACTERS } from "../records/mention-text.ts";
import { PAGE_TYPE_NAMES } from "../records/page-types.ts";
import { insightsOf, linkFields } from "../records/text-signs.ts";
import { wireTime } from "../records/wire.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { type Author, INTERESTS, PROFESSIONS } from "./authors.ts";
import { type HomePlace, OUTLETS, type Sentiment, type Topic } from "./data.ts";
import type { GeneratedMention } from "./generate-hour.ts";
import type { Post } from "./post.ts";
import { createRandom } from "./random.ts";

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
  const queryId = targets.queries.get(post.brand);
  if (queryId === undefined) throw new Error(`no query for brand ${post.brand}`);
  const category = post.topic === null ? undefined : targets.categories.get(post.topic);
  const fields = {
    ...generatedFields(seed, post),
    queryId,
    queryName: post.brand,
    added: wireTime(added),
    categories: category === undefined ? [] : [Number(category.id)],
    categoryDetails: category === undefined ? [] : [category],
  };
  const version = (number: number, sentiment: Sentiment, updated: Instant): MentionVersion => ({
    version: number,
    record: mentionRecord({
      ...fields,
      sentiment,
      classifications: emotionOf(seed, post, sentiment),
      updated: wireTime(updated),
    }),
    date: post.publishedAt,
    added,
    updated,
    visibleAt: number === 1 ? visibleAt : updated,
    supersededAt: number === 1 ? correctedAt : null,
    fullText: post.text,
    twitterLikeCount: likesOf(seed, post),
  });
  const first = version(1, firstSentiment, added);
  return correctedAt === null ? [first] : [first, version(2, post.sentiment, correctedAt)];
}

/** The fields of a post, in the format of the record. */
function generatedFields(seed: string, post: Post): Partial<MentionFields> & { readonly resourceId: string } {
  const { author } = post;
  return {
    resourceId: createHash("md5").update(`${seed}/${post.key}`).digest("hex"),
    resourceType: "generated",
    date: wireTime(post.publishedAt),
    title: post.title,
    snippet: excerptOf(post.text, SNIPPET_CHARACTERS),
    url: post.url,
    originalUrl: post.url,
    domain: post.domain,
    language: post.language,
    pageType: post.pageType,
    pageTypeName: PAGE_TYPE_NAMES[post.pageType] ?? null,
    threadEntryType: post.repostOf === null ? "post" : "share",
    threadURL: post.repostOf?.url ?? null,
    threadAuthor: post.repostOf?.handle ?? null,
    retweetOf: post.repostOf?.url ?? null,
    rating: post.rating === null ? null : String(post.rating),
    ...insightsOf(post.text),
    ...linkFields(post.text),
    author: author.handle,
    fullname: author.name,
    gender: author.gender,
    accountType: author.isOrganisation ? "organisational" : "individual",
    authorVerifiedType: author.verified,
    ...locationFields(author.place),
    ...siteFields(post),
    ...personFields(seed, author),
    monthlyVisitors: post.monthlyVisitors,
    dailyVisitors: post.monthlyVisitors === null ? null : Math.round(post.monthlyVisitors / 30),
    ...generatedAudience(seed, post),
  };
}

/** Where its author lives: larger places by the gazetteer, the city as the author calls it. */
function locationFields({
  city,
  country,
  countryCode,
  continent,
  continentCode,
}: HomePlace): Partial<MentionFields> {
  const found = findPlace(`${city}, ${country}`);
  return {
    ...(found === undefined ? {} : placeFields(found)),
    city,
    country,
    countryCode,
    continent,
    continentCode,
    locationName: `${city}, ${country}`,
  };
}

/** The name of its site or channel. */
function siteFields({ pageType, url, domain }: Post): Partial<MentionFields> {
  if (pageType === "news") return { weblogTitle: OUTLETS.find(({ site }) => site === domain)?.name ?? null };
  if (pageType === "reddit") return { weblogTitle: /\/(r\/\w+)\//.exec(url)?.[1] ?? null };
  return pageType === "forum" ? { weblogTitle: "Householders talk" } : {};
}

/** What is known of a person, always the same; nothing for many, and for organisations. */
function personFields(seed: string, { handle, isOrganisation }: Author): Partial<MentionFields> {
  const random = createRandom(seed, "person", handle);
  if (isOrganisation || random.chance(0.5)) return {};
  const interest = [...new Set([random.pick(INTERESTS), random.pick(INTERESTS)])];
  const profession = random.pick(PROFESSIONS);
  return { interest, professions: random.chance(0.4) ? [{ profession, jobTitle: null }] : [] };
}

/** Likes of a post on X, which the record has no field for but an order and a filter know; null for other posts. */
function likesOf(seed: string, post: Post): number | null {
  if (post.pageType !== "twitter" || post.repostOf !== null) return null;
  return createRandom(seed, "likes", post.key).poisson(
    Math.min(400, post.author.followers / 60 + 2 * post.reposts),
  );
}

/** Impact grows with the logarithm of the audience, from 0 to 100; reach is the share of it that looks. */
function generatedAudience(seed: string, post: Post): Partial<MentionFields> {
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
    const likes = random.poisson(Math.min(400, author.followers / 30));
    const comments = random.poisson(2);
    return {
      ...common,
      instagramFollowerCount: author.followers,
      instagramFollowingCount: author.following,
      instagramPostCount: author.posts,
      instagramLikeCount: likes,
      instagramCommentCount: comments,
      instagramInteractionsCount: likes + comments,
    };
  }
  return common;
}

/** What the feeling of a post was judged to be, as the record shows classifications; for many posts nothing. */
function emotionOf(seed: string, post: Post, sentiment: Sentiment) {
  const random = createRandom(seed, "emotion", post.key);
  if (sentiment === "neutral" || random.chance(0.4)) return [];
  const emotion = random.pick(sentiment === "positive" ? GLAD : UPSET);
  const confidence = Math.round((0.55 + random.next() * 0.44) * 100) / 100;
  return [{ classifierId: "emotions", labelId: emotion, name: emotion, confidence }];
}

const GLAD = ["Joy", "Joy", "Joy", "Surprise"];
const UPSET = ["Anger", "Anger", "Anger", "Disgust", "Fear", "Sadness", "Sadness"];
