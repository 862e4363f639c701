import type { Instant } from "../../lib/instant.ts";
import type { Actor } from "./alert-action.ts";
import type { MentionKey } from "./mention-workflow.ts";

/** What a person corrected, in the words of the call that edits mentions. Categories by their ids. */
export type MentionEdit =
  | { readonly sentiment: "positive" | "neutral" | "negative" }
  | { readonly addCategories: readonly string[]; readonly removeCategories: readonly string[] };

/** A correction that is to be written to the account. */
export interface SourceEdit extends MentionKey {
  readonly id: string;
  readonly at: Instant;
  readonly actor: Actor;
  readonly edit: MentionEdit;
}

/** A correction, as the page of its mention shows it. */
export interface ShownSourceEdit extends Pick<SourceEdit, "at" | "actor" | "edit"> {
  readonly state: "due" | "sent" | "given-up";
  /** Why it was given up, or waits; null: it is on its way, or was written. */
  readonly problem: string | null;
}
