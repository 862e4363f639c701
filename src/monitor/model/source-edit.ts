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
 * What puts a mention into just these categories. `stored`: those of our copy, which a poll brings up to date only after an
 * edit is written; so earlier edits count as well.
 */
export function editToCategories(
  categories: readonly string[],
  stored: readonly string[],
  earlier: readonly Pick<ShownSourceEdit, "edit" | "state">[],
): MentionEdit {
  const edits = earlier.flatMap(({ edit, state }) =>
    "sentiment" in edit || state === "given-up" ? [] : [edit],
  );
  const added = edits.flatMap(({ addCategories }) => addCategories);
  const removed = new Set(edits.flatMap(({ removeCategories }) => removeCategories));
  const has = new Set([...stored, ...added]);
  return {
    addCategories: categories.filter((id) => !stored.includes(id) || removed.has(id)),
    removeCategories: [...has].filter((id) => !categories.includes(id)),
  };
}
