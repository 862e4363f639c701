import type { Moment } from "./world.ts";

/** A message as its vendor received it: raw, with when it came. */
export type RawMessage =
  | {
      readonly kind: "slack";
      readonly at: Moment;
      readonly channel: string;
      readonly ts: string;
      readonly threadTs: string | null;
      readonly isEdit: boolean;
      readonly text: string;
      /** Block Kit. */
      readonly blocks: readonly unknown[];
    }
  /** `raw`: the whole mail, as MIME. */
  | { readonly kind: "email"; readonly at: Moment; readonly to: string; readonly raw: string }
  | { readonly kind: "webhook"; readonly at: Moment; readonly body: string }
  /** As a program showed it to its reader. */
  | {
      readonly kind: "seen";
      readonly at: Moment;
      readonly place: string;
      readonly thread: string;
      readonly isEdit: boolean;
      readonly html: string;
    }
  | { readonly kind: "page"; readonly at: Moment; readonly address: string; readonly html: string };

/** What is quoted of a mention: words of a stranger, whose numbers are not ours. */
export interface Quote {
  /** `Ann Example · 120.4k followers · negative`: our words about it. */
  readonly heading: string;
  readonly url: string | null;
}

/** A message as its reader has it. */
export interface Message {
  readonly kind: RawMessage["kind"];
  readonly at: Moment;
  /** `slack #crisis`, `mail to on-call@brand.example`. */
  readonly place: string;
  /** Messages of one thread are about one thing. */
  readonly thread: string;
  readonly isEdit: boolean;
  /** The sentences and headings that are ours. */
  readonly lines: readonly string[];
  readonly quotes: readonly Quote[];
  readonly links: readonly string[];
}

/** What a play of the product has left behind, to be judged by somebody who does not know the product. */
export interface Recording {
  readonly messages: readonly RawMessage[];
  /** What a GET of each address answered, while the play went on: a status, or why there was none. */
  readonly answers: Readonly<Record<string, string>>;
}
