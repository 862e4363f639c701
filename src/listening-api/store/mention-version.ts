import type { Instant } from "../../lib/instant.ts";
import { parseMoment } from "../parameters/parse-moment.ts";
import type { FieldType, MENTION_FIELDS, MentionField } from "../records/mention-fields.ts";
import { type MentionRecord, mentionRecord } from "../records/mention-record.ts";
import { textSigns } from "../records/text-signs.ts";

/** One version of a mention to store. The wire record has what is not named here. */
export interface MentionVersion {
  /** From 1; later versions of the same mention have a higher number and the same `added`. */
  readonly version: number;
  readonly record: MentionRecord;
  readonly date: Instant | null;
  readonly added: Instant;
  readonly updated: Instant;
  /** From this moment on the API shows it … */
  readonly visibleAt: Instant;
  /** … until this one, when the next version takes over. */
  readonly supersededAt: Instant | null;
  /** Found by a backfill rather than when it was published. */
  readonly backfilled?: boolean;
  readonly fullText: string | null;
  /** Ids for the `tag` filter; the wire record carries its tags as they are shown. */
  readonly tagIds?: readonly number[];
  /** Not in the wire record, but an order and a filter know it. */
  readonly twitterLikeCount?: number | null;
}

/** The value of every field by which a version of a mention can be found, ordered and counted. */
export type MentionFacts = { readonly [Name in MentionField]: FactOf<(typeof MENTION_FIELDS)[Name]> };

type FactOf<Type extends FieldType> = Type extends "text"
  ? string | null
  : Type extends "texts"
    ? readonly string[] | null
    : Type extends "ids"
      ? readonly number[] | null
      : Type extends "flag"
        ? boolean | null
        : Type extends "moment"
          ? Instant | null
          : number | null;

/** The facts that the record does not have under their own name; it has all others. */
export function derivedFacts(version: MentionVersion) {
  const { record } = version;
  const signs = textSigns(`${record.title ?? ""}\n${textOf(version) ?? ""}`, record.expandedUrls);
  const images = record.imageInfo.map(objectOf);
  return {
    date: version.date ?? version.added,
    added: version.added,
    updated: version.updated,
    dateKnown: version.date !== null,
    backfilled: version.backfilled === true,
    lastAssignmentDate: momentOf(record.lastAssignmentDate),
    parentCategories: ids(record.categoryDetails.map((detail) => detail.parentId)),
    categories: ids(record.categories),
    tags: ids(version.tagIds ?? []),
    url: record.originalUrl ?? record.url,
    repliedAuthor: repliedAuthor(version),
    sharedAuthor: sharedAuthor(version),
    interest: texts(record.interest),
    profession: texts(record.professions.map((profession) => objectOf(profession)["profession"])),
    classifications: texts(
      record.classifications.map(objectOf).map((found) => `${found["classifierId"]}:${found["labelId"]}`),
    ),
    insightsHashtag: texts(record.insightsHashtag),
    insightsMentioned: texts(record.insightsMentioned),
    insightsUrl: texts(signs.links),
    insightsSharedSite: texts(signs.sites),
    insightsEmoji: texts(signs.emoji),
    insightsEmoticon: texts(signs.emoticons),
    logoGroups: ids(images.map((image) => image["logoImagesGroupId"])),
    logoVersions: ids(images.flatMap((image) => image["logoVersions"])),
    twitterLikeCount: version.twitterLikeCount ?? null,
  } satisfies Partial<MentionFacts>;
}

const EMPTY_VERSION: MentionVersion = {
  version: 1,
  record: mentionRecord({ resourceId: "", queryId: 0, queryName: "", added: "", updated: "" }),
  ...{ date: null, added: 0, updated: 0, visibleAt: 0, supersededAt: null, fullText: null },
};
/** Their names. */
export const DERIVED_FIELDS: ReadonlySet<string> = new Set(Object.keys(derivedFacts(EMPTY_VERSION)));

/** What is searched: the full text where it is known, else the snippet. */
export function textOf(version: MentionVersion): string | null {
  return version.fullText ?? version.record.snippet;
}

/** The address of a post names its author on the networks that have replies and shares: `…/ann/status/1`. */
function authorIn(address: string | null): string | undefined {
  return /\/\/[^/]+\/@?([\w.-]{1,100})\/(?:status|post|video|p)\//.exec(address ?? "")?.[1];
}

function repliedAuthor({ record }: MentionVersion): string | null {
  const isReply = record.threadEntryType === "reply" || record.replyTo !== null;
  if (!isReply) return null;
  return lower(
    authorIn(record.replyTo) ?? record.threadAuthor ?? /^@(\w{1,30})/.exec(record.snippet ?? "")?.[1],
  );
}

function sharedAuthor(version: MentionVersion): string | null {
  const { record } = version;
  const isShare = record.threadEntryType === "share" || record.retweetOf !== null;
  if (!isShare) return null;
  const named = /^\s*RT @(\w{1,30})/.exec(textOf(version) ?? "")?.[1];
  return lower(named ?? authorIn(record.retweetOf) ?? record.threadAuthor);
}

function lower(name: string | null | undefined): string | null {
  return name?.replace(/^@/, "").toLowerCase() ?? null;
}

function momentOf(text: string | null): Instant | null {
  const parsed = text === null ? null : parseMoment(text, "utc");
  return typeof parsed === "number" ? parsed : null;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? { ...value } : {};
}

function texts(values: readonly unknown[]): readonly string[] {
  return values.filter((value) => typeof value === "string");
}

/** Ids may have come as text. */
function ids(values: readonly unknown[]): readonly number[] {
  const numbers = values.filter((value) => value !== null && value !== undefined).map(Number);
  return [...new Set(numbers.filter((id) => Number.isSafeInteger(id)))];
}
