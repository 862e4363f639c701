import type { Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import { cleanLine, safeUrl, shortenText } from "./clean-text.ts";

/**
 * One mention as templates see it. Every text comes from strangers; it is cleaned and shortened here, and escaped by
 * the format of the template that shows it.
 */
export interface MentionView {
  readonly author: string | null;
  /** The author's display name, or the author's handle, or "unknown author". Never empty. */
  readonly authorName: string;
  /** One line, shortened by grapheme; empty where the source withholds it. */
  readonly text: string;
  /** http or https only, already percent-encoded; null if there is no safe one. */
  readonly url: string | null;
  readonly domain: string | null;
  /** twitter, news, forum, …; the source may add values. */
  readonly pageType: string | null;
  /** positive, neutral, negative; the source may add values. */
  readonly sentiment: string | null;
  readonly verified: boolean;
  readonly followers: number | null;
  readonly reach: number | null;
  readonly publishedAt: Instant | null;
  /** Mentions with the same content (reposts, syndicated copies, identical texts), this one included; 1 or more. */
  readonly copies: number;
}

/** A mention for templates: cleaned, on one line, shortened, its address checked. `copies` is the size of its story. */
export function buildMentionView(mention: Mention, copies = 1): MentionView {
  const url = safeUrl(mention.url);
  const author = line(mention.author, MAX_NAME);
  return {
    author,
    authorName: line(mention.authorName, MAX_NAME) ?? author ?? "unknown author",
    text: line(mention.text, MAX_TEXT) ?? line(mention.title, MAX_TEXT) ?? "",
    url,
    // Take the link's name from its address: the source could name any address paypal.com.
    domain: url === null ? line(mention.domain, MAX_NAME) : hostOf(url),
    pageType: line(mention.pageType, MAX_NAME),
    sentiment: line(mention.sentiment, MAX_NAME),
    verified: mention.verified === true,
    followers: mention.followers,
    reach: mention.reach,
    publishedAt: mention.publishedAt,
    copies,
  };
}

/** Keeps the end of a long domain, which shows its owner. */
function hostOf(url: string): string {
  const host = new URL(url).hostname.replace(/^www\./, "");
  return host.length > MAX_NAME ? `…${host.slice(1 - MAX_NAME)}` : host;
}

const MAX_TEXT = 280;
const MAX_NAME = 50;

/** Reads only the beginning: a text of a megabyte must not cost more than a usual one. */
function line(text: string | null, limit: number): string | null {
  if (text === null) return null;
  const cleaned = cleanLine(text.slice(0, 40 * limit));
  return cleaned === "" ? null : shortenText(cleaned, limit);
}
