import type { Mention } from "../model/mention.ts";

/** What a `new` rule looks for: values never seen in its slice before, as soon as enough people use them. */
export interface Novelty {
  /** Hash of what is remembered: two rules with the same key share their memory. */
  readonly key: string;
  /** The label of its alerts: hashtag, domain, author. */
  readonly facet: string;
  /** The mentions that it looks at: "negative mentions". */
  readonly subject: string;
  /** Different voices that a new value needs. */
  readonly atLeast: number;
  /** For so long after its first mention a value is new. */
  readonly withinMs: number;
  /** Before the slice is known for so long, everything would be new. */
  readonly learnMs: number;
  counts(mention: Mention): boolean;
  /** The values of a mention as people read them, each once; hostile text. */
  values(mention: Mention): readonly string[];
  /** Whose voice it is. */
  author(mention: Mention): string;
  /** What the alert says; `knownMs` is how long the slice has been watched. */
  because(authors: number, forMs: number, knownMs: number): string;
}
