import { createHash } from "node:crypto";
import { canonicalUrl } from "../common/canonical-url.ts";
import type { FeedItem } from "../common/define-feed.ts";

/**
 * By which items of a document are known again when their feed moves to another host, or gives them new ids and titles: the
 * feed, the path of their page, and their date. Items that share theirs have none: a podcast may link to one page only.
 */
export function linkKeysOf(feedKey: string, items: readonly FeedItem[]): ReadonlyMap<FeedItem, string> {
  const keys = new Map<FeedItem, string>();
  const times = new Map<string, number>();
  for (const item of items) {
    const key = keyOf(feedKey, item);
    if (key === null) continue;
    keys.set(item, key);
    times.set(key, (times.get(key) ?? 0) + 1);
  }
  for (const [item, key] of keys) if ((times.get(key) ?? 0) > 1) keys.delete(item);
  return keys;
}

function keyOf(feedKey: string, { url, publishedAt }: FeedItem): string | null {
  const address = canonicalUrl(url);
  if (address === null) return null;
  const { pathname, search, hash } = new URL(address);
  // The front page of a site is no page of an item.
  const path = `${pathname.replace(/\/$/, "")}${search}${hash}`;
  if (path === "") return null;
  return createHash("sha256").update(`${feedKey}\0${path}\0${publishedAt}`).digest("hex").slice(0, 32);
}
