import type { FeedKind } from "../common/define-feed.ts";
import { bluesky } from "./bluesky.ts";
import { github } from "./github.ts";
import { hackerNews } from "./hacker-news.ts";
import { mailbox } from "./mailbox.ts";
import { mastodon } from "./mastodon.ts";
import { news } from "./news.ts";
import { push } from "./push.ts";
import { rss } from "./rss.ts";
import { stackExchange } from "./stack-exchange.ts";
import { youtube } from "./youtube.ts";

/** Every kind of feed. A new one is a file beside these and a line here. */
export const kinds = [
  rss,
  hackerNews,
  news,
  bluesky,
  mastodon,
  youtube,
  stackExchange,
  github,
  mailbox,
  push,
] as const;

/** The definition of a kind that `FeedConfig` has accepted. */
export function kindOf({ kind }: { readonly kind: string }): FeedKind {
  const found = kinds.find((one) => one.kind === kind);
  if (found === undefined) throw new Error(`there is no kind of feed "${kind}"`);
  // Each kind gets settings of its own schema only.
  return found as unknown as FeedKind;
}

/** Whether feeds of a kind are one open connection. A kind of an older version is not. */
export function isStream({ kind }: { readonly kind: string }): boolean {
  return kinds.find((one) => one.kind === kind)?.stream !== undefined;
}
