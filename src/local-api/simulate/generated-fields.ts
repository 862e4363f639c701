import { createHash } from "node:crypto";
import { findPlace, placeFields } from "../places/gazetteer.ts";
import type { MentionFields } from "../records/mention-record.ts";
import { excerptOf, SNIPPET_CHARACTERS } from "../records/mention-text.ts";
import { PAGE_TYPE_NAMES } from "../records/page-types.ts";
import { insightsOf, linkFields } from "../records/text-signs.ts";
import { wireTime } from "../records/wire.ts";
import { type Author, INTERESTS, PROFESSIONS } from "./authors.ts";
import { generatedAudience } from "./generated-audience.ts";
import { OUTLETS } from "./outlets.ts";
import type { Place } from "./places.ts";
import type { Post } from "./post.ts";
import { createRandom } from "./random.ts";

/** The fields of a post, in the format of the record. */
export function generatedFields(
  seed: string,
  post: Post,
): Partial<MentionFields> & { readonly resourceId: string } {
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
}: Place): Partial<MentionFields> {
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
