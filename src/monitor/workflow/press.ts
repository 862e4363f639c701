import type { Instant } from "../../lib/instant.ts";
import { MINUTE } from "../../lib/instant.ts";
import type { Actor } from "../model/alert-action.ts";
import { MOST_TAGS, type Workflow, type WorkStatus } from "../model/mention-workflow.ts";
import { nameKey } from "../model/user.ts";

/** What a person does to mentions by one press. */
export type Press =
  /** Null: nobody has it any more. */
  | { readonly do: "assign"; readonly to: string | null }
  | { readonly do: "status"; readonly status: WorkStatus }
  | { readonly do: "tag" | "untag"; readonly tags: readonly string[] };

type PressOutcome =
  | { readonly outcome: "Changed"; readonly after: Workflow }
  /** It was so already. */
  | { readonly outcome: "Unchanged" }
  | { readonly outcome: "TooManyTags" };

/** What a press makes of a mention. The last press counts: whoever had the mention before is in the history. */
export function press(before: Workflow, pressed: Press): PressOutcome {
  switch (pressed.do) {
    case "assign":
      return changed(before, { ...before, assignee: pressed.to });
    case "status":
      return changed(before, { ...before, status: pressed.status });
    case "tag": {
      const known = new Set(before.tags.map(nameKey));
      const added = pressed.tags.filter((tag) => !known.has(nameKey(tag)) && known.add(nameKey(tag)));
      const tags = [...before.tags, ...added];
      return tags.length > MOST_TAGS ? { outcome: "TooManyTags" } : changed(before, { ...before, tags });
    }
    case "untag": {
      const gone = new Set(pressed.tags.map(nameKey));
      return changed(before, { ...before, tags: before.tags.filter((tag) => !gone.has(nameKey(tag))) });
    }
  }
}

function changed(before: Workflow, after: Workflow): PressOutcome {
  const isSame =
    before.status === after.status &&
    before.assignee === after.assignee &&
    before.tags.length === after.tags.length;
  return isSame ? { outcome: "Unchanged" } : { outcome: "Changed", after };
}

/** How long a press can be undone. */
export const UNDO_MS = 10 * MINUTE;

/** One mention of a press, and what it is now. */
interface PressedMention {
  readonly at: Instant;
  readonly actor: Actor;
  /** Who changed it after the press; null: nobody has. */
  readonly changedBy: Actor | null;
}

type UndoOutcome =
  | { readonly outcome: "Undone" }
  /** There is no such press, or its mentions are deleted. */
  | { readonly outcome: "Gone" }
  | { readonly outcome: "TooLate" }
  | { readonly outcome: "OfSomebodyElse"; readonly by: Actor }
  | { readonly outcome: "ChangedSince"; readonly by: Actor; readonly mentions: number };

/** Whether a person may take a press back: their own, soon, and only where nobody has gone on from it. */
export function undo(pressed: readonly PressedMention[], by: Actor, now: Instant): UndoOutcome {
  const [first] = pressed;
  if (first === undefined) return { outcome: "Gone" };
  if (!isSamePerson(first.actor, by)) return { outcome: "OfSomebodyElse", by: first.actor };
  if (now - first.at > UNDO_MS) return { outcome: "TooLate" };
  const since = pressed.flatMap(({ changedBy }) => (changedBy === null ? [] : [changedBy]));
  const [other] = since;
  return other === undefined
    ? { outcome: "Undone" }
    : { outcome: "ChangedSince", by: other, mentions: since.length };
}

/** Without a login, everybody at the page is one. */
function isSamePerson(one: Actor, other: Actor): boolean {
  return one.login === other.login && (one.login !== null || one.via === other.via);
}
