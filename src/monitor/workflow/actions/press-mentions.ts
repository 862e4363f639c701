import { groupBy } from "../../../lib/group-by.ts";
import type { Instant } from "../../../lib/instant.ts";
import { uuid7 } from "../../../lib/uuid7.ts";
import { type Actor, describeActor } from "../../model/alert-action.ts";
import { type MentionKey, NO_WORKFLOW, type Workflow } from "../../model/mention-workflow.ts";
import type { Facts, Stores } from "../../store/stores.ts";
import { type Press, press, undo } from "../press.ts";

interface Parts {
  readonly stores: Pick<Stores, "transaction">;
  readonly by: Actor;
  readonly now: Instant;
}

/** What a press did. */
export type PressResult =
  | {
      readonly outcome: "Done";
      /** Names it for an undo. */
      readonly press: string;
      /** The others were so already. */
      readonly changed: number;
      /** Deleted meanwhile. */
      readonly gone: number;
    }
  | { readonly outcome: "Refused"; readonly because: string };

/** Does the same to all of these mentions, in one transaction. The last press counts; the history has every one. */
export function pressMentions(
  { stores, by, now }: Parts,
  keys: readonly MentionKey[],
  pressed: Press,
): Promise<PressResult> {
  const id = uuid7(now);
  return stores
    .transaction(async (facts) => {
      let [changed, found] = [0, 0];
      for (const [first, ids] of await lockQueries(facts, keys)) {
        const { projectId, queryId } = first;
        const worked = await facts.mentionWorkflow.ofMentions(projectId, queryId, ids);
        found += worked.length;
        const changes = worked.flatMap(({ resourceId, day, workflow }) => {
          const before = plain(workflow ?? NO_WORKFLOW);
          const result = press(before, pressed);
          if (result.outcome === "TooManyTags") throw new TooManyTags();
          if (result.outcome === "Unchanged") return [];
          return [{ resourceId, day, before, after: result.after }];
        });
        changed += changes.length;
        if (changes.length > 0)
          await facts.mentionWorkflow.save(projectId, queryId, changes, {
            ...{ press: id, at: now, kind: "change", actor: by },
          });
      }
      const gone = new Set(keys.map((key) => JSON.stringify(key))).size - found;
      if (found === 0) return { outcome: "Refused" as const, because: GONE };
      return { outcome: "Done" as const, press: id, changed, gone };
    })
    .catch((error: unknown) => {
      if (error instanceof TooManyTags)
        return { outcome: "Refused", because: "one of them has too many tags" };
      throw error;
    });
}

const GONE = "nothing of it is stored any more: deleted at its source, forgotten, or too old";

/** Takes a whole press back, as a new step of the history of each mention; or nothing of it. */
export function undoPress({ stores, by, now }: Parts, id: string): Promise<PressResult> {
  return stores.transaction(async (facts) => {
    await lockQueries(facts, await facts.mentionWorkflow.ofPress(id));
    const pressed = await facts.mentionWorkflow.ofPress(id);
    const decided = undo(pressed, by, now);
    switch (decided.outcome) {
      case "Gone":
        return { outcome: "Refused", because: GONE };
      case "TooLate":
        return { outcome: "Refused", because: "that was more than ten minutes ago" };
      case "OfSomebodyElse":
        return { outcome: "Refused", because: `${describeActor(decided.by)} did that` };
      case "ChangedSince":
        return {
          outcome: "Refused",
          because: `${describeActor(decided.by)} has changed ${countOf(decided.mentions, pressed.length)} since`,
        };
      case "Undone": {
        const undone = uuid7(now);
        const byQuery = groupBy(pressed, ({ projectId, queryId }) => JSON.stringify([projectId, queryId]));
        for (const ofQuery of byQuery.values()) {
          const [first] = ofQuery;
          if (first === undefined) continue;
          const changes = ofQuery.map(({ resourceId, day, before, after }) => ({
            ...{ resourceId, day, before: after, after: before },
          }));
          await facts.mentionWorkflow.save(first.projectId, first.queryId, changes, {
            ...{ press: undone, at: now, kind: "undo", actor: by },
          });
        }
        return { outcome: "Done", press: undone, changed: pressed.length, gone: 0 };
      }
    }
  });
}

function countOf(changed: number, all: number): string {
  if (all === 1) return "it";
  return changed === all ? "them" : `${changed} of the ${all}`;
}

type NoteResult = { readonly outcome: "Done" } | { readonly outcome: "Refused"; readonly because: string };

/** Writes a note about a mention. `press` names it: a form that is sent twice writes once. */
export function noteMention(
  { stores, by, now }: Parts,
  key: MentionKey,
  { press: id, text }: { readonly press: string; readonly text: string },
): Promise<NoteResult> {
  return stores.transaction(async (facts) => {
    await facts.queries.lock(key.projectId, key.queryId);
    const [found] = await facts.mentionWorkflow.ofMentions(key.projectId, key.queryId, [key.resourceId]);
    if (found === undefined) return { outcome: "Refused", because: GONE };
    await facts.mentionWorkflow.addNote(key, { press: id, at: now, text, actor: by });
    return { outcome: "Done" };
  });
}

/** Locks the queries of these mentions, in one order: two transactions do not wait for each other. */
async function lockQueries(facts: Facts, keys: readonly MentionKey[]) {
  const byQuery = groupBy(keys, ({ projectId, queryId }) => JSON.stringify([projectId, queryId]));
  const locked: (readonly [MentionKey, readonly string[]])[] = [];
  for (const [, ofQuery] of [...byQuery].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [first] = ofQuery;
    if (first === undefined) continue;
    await facts.queries.lock(first.projectId, first.queryId);
    locked.push([first, ofQuery.map(({ resourceId }) => resourceId)]);
  }
  return locked;
}

function plain({ status, assignee, tags }: Workflow): Workflow {
  return { status, assignee, tags };
}

/** Undoes the transaction: a press does all or nothing. */
class TooManyTags extends Error {}
