import type { Instant } from "../lib/instant.ts";

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
