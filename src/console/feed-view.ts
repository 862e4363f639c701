import type { Actor } from "#monitor";
import type { Instant } from "../lib/instant.ts";

/** A feed as the console shows it. Names, addresses and problems are of strangers. */
export interface ShownFeed {
  readonly key: string;
  readonly name: string;
  readonly kind: string;
  /** In one word, such as `ok` or `failing`. */
  readonly state: string;
  /** Why it is silent, and what to do; null: it is not. */
  readonly why: string | null;
  readonly receivedAt: Instant | null;
  /** When the newest item came. */
  readonly itemAt: Instant | null;
  /** Expected between two fetches, in milliseconds; 0: others push to it. */
  readonly everyMs: number;
  readonly nextAt: Instant | null;
  readonly itemsToday: number;
  readonly matchedToday: number;
}

/** What a feed would bring now. */
export interface ShownTry {
  readonly feed: string;
  /** Why it cannot be read, or not wholly. */
  readonly problem: string | null;
  readonly items: readonly {
    readonly id: string;
    readonly title: string | null;
    readonly text: string;
    readonly url: string | null;
    readonly date: Instant;
    readonly queries: readonly { readonly name: string; readonly words: readonly string[] }[];
    readonly misses: readonly { readonly query: string; readonly message: string }[];
  }[];
  readonly refused: readonly { readonly reason: string; readonly n: number }[];
}

/** The public feeds of the monitor. */
export interface FeedView {
  list(): Promise<{ readonly at: Instant; readonly feeds: readonly ShownFeed[] }>;
  /** Changes when the list changes. */
  version(): Promise<string>;
  /** Fetches a feed once and stores nothing; null if there is no such feed, "Busy" if others are being tried. */
  attempt(key: string, signal: AbortSignal): Promise<ShownTry | "Busy" | null>;
}

/** The fields of the page that sets up a brand, as they were typed. */
export interface SetupForm {
  readonly brand: string;
  /** With commas between them, like the next ones. */
  readonly spellings: string;
  readonly not: string;
  readonly rivals: string;
  readonly languages: string;
  /** Kinds. */
  readonly kinds: readonly string[];
  /** One on each line. */
  readonly addresses: string;
  readonly contact: string;
}

export type SetupOutcome =
  | {
      readonly outcome: "Drafted";
      readonly files: readonly { readonly path: string; readonly text: string }[];
      /** What changes of a configuration that is there, for somebody who may write; else null. */
      readonly change: ShownChange | null;
      /** Sentences. */
      readonly warnings: readonly string[];
      /** Null: nothing was fetched. */
      readonly tried: readonly ShownTry[] | null;
    }
  | { readonly outcome: "Faulty"; readonly faults: readonly string[] }
  | { readonly outcome: "Busy" };

export interface ShownChange {
  /** The version of earshot.yaml that the difference is against. */
  readonly opened: string;
  /** As `diff` shows it, without secrets; empty if nothing differs. */
  readonly diff: string;
  /** Rules that are added. */
  readonly rules: readonly { readonly path: string; readonly text: string }[];
}

export type SetupWriteResult =
  | { readonly outcome: "Written"; readonly files: readonly string[]; readonly next: string }
  | { readonly outcome: "Refused"; readonly because: string; readonly details: readonly string[] };

/** Writes a first configuration for a brand, or changes what a configured monitor listens for. */
export interface SetupView {
  /** Anybody who reaches this console may write: a demo on this machine, without a configuration. */
  readonly isOpen: boolean;
  /** What the page asks, by field. */
  readonly questions: Readonly<
    Record<
      "brand" | "spellings" | "not" | "rivals" | "languages" | "contact",
      { readonly label: string; readonly example: string; readonly hint: string }
    >
  >;
  /** Kinds of feeds that need no account. */
  readonly kinds: readonly { readonly kind: string; readonly about: string }[];
  /** The files, with `tries` what its feeds would bring, and for somebody who may write what changes. */
  draft(
    form: SetupForm,
    options: { readonly tries: boolean; readonly mayWrite: boolean; readonly signal: AbortSignal },
  ): Promise<SetupOutcome>;
  /** The caller checks that the visitor may. `opened`: the version that was shown; empty for a first configuration. */
  write(
    form: SetupForm,
    options: { readonly opened: string; readonly actor: Actor },
  ): Promise<SetupWriteResult>;
}
