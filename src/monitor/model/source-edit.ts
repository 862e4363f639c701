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

/**
 * The categories of a mention as its corrections leave it: those that wait, and those that were made after what our copy
 * shows. `stored` and `updatedAt` are our copy's.
 */
export function categoriesAfter(
  stored: readonly string[],
  updatedAt: Instant,
  edits: readonly Pick<ShownSourceEdit, "at" | "edit" | "state">[],
): string[] {
  const has = new Set(stored);
  for (const { at, edit, state } of edits) {
    if ("sentiment" in edit || state === "given-up" || (state === "sent" && at <= updatedAt)) continue;
    for (const id of edit.addCategories) has.add(id);
    for (const id of edit.removeCategories) has.delete(id);
  }
  return [...has];
}
