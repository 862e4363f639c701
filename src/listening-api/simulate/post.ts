import { createHash } from "node:crypto";
import type { Instant } from "../../lib/instant.ts";
import { type Author, someAuthor } from "./authors.ts";
import type { Brand, Sentiment, Topic } from "./data.ts";
import type { Random } from "./random.ts";

export type PageType = "twitter" | "news" | "forum" | "reddit" | "instagram" | "review";

/** Something that somebody published, before it is a mention of any query. Pure data, no ids of a database. */
export interface Post {
  /** Unique within the stream. */
  readonly key: string;
  readonly brand: string;
  readonly pageType: PageType;
  readonly author: Author;
  readonly title: string | null;
  readonly text: string;
  readonly language: string;
  readonly url: string;
  readonly domain: string;
  readonly publishedAt: Instant;
  readonly sentiment: Sentiment;
  readonly topic: Topic | null;
  readonly reposts: number;
  readonly repostOf: { readonly url: string; readonly handle: string } | null;
  /** 1 to 5 on reviews. */
  readonly rating: number | null;
  /** Monthly visitors of the site, where it is one. */
  readonly monthlyVisitors: number | null;
}

/**
 * The address of a generated post. All hosts are under `.example`, which belongs to nobody (RFC 2606): a reader who
 * clicks never reaches a real person.
 */
export function addressOf(
  pageType: PageType,
  key: string,
  words: { handle: string; brand: string; subreddit: string; site?: string },
): { url: string; domain: string } {
  const id = BigInt(`0x${createHash("sha256").update(key).digest("hex").slice(0, 15)}`).toString();
  const brand = words.brand.toLowerCase();
  switch (pageType) {
    case "twitter":
      return at("twitter.example", `${words.handle}/status/${id}`);
    case "instagram":
      return at("instagram.example", `p/${Number(id.slice(0, 14)).toString(36)}`);
    case "reddit":
      return at("reddit.example", `r/${words.subreddit}/comments/${Number(id.slice(0, 12)).toString(36)}`);
    case "forum":
      return at("talk.householders.example", `threads/${brand}-${id.slice(0, 7)}`);
    case "review":
      return at("reviews.example", `${brand}/${id.slice(0, 8)}`);
    case "news":
      return at(words.site ?? "news.example", `business/${brand}-${id.slice(0, 6)}`);
  }
}

function at(domain: string, path: string): { url: string; domain: string } {
  return { url: `https://${domain}/${path}`, domain };
}

/** One repost of a post at each of the given moments. */
export function repostsOf(
  seed: string,
  brand: Brand,
  original: Post,
  times: readonly Instant[],
  random: Random,
): Post[] {
  return times.map((publishedAt, index) => {
    const author = someAuthor(seed, random);
    const key = `${original.key}/repost/${index}`;
    return {
      ...original,
      key,
      author,
      text: `RT @${original.author.handle}: ${original.text}`,
      ...addressOf("twitter", key, { ...brand, brand: brand.name, handle: author.handle }),
      publishedAt,
      reposts: 0,
      repostOf: { url: original.url, handle: original.author.handle },
    };
  });
}
