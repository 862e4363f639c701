import type { Instant } from "../../lib/instant.ts";

/** A category on a mention. Either part may be missing from the project's category list: the source allows that. */
export interface MentionCategory {
  readonly id: string;
  readonly name: string | null;
  readonly parentId: string | null;
  readonly parentName: string | null;
}

/**
 * One item that a query found, reduced to what rules, templates and pages use. Every value is as found, hostile by
 * definition, and nullable, because sources withhold fields by contract. `(queryId, resourceId)` is its identity.
 */
export interface Mention {
  readonly queryId: string;
  readonly resourceId: string;
  /** When its author published it. Null if the source withholds it; then windows use `addedAt`. */
  readonly publishedAt: Instant | null;
  /** When it entered the query at the source, by crawl or by backfill. */
  readonly addedAt: Instant;
  /** When the source last changed it; equals `addedAt` or later. */
  readonly updatedAt: Instant;
  readonly title: string | null;
  /** The text that may be shown: the snippet, or the full text if the source gives it. */
  readonly text: string | null;
  readonly url: string | null;
  readonly domain: string | null;
  /** ISO 639-1. */
  readonly language: string | null;
  /** twitter, news, forum, … The list is open: new values appear without notice. */
  readonly pageType: string | null;
  readonly author: string | null;
  readonly authorName: string | null;
  /** Title of the site, feed or channel it is from. Absent and not null where the source names none, as `relevance`. */
  readonly site?: string;
  readonly verified: boolean | null;
  readonly followers: number | null;
  readonly reach: number | null;
  readonly impact: number | null;
  readonly impressions: number | null;
  /** Country name and ISO 3166-1 alpha-3 code, as the source gives them. */
  readonly country: string | null;
  readonly countryCode: string | null;
  /** positive, neutral, negative; open. */
  readonly sentiment: string | null;
  /**
   * How surely it is about what its query means, from 0 to 1, where an analyser has said it. Absent and not null
   * otherwise: else every mention that an earlier release stored would count as changed.
   */
  readonly relevance?: number;
  readonly categories: readonly MentionCategory[];
  readonly tags: readonly string[];
  readonly hashtags: readonly string[];
  readonly reposts: number | null;
  /** Address or id of the original, if the source says that this is a repost. */
  readonly repostOf: string | null;
  /** The source says that it was deleted. It is never stored; absent for every other mention. */
  readonly isDeleted?: true;
}

/** The time that counts for a mention: its publication, else its arrival. */
export function eventAt(mention: Pick<Mention, "publishedAt" | "addedAt">): Instant {
  return mention.publishedAt ?? mention.addedAt;
}

/** Who says it, as people know them: the author, or the title or domain of the site where it names none. Null if it names neither. */
export function speakerOf({ authorName, author, site, domain }: Mention): string | null {
  return [authorName, author, site, domain].find((name) => name != null && name.trim() !== "") ?? null;
}

/** A mention as stored: the model's facts plus what only storing and ranking need. */
export interface StoredMention {
  readonly mention: Mention;
  /** The time that counts for it. */
  readonly eventAt: Instant;
  /** Texts of the same story share this key. */
  readonly story: string;
}

/** A stored mention with its story. */
export type StoryMention = Pick<StoredMention, "mention" | "story">;

/** A page converted to rows, ready before its transaction begins. */
export interface PageRows {
  /** One key per mention, in the order of the page. */
  readonly keys: readonly string[];
  /** Positions of the mentions that changed after they arrived. */
  readonly edited: ReadonlySet<number>;
  /** One for each mention, in the order of the page. */
  readonly stories: readonly string[];
  /** What the database is sent. */
  readonly columns: PageColumns;
}

/** The columns of the table, each as an array of its values. */
export type PageColumns = Readonly<
  Record<
    "query" | "resource" | "day" | "event" | "added" | "updated" | "sentiment" | "story" | "reach" | "body",
    Buffer
  >
>;

/** The result of storing a page. */
export interface PageOutcome {
  /** Positions in the page of mentions not seen before. */
  readonly added: readonly number[];
  /** Positions of mentions that differ from the stored version, with that version and its story. */
  readonly changed: readonly { readonly index: number; readonly before: Mention; readonly story: string }[];
}

/** What people may say of a mention: the words of the Listening API. */
export const SENTIMENTS = ["positive", "neutral", "negative"] as const;

/** What a person says of a mention of a query: its sentiment, or whether it is in a subcategory (by its id). */
export type MentionCorrection = { readonly queryId: string; readonly resourceId: string } & (
  | { readonly sentiment: (typeof SENTIMENTS)[number] }
  | { readonly category: number; readonly isIn: boolean }
);

/** Corrects mentions where they come from: in our own feeds. */
export interface MentionCorrections {
  /** Says what it did: "neutral", "Delivery: Late", "not Delivery: Late". Null: the mention is none of theirs, or gone. */
  correct(correction: MentionCorrection): Promise<string | null>;
  /** The subcategories that a mention may have. */
  categories(): Promise<readonly CategoryChoice[]>;
}

export interface CategoryChoice {
  readonly id: number;
  /** With its parent: "Delivery: Late". */
  readonly name: string;
}
