import type { Mention } from "../model/mention.ts";
import { cleanLine } from "./clean-text.ts";
import type { MentionView } from "./mention-view.ts";
import { safeUrl } from "./safe-url.ts";
import { shortenText } from "./shorten-text.ts";

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
