import type { Mention } from "../model/mention.ts";

/** A `new` rule: fires on values never seen in its slice before, as soon as enough people use them. */
export interface Novelty {
  /** Hash of the stored state: two rules with the same key share it. */
  readonly key: string;
  /** The label of its alerts: hashtag, domain, author. */
  readonly facet: string;
  /** The mentions that it looks at: "negative mentions". */
  readonly subject: string;
  /** Distinct authors that a new value needs. */
  readonly atLeast: number;
  /** How long a value is new after its first mention. */
  readonly withinMs: number;
  /** Warm-up: until the slice is known for this long, everything would be new. */
  readonly learnMs: number;
  counts(mention: Mention): boolean;
  /** The distinct values of a mention as people read them; hostile text. */
  values(mention: Mention): readonly string[];
  /** The key of the mention's author. */
  author(mention: Mention): string;
  /** The text of the alert; `knownMs` is how long the slice has been watched. */
  because(authors: number, forMs: number, knownMs: number): string;
}
