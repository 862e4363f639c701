import { hash } from "node:crypto";
import type { Instant } from "../../lib/instant.ts";
import { findPlace, placeFields } from "../places/gazetteer.ts";
import { type CategoryDetail, type MentionFields, mentionRecord } from "../records/mention-record.ts";
import { excerptOf, repostedText, SNIPPET_CHARACTERS } from "../records/mention-text.ts";
import { PAGE_TYPE_NAMES, pageTypeOfSite, siteOfPageType } from "../records/page-types.ts";
import { domainOf, insightsOf, linkFields } from "../records/text-signs.ts";
import { wireTime } from "../records/wire.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { IMPORTED_NAMES, type ImportLine } from "./import-line.ts";

/** The data of a mention in the file, with names of the project. */
export interface ImportedLabels {
  readonly categories: readonly CategoryDetail[];
  readonly tags: readonly { readonly id: number; readonly name: string }[];
}

/** The mention enters at this moment; its date stays. */
export function enteringAt(version: MentionVersion, at: Instant): MentionVersion {
  const times = { added: wireTime(at), updated: wireTime(at) };
  const record = { ...version.record, ...times };
  return { ...version, record, added: at, updated: at, visibleAt: at };
}

/**
 * Turns a line of an import file into a mention: visible from its `added` on, and never changed. Missing fields are
 * derived from text and address if possible.
 */
export function importedMention(
  line: ImportLine,
  query: { readonly id: number; readonly name: string },
  { categories, tags }: ImportedLabels,
): MentionVersion {
  const added = line.added ?? line.date;
  const updated = Math.max(added, line.updated ?? added);
  const addedText = wireTime(added);
  const named: MentionFields = {
    resourceId: resourceIdOf(line.id),
    queryId: query.id,
    queryName: query.name,
    date: line.date === added ? addedText : wireTime(line.date),
    added: addedText,
    updated: updated === added ? addedText : wireTime(updated),
    tags: tags.map((tag) => tag.name),
    categories: categories.map((category) => Number(category.id)),
    categoryDetails: categories,
  };
  const pageType = pageTypeOf(line);
  const record = mentionRecord(
    named,
    derivedFields(line, pageType),
    threadFields(line.text),
    linkFields(line.text),
    insightsOf(line.text),
    locationFields(line),
    networkFields(line, pageType),
    broughtAlong(line),
  );
  return {
    version: 1,
    record,
    date: line.date,
    added,
    updated,
    visibleAt: added,
    supersededAt: null,
    backfilled: line.backfilled === true,
    fullText: line.text,
    tagIds: tags.map((tag) => tag.id),
    twitterLikeCount: record.pageType === "twitter" ? (line.likes ?? null) : null,
  };
}

function pageTypeOf(line: ImportLine): string {
  if (line.pageType != null) return line.pageType;
  const site = domainOf(line.url);
  return site === null && isOfX(line) ? "twitter" : (pageTypeOfSite(site ?? "") ?? "general");
}

function derivedFields(line: ImportLine, pageType: string): Partial<MentionFields> {
  return {
    resourceType: "import",
    title: line.title ?? null,
    snippet: line.snippet ?? excerptOf(line.text, SNIPPET_CHARACTERS),
    url: line.url ?? null,
    originalUrl: line.url ?? null,
    domain: domainOf(line.url) ?? siteOfPageType(pageType),
    language: line.language ?? null,
    pageType,
    pageTypeName: PAGE_TYPE_NAMES[pageType] ?? null,
    rating: line.rating == null ? null : String(line.rating),
    sentiment: line.sentiment ?? null,
    author: line.author ?? null,
    gender: "unknown",
  };
}

/** Without page type and address, only fields and signs of X identify the network. */
function isOfX(line: ImportLine): boolean {
  return (
    line.retweets != null ||
    /^\s*RT @\w/.test(line.text) ||
    IMPORTED_NAMES.some((name) => name.startsWith("twitter") && line[name] != null)
  );
}

/** The record's own fields, as far as the line has them: a null says no more than a field that is not there. */
function broughtAlong(line: ImportLine): Partial<MentionFields> {
  const fields: Record<string, unknown> = {};
  for (const name in line) {
    const value = line[name as keyof ImportLine];
    if (value !== undefined && value !== null && BROUGHT_ALONG.has(name)) fields[name] = value;
  }
  return fields;
}

const BROUGHT_ALONG: ReadonlySet<string> = new Set(IMPORTED_NAMES);

/** City or country of the file count more than an author's profile. */
function locationFields(line: ImportLine): Partial<MentionFields> {
  const { location, coordinates, latitude, longitude } = line;
  const isNamed = (line.city ?? line.region ?? line.country ?? line.continent) != null;
  const place = isNamed || location == null ? {} : placeOf(location);
  const [north = null, east = null] = coordinates ?? [latitude, longitude];
  // One of the two alone is no place.
  const isLocated = north !== null && east !== null && (north !== 0 || east !== 0);
  return {
    ...place,
    locationName: location ?? null,
    latitude: isLocated ? north : null,
    longitude: isLocated ? east : null,
  };
}

/** The words of profiles repeat from line to line. */
function placeOf(location: string): Partial<MentionFields> {
  const known = places.get(location);
  if (known !== undefined) return known;
  const place = findPlace(location);
  const fields = place === undefined ? {} : placeFields(place);
  if (places.size >= REMEMBERED_PLACES) places.clear();
  places.set(location, fields);
  return fields;
}

const REMEMBERED_PLACES = 10_000;
/** Only spares the search: what a name means never changes. */
const places = new Map<string, Partial<MentionFields>>();

function threadFields(text: string): Partial<MentionFields> {
  const repost = repostedText(text);
  return {
    threadEntryType: repost !== null ? "share" : text.startsWith("@") ? "reply" : "post",
    threadAuthor: repost?.author ?? null,
    retweetOf: repost && repostId(repost),
  };
}

/** The file does not say which post was repeated; author and text name it well enough to bring copies together. */
function repostId({ author, text }: { author: string; text: string }): string {
  return `urn:post:${author}:${hash("md5", text).slice(0, 16)}`;
}

/** 32 hex digits, as records have them: an id that is one already stays. */
function resourceIdOf(id: string): string {
  return /^[0-9a-f]{32}$/.test(id) ? id : hash("md5", id);
}

/** Maps counts that a file gives without a network to the fields of the post's network. */
function networkFields(line: ImportLine, pageType: string): Partial<MentionFields> {
  return FIELDS[pageType]?.(line) ?? {};
}

const FIELDS: Readonly<Record<string, (line: ImportLine) => Partial<MentionFields>>> = {
  twitter: ({ authorId, followers, following, posts, replies, comments, retweets, shares, verified }) => ({
    twitterAuthorId: authorId ?? null,
    twitterFollowers: followers ?? null,
    twitterFollowing: following ?? null,
    twitterPostCount: posts ?? null,
    twitterReplyCount: replies ?? comments ?? null,
    twitterRetweets: retweets ?? shares ?? null,
    twitterVerified: verified ?? null,
  }),
  facebook: ({ authorId, comments, likes, shares }) => ({
    facebookAuthorId: authorId ?? null,
    facebookComments: comments ?? null,
    facebookLikes: likes ?? null,
    facebookShares: shares ?? null,
  }),
  instagram: ({ comments, followers, following, likes, posts }) => ({
    instagramCommentCount: comments ?? null,
    instagramFollowerCount: followers ?? null,
    instagramFollowingCount: following ?? null,
    instagramLikeCount: likes ?? null,
    instagramPostCount: posts ?? null,
    instagramInteractionsCount: likes == null && comments == null ? null : (likes ?? 0) + (comments ?? 0),
  }),
  linkedin: ({ comments, likes, shares, views }) => ({
    linkedinComments: comments ?? null,
    linkedinLikes: likes ?? null,
    linkedinShares: shares ?? null,
    linkedinVideoViews: views ?? null,
  }),
  tiktok: ({ comments, likes, shares }) => ({
    tiktokComments: comments ?? null,
    tiktokLikes: likes ?? null,
    tiktokShares: shares ?? null,
  }),
  bluesky: ({
    authorId,
    followers,
    following,
    likes,
    posts,
    quotes,
    replies,
    comments,
    retweets,
    shares,
  }) => ({
    blueskyAuthorId: authorId ?? null,
    blueskyFollowers: followers ?? null,
    blueskyFollowing: following ?? null,
    blueskyLikes: likes ?? null,
    blueskyPosts: posts ?? null,
    blueskyQuotes: quotes ?? null,
    blueskyReplies: replies ?? comments ?? null,
    blueskyReposts: retweets ?? shares ?? null,
  }),
};
