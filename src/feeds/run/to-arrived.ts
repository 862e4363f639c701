import { createHash } from "node:crypto";
import {
  type ArrivedItem,
  type DeletedItem,
  domainOf,
  type ImportLine,
  pageTypeOfSite,
  type TextFacts,
} from "#listening-api";
import type { Instant } from "../../lib/instant.ts";
import { cutText, startOf, storableText } from "../../lib/text.ts";
import { canonicalUrl } from "../common/canonical-url.ts";
import type { FeedItem, FeedKind, FeedRead } from "../common/define-feed.ts";
import { type DateDoubt, decideDate } from "../common/feed-date.ts";
import { textOfHtml, tidyLines } from "../common/text-of-html.ts";

/** Called with title and text of every item that is stored, and the language that its source names. */
export type Enrich = (text: string, language: string | null) => TextFacts;

/** An item that becomes a mention, with what people want to know of it. */
interface Arrival {
  readonly item: ArrivedItem;
  readonly doubt: DateDoubt;
}

type ArrivalOutcome = Arrival | { readonly item: null; readonly reason: string };

interface ArrivalContext {
  readonly kind: Pick<FeedKind, "kind" | "policy" | "pageType" | "editedEveryMs">;
  readonly fetchedAt: Instant;
  /** Older items are not kept. */
  readonly keepFrom: Instant;
  readonly enrich: Enrich;
}

const LONGEST_TITLE = 500;
const LONGEST_NAME = 200;

/** An item of a feed as a line that the local Listening API takes, or why it is none. Pure. */
export function toArrived(
  found: FeedItem,
  { kind, fetchedAt, keepFrom, enrich }: ArrivalContext,
): ArrivalOutcome {
  const title = oneLine(found.title, LONGEST_TITLE);
  const body = bodyOf(found);
  const url = canonicalUrl(found.url);
  if (title === null && body === "") return { item: null, reason: "it has neither title nor text" };
  const { at: date, doubt } = decideDate(
    found.publishedAt ?? (found.publishedAgoMs === undefined ? null : fetchedAt - found.publishedAgoMs),
    fetchedAt,
  );
  if (date < keepFrom) return { item: null, reason: "it is older than what is kept" };
  // A headline alone is the text, too: people search in texts and read them in messages.
  const text = body === "" ? (title ?? "") : body;
  const idKey = idKeyOf(kind, found);
  const whole = title === null || text.startsWith(title) ? text : `${title}\n${text}`;
  const facts = enrich(whole, found.language ?? null);
  const line: ImportLine = {
    id: idKey,
    text,
    title,
    date,
    url,
    resourceType: kind.kind,
    pageType: pageType(found.pageType ?? pageTypeOfSite(domainOf(url) ?? "") ?? kind.pageType),
    author: oneLine(found.author, LONGEST_NAME),
    fullname: oneLine(found.fullname, LONGEST_NAME),
    weblogTitle: oneLine(found.site, LONGEST_TITLE),
    ...(found.authorId === undefined ? {} : { authorId: startOf(storableText(found.authorId), LONGEST_ID) }),
    language: facts.language,
    sentiment: facts.sentiment,
    classifications: facts.classifications as ImportLine["classifications"],
    threadEntryType: found.isReply === true ? "reply" : "post",
    ...(found.country == null ? {} : { country: oneLine(found.country, LONGEST_NAME) }),
    ...countsOf(found),
  };
  const contentKey =
    hashOf(url ?? "", title ?? "", text).slice(0, 16) + hashOf(String(found.publishedAt)).slice(0, 16);
  const { storedCharacters } = kind.policy;
  const item = {
    idKey,
    contentKey,
    nativeId: startOf(storableText(found.id), LONGEST_ID),
    ...(found.reference === undefined
      ? {}
      : { reference: startOf(storableText(found.reference), LONGEST_ID) }),
    line,
    storedCharacters,
    editedEveryMs: kind.editedEveryMs ?? 0,
    ...(found.authorId === undefined ? {} : { authorKey: authorKeyOf(kind, found.authorId) }),
    ...(found.revision === undefined ? {} : { revision: found.revision }),
  };
  return { item, doubt };
}

/** The same key as that of the item, so that a delete finds it. */
export function toDeleted(kind: Pick<FeedKind, "kind">, found: FeedRead["deletes"][number]): DeletedItem {
  return {
    idKey: found.idKey ?? idKeyOf(kind, found),
    nativeId: startOf(storableText(found.id), LONGEST_ID),
    reason: cutText(found.reason, 200),
    ...(found.mayReturn === true ? { mayReturn: true } : {}),
  };
}

/** The key by which the items of an account are found. */
export function authorKeyOf({ kind }: Pick<FeedKind, "kind">, authorId: string): string {
  return hashOf("author", kind, authorId);
}

const LONGEST_ID = 1_000;

/** Addresses as ids change from http to https. */
function idKeyOf({ kind }: Pick<FeedKind, "kind">, { id, scope }: { id: string; scope?: string }): string {
  return hashOf(kind, scope ?? "", id.trim().replace(/^https?:\/\/(?:www\.)?/i, "//"));
}

function hashOf(...parts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(storableText(part)).update("\0");
  return hash.digest("hex").slice(0, 32);
}

function bodyOf({ body }: FeedItem): string {
  if (body === null) return "";
  return storableText(cutText("html" in body ? textOfHtml(body.html) : tidyLines(body.text)));
}

function oneLine(text: string | null | undefined, most: number): string | null {
  const line = (text ?? "").replaceAll(/\s+/g, " ").trim();
  return line === "" ? null : storableText(cutText(line, most));
}

/** Numbers that can be stored, and no others: a source may send anything. */
function countsOf({ engagement = {} }: FeedItem): Pick<ImportLine, "likes" | "comments" | "shares"> {
  const fit = Object.entries(engagement).filter(
    ([, n]) => Number.isSafeInteger(n) && Number(n) >= 0 && Number(n) <= MOST_COUNTED,
  );
  return Object.fromEntries(fit);
}

const MOST_COUNTED = 2_147_483_647;

function pageType(name: string): ImportLine["pageType"] {
  return name as ImportLine["pageType"];
}
