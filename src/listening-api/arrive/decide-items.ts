import type { Instant } from "../../lib/instant.ts";
import type { ProjectQueries } from "../assign/assign-queries.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { type NewReceivedItem, RECEIVED_TYPE, type ReceivedItem } from "../store/received-items.ts";
import { decideItem, type ItemDecision, type ItemKeys } from "./decide-item.ts";
import type { Provenance } from "./delete-items.ts";
import type { readForgotten } from "./forget-requests.ts";
import { type ArrivedItem, matching, recordOf, storedVersion } from "./item-versions.ts";
import { returnedId } from "./sealed-items.ts";

/**
 * What one transaction stores: so many characters of texts and records, each once for every query that has it. Others
 * wait for it, and its mentions are in memory.
 */
const MOST_CHARACTERS = 4_000_000;
/** Of a record without its text, about. */
const RECORD_CHARACTERS = 2_000;

/** An item in the hidden query, and in each query that it matches. */
export interface MatchedItem {
  readonly item: ArrivedItem;
  readonly found: readonly MentionVersion[];
}

type DecidedItem = MatchedItem & {
  readonly decision:
    | ItemDecision
    /** New, and of no query, where only those are kept. */
    | { readonly outcome: "Unmatched" }
    /** A person asked to forget it. */
    | { readonly outcome: "Forgotten"; readonly resourceId: string };
};

/** Decides about each item, in their order, step by step, until there is enough for one transaction. */
export function* decideItems(
  items: readonly ArrivedItem[],
  context: {
    readonly at: Instant;
    readonly known: (item: ItemKeys) => readonly ReceivedItem[];
    readonly isForgotten: Awaited<ReturnType<typeof readForgotten>>;
    readonly queries: ProjectQueries;
    readonly receivedQueryId: number;
    readonly keeps: "all" | "matched";
  },
): Generator<void, DecidedItem[]> {
  const { at, known, isForgotten, queries, receivedQueryId, keeps } = context;
  const decided: DecidedItem[] = [];
  let characters = 0;
  for (const arrived of items) {
    if (characters >= MOST_CHARACTERS) break;
    yield;
    const before = known(arrived);
    if (isForgotten?.(recordOf(arrived, at), arrived.line.date ?? at) === true) {
      const resourceId = before[0]?.resourceId ?? arrived.idKey;
      decided.push({ item: arrived, decision: { outcome: "Forgotten", resourceId }, found: [] });
      continue;
    }
    const decision = decideItem(arrived, before);
    if (!HAS_CONTENT.has(decision.outcome)) {
      decided.push({ item: arrived, decision, found: [] });
      continue;
    }
    // A known id that stands for another one: the mention goes by the first.
    const id = idOf(decision, arrived, at);
    const item = { ...arrived, line: { ...arrived.line, id } };
    const matched = yield* matching(item, queries, at);
    if (decision.outcome === "New" && matched.length === 0 && keeps === "matched") {
      decided.push({ item, decision: { outcome: "Unmatched" }, found: [] });
      continue;
    }
    const found = [storedVersion(item, { id: receivedQueryId, name: RECEIVED_TYPE }, 0, at), ...matched];
    const { length } = found[0]?.fullText ?? "";
    characters += found.length * (length + RECORD_CHARACTERS);
    decided.push({ item, decision, found });
  }
  return decided;
}

const HAS_CONTENT: ReadonlySet<ItemDecision["outcome"]> = new Set(["New", "Edited", "Restored"]);

function idOf(decision: ItemDecision, { line }: ArrivedItem, at: Instant): string {
  if (decision.outcome === "Edited") return decision.resourceId;
  return decision.outcome === "Restored" ? returnedId(decision.resourceId, at) : (line.id ?? "");
}

/** What has to be written, by what was decided about each item. */
export function sortDecided(decided: readonly DecidedItem[], from: Provenance) {
  const notes: NewReceivedItem[] = [];
  const added: MatchedItem[] = [];
  const edited: MatchedItem[] = [];
  const forgotten: string[] = [];
  const restored: (MatchedItem & { readonly was: string })[] = [];
  const note = (item: ArrivedItem, resourceId: string, deleteReason: string | null = null) =>
    notes.push({ ...from, ...item, resourceId, deleteReason });
  for (const { item, decision, found } of decided) {
    switch (decision.outcome) {
      case "New":
        added.push({ item, found });
        note(item, item.idKey);
        break;
      case "Restored":
        restored.push({ item, found, was: decision.resourceId });
        note(item, item.line.id ?? item.idKey);
        break;
      case "Edited":
        edited.push({ item, found });
        note(item, decision.resourceId);
        break;
      case "Renamed":
        note(item, decision.resourceId);
        break;
      case "Deleted":
        note(item, decision.resourceId, "its content was deleted before");
        break;
      case "Forgotten":
        note(item, decision.resourceId, FORGOTTEN);
        forgotten.push(decision.resourceId);
        break;
      case "Same":
      case "Waits":
      case "Unmatched":
        break;
      default:
        decision satisfies never;
    }
  }
  return { notes, added, edited, forgotten, restored };
}

export const FORGOTTEN = "a person asked to forget it";
