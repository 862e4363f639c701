import type { Instant } from "../../lib/instant.ts";
import { cutText, LONGEST_TEXT, storableText } from "../../lib/text.ts";
import type { Mention, MentionCategory } from "../model/mention.ts";
import { parseWireInstant } from "./wire-values.ts";

/** A mention that cannot be stored: it has no identity or no time. */
export interface Rejection {
  readonly resourceId: string | null;
  /** The query that it belongs to; missing if it does not say. */
  readonly queryId?: string | undefined;
  readonly reason: string;
}

type MentionOutcome =
  | { readonly mention: Mention; readonly rejection: null }
  | { readonly mention: null; readonly rejection: Rejection };

/** The fields that are read, of the current version and the earlier one. Their types are not trusted. */
type WireMention = { readonly [Field in UsedField]?: unknown };
type UsedField =
  | "id"
  | "resourceId"
  | "resourceType"
  | "queryId"
  | "date"
  | "added"
  | "updated"
  | "title"
  | "snippet"
  | "fullText"
  | "fulltext"
  | "url"
  | "originalUrl"
  | "domain"
  | "language"
  | "pageType"
  | "contentSource"
  | "author"
  | "fullname"
  | "weblogTitle"
  | "blogName"
  | "authorVerifiedType"
  | "twitterVerified"
  | "twitterFollowers"
  | "instagramFollowerCount"
  | "blueskyFollowers"
  | "reachEstimate"
  | "reach"
  | "impact"
  | "impressions"
  | "country"
  | "countryCode"
  | "sentiment"
  | "classifications"
  | "categories"
  | "categoryDetails"
  | "tags"
  | "insightsHashtag"
  | "twitterRetweets"
  | "retweetOf";

/**
 * One mention of the wire, in either version's shape, as the model has it. A field of a wrong type counts as missing
 * and the mention stays; only one without identity or without any time is rejected. Never throws.
 *
 * This is a hand-written schema: the same fields in zod, each tolerant by itself (`.nullable().catch(null)`), cost
 * three times as much for each page before anything is mapped.
 *
 * `read` makes a raw string readable and storable (see parse-json.ts).
 */
export function toMention(value: unknown, read: ReadText = storableText): MentionOutcome {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return reject(null, "it is not an object");
  }
  const wire = value as WireMention;
  // The earlier version has both, equal.
  const resourceId = toId(wire.resourceId, read) ?? toId(wire.id, read);
  const queryId = toId(wire.queryId, read);
  if (resourceId === null) return reject(null, "resourceId is missing or unusable", queryId ?? undefined);
  if (queryId === null) return reject(resourceId, "queryId is missing or unusable");
  const publishedAt = toInstant(wire.date);
  const addedAt = toInstant(wire.added) ?? publishedAt;
  if (wire.resourceType === "deleted") {
    // Times are welcome, and not needed.
    const updatedAt = toInstant(wire.updated) ?? addedAt ?? 0;
    const times = { publishedAt, addedAt: addedAt ?? updatedAt, updatedAt };
    return { rejection: null, mention: { ...NO_CONTENT, queryId, resourceId, ...times, isDeleted: true } };
  }
  if (addedAt === null) return reject(resourceId, "neither added nor date is a moment", queryId);
  const relevance = toRelevance(wire.classifications);
  const site =
    toShortText(wire.weblogTitle, read, LONGEST_NAME) ?? toShortText(wire.blogName, read, LONGEST_NAME);
  const updatedAt = Math.max(addedAt, toInstant(wire.updated) ?? addedAt);

  return {
    rejection: null,
    mention: {
      queryId,
      resourceId,
      publishedAt,
      addedAt,
      updatedAt,
      title: toShortText(wire.title, read, LONGEST_TEXT),
      text:
        toShortText(wire.fullText, read, LONGEST_TEXT) ??
        toShortText(wire.fulltext, read, LONGEST_TEXT) ??
        toShortText(wire.snippet, read, LONGEST_TEXT),
      url: toText(wire.url, read) ?? toText(wire.originalUrl, read),
      domain: toText(wire.domain, read),
      language: toText(wire.language, read),
      // The newer field replaces the older one if a source sends it.
      pageType: toText(wire.pageType, read) ?? toText(wire.contentSource, read),
      author: toShortText(wire.author, read, LONGEST_NAME),
      authorName: toShortText(wire.fullname, read, LONGEST_NAME),
      ...(site !== null && { site }),
      verified: toVerified(wire),
      followers:
        toCount(wire.twitterFollowers) ??
        toCount(wire.instagramFollowerCount) ??
        toCount(wire.blueskyFollowers),
      reach: toCount(wire.reachEstimate) ?? toCount(wire.reach),
      impact: typeof wire.impact === "number" && Number.isFinite(wire.impact) ? wire.impact : null,
      impressions: toCount(wire.impressions),
      country: toText(wire.country, read),
      countryCode: toText(wire.countryCode, read),
      sentiment: toText(wire.sentiment, read),
      ...(relevance !== null && { relevance }),
      categories: toCategories(wire, read),
      tags: toTexts(wire.tags, read),
      hashtags: toTexts(wire.insightsHashtag, read),
      reposts: toCount(wire.twitterRetweets),
      repostOf: toText(wire.retweetOf, read),
    },
  };
}

type ReadText = (raw: string) => string;

/** What a deleted mention has, even if the source still sends something of it. */
const NO_CONTENT = {
  ...{ title: null, text: null, url: null, domain: null, language: null, pageType: null },
  ...{ author: null, authorName: null, verified: null, followers: null, reach: null, impact: null },
  ...{ impressions: null, country: null, countryCode: null, sentiment: null },
  ...{ categories: [], tags: [], hashtags: [], reposts: null, repostOf: null },
} as const;

const LONGEST_NAME = 1_000;
const NONE: readonly never[] = Object.freeze([]);

function reject(resourceId: string | null, reason: string, queryId?: string): MentionOutcome {
  const rejection = { resourceId, reason, queryId };
  return { mention: null, rejection };
}

/** Ids are text. An integer that has lost its last digits is no identity: two mentions could share it. */
function toId(raw: unknown, read: ReadText): string | null {
  if (typeof raw === "number") return Number.isSafeInteger(raw) ? String(raw) : null;
  return toText(raw, read);
}

/** An empty text counts as missing. */
function toText(raw: unknown, read: ReadText): string | null {
  return typeof raw === "string" && raw !== "" ? read(raw) : null;
}

/** Cut before it is read as well, because reading costs. Undecoded text has up to four units a character. */
function toShortText(raw: unknown, read: ReadText, most: number): string | null {
  if (typeof raw !== "string" || raw === "") return null;
  return cutText(read(raw.length > 4 * most ? raw.slice(0, 4 * most) : raw), most);
}

function toInstant(raw: unknown): Instant | null {
  return typeof raw === "string" ? parseWireInstant(raw) : null;
}

/** A whole number that a bigint column takes. */
function toCount(raw: unknown): number | null {
  if (typeof raw !== "number") return null;
  const whole = Math.round(raw);
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : null;
}

/** `authorVerifiedType` (blue, business, government) is newer than the flag, which then stays false. */
function toVerified(wire: WireMention): boolean | null {
  if (typeof wire.authorVerifiedType === "string" && wire.authorVerifiedType !== "") return true;
  return typeof wire.twitterVerified === "boolean" ? wire.twitterVerified : null;
}

/** Ours: the local Listening API stores what an analyser said as the classification `relevance`. */
function toRelevance(raw: unknown): number | null {
  if (!Array.isArray(raw) || raw.length === 0) return null;
  for (const item of raw as readonly unknown[]) {
    if (typeof item !== "object" || item === null) continue;
    const { classifierId, confidence } = item as { classifierId?: unknown; confidence?: unknown };
    if (classifierId === "relevance" && typeof confidence === "number" && confidence >= 0 && confidence <= 1)
      return confidence;
  }
  return null;
}

function toCategories(wire: WireMention, read: ReadText): readonly MentionCategory[] {
  const details = wire.categoryDetails;
  if (Array.isArray(details) && details.length > 0) {
    const found: MentionCategory[] = [];
    for (const detail of details as readonly unknown[]) {
      if (typeof detail !== "object" || detail === null) continue;
      const record = detail as { id?: unknown; name?: unknown; parentId?: unknown; parentName?: unknown };
      const id = toId(record.id, read);
      if (id === null) continue;
      found.push({
        id,
        name: toText(record.name, read),
        parentId: toId(record.parentId, read),
        parentName: toText(record.parentName, read),
      });
    }
    if (found.length > 0) return found;
  }
  return toTexts(wire.categories, read).map((id) => ({ id, name: null, parentId: null, parentName: null }));
}

/** A list of names or ids. Tags come as either, or as records of both. */
function toTexts(raw: unknown, read: ReadText): readonly string[] {
  if (!Array.isArray(raw) || raw.length === 0) return NONE;
  const found: string[] = [];
  for (const item of raw as readonly unknown[]) {
    const record =
      typeof item === "object" && item !== null ? (item as { name?: unknown; id?: unknown }) : null;
    const name = record === null ? toId(item, read) : (toText(record.name, read) ?? toId(record.id, read));
    if (name !== null) found.push(name);
  }
  return found;
}
