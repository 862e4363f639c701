import type { Instant } from "../../lib/instant.ts";
import type { Author } from "./authors.ts";
import type { Sentiment, Topic } from "./topics.ts";

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
