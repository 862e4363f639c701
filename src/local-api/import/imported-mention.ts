import { createHash } from "node:crypto";
import { type CategoryDetail, mentionRecord } from "../records/mention-record.ts";
import { repostedText } from "../records/reposted-text.ts";
import { insightsOf } from "../records/text-insights.ts";
import { wireTime } from "../records/wire-time.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import type { ImportLine } from "./import-line.ts";

/** The mention that a line of an import file becomes: visible from its own date on, and never changed. */
export function importedMention(
  line: ImportLine,
  query: { readonly id: number; readonly name: string },
  category: CategoryDetail | undefined,
): MentionVersion {
  const time = wireTime(line.date);
  const [latitude, longitude] = line.coordinates ?? [0, 0];
  const isLocated = latitude !== 0 || longitude !== 0;
  const repost = repostedText(line.text);
  const record = mentionRecord({
    resourceId: createHash("md5").update(line.id).digest("hex"),
    resourceType: "import",
    queryId: query.id,
    queryName: query.name,
    date: time,
    added: time,
    updated: time,
    title: line.title ?? null,
    snippet: line.text,
    url: line.url ?? null,
    originalUrl: line.url ?? null,
    domain: "twitter.com",
    language: line.language ?? null,
    pageType: "twitter",
    pageTypeName: "Twitter",
    threadEntryType: repost !== null ? "share" : line.text.startsWith("@") ? "reply" : "post",
    retweetOf: repost && repostId(repost),
    ...insightsOf(line.text),
    author: line.author ?? null,
    accountType: "individual",
    gender: "unknown",
    locationName: line.location ?? null,
    latitude: isLocated ? latitude : null,
    longitude: isLocated ? longitude : null,
    categories: category === undefined ? [] : [Number(category.id)],
    categoryDetails: category === undefined ? [] : [category],
    sentiment: line.sentiment ?? null,
    twitterFollowers: line.followers ?? null,
    twitterRetweets: line.retweets ?? null,
    twitterVerified: line.verified ?? null,
  });
  return {
    version: 1,
    record,
    date: line.date,
    added: line.date,
    updated: line.date,
    visibleAt: line.date,
    supersededAt: null,
    fullText: line.text,
  };
}

/** The file does not say which post was repeated; author and text name it well enough to bring copies together. */
function repostId({ author, text }: { author: string; text: string }): string {
  return `urn:post:${author}:${createHash("md5").update(text).digest("hex").slice(0, 16)}`;
}
