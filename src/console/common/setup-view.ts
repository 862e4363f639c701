import type { ShownTry } from "#feeds";
import type { Actor } from "#monitor";

/** The fields of the page that sets up a brand, as they were typed. */
export interface SetupForm {
  readonly brand: string;
  /** With commas between them, like the next ones. */
  readonly spellings: string;
  readonly not: string;
  /** What the query means, in plain words. */
  readonly about: string;
  readonly rivals: string;
  readonly languages: string;
  /** Kinds. */
  readonly kinds: readonly string[];
  /** One on each line. */
  readonly addresses: string;
  readonly contact: string;
}

/** Where a first configuration sends messages; without it they stay in the Inbox. */
export interface SetupSlack {
  readonly channel: string;
  /** A secret: it is written into a file of its own, and shown nowhere. */
  readonly token: string;
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
      /** The meanings that the name has in what they bring; empty: one, or too little is known. */
      readonly senses: readonly ShownSense[];
    }
  | { readonly outcome: "Faulty"; readonly faults: readonly string[] }
  | { readonly outcome: "Busy" };

/** Words and headlines are of strangers. */
export interface ShownSense extends SenseWords {
  readonly texts: number;
  readonly examples: readonly string[];
}

/** What a form brings back of a sense. */
interface SenseWords {
  readonly words: readonly string[];
  readonly not: readonly string[];
}

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
      "brand" | "spellings" | "not" | "about" | "rivals" | "languages" | "contact",
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
  /** The form that leaves out the senses that are not meant: with their words in `not`, and what is meant in `about`. */
  leaveOut(form: SetupForm, senses: readonly SenseWords[], meant: readonly number[]): SetupForm;
  /** The caller checks that the visitor may. `opened`: the version that was shown; empty for a first configuration. */
  write(
    form: SetupForm,
    options: { readonly opened: string; readonly actor: Actor; readonly slack: SetupSlack | null },
  ): Promise<SetupWriteResult>;
}
