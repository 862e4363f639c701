import type { ReceivedItem } from "../store/received-items.ts";

/** An item of a feed, as far as its identity goes. Keys are hashes in hex. */
export interface ItemKeys {
  readonly idKey: string;
  /** Of address, title and text; null if the item has too little of them to be found by. */
  readonly contentKey: string | null;
  /** Of its feed, the path of its page, and its date; null if another item of the document has the same. */
  readonly linkKey?: string | null;
  /** Shortest time between two stored changes, in milliseconds. */
  readonly editedEveryMs: number;
  /** Rises with every change of the item at its source, where the source says so: 53 bits at most. */
  readonly revision?: number;
}

export type ItemDecision =
  /** Never received before. */
  | { readonly outcome: "New" }
  /** Known, and unchanged. */
  | { readonly outcome: "Same" }
  /** Known under another id: the feed gives its items new ids, or has moved. */
  | { readonly outcome: "Renamed"; readonly resourceId: string }
  | { readonly outcome: "Edited"; readonly resourceId: string }
  /** It changed again so soon that the change waits: some feeds put a counter or the time into every item. */
  | { readonly outcome: "Waits" }
  /** It was only seen to be gone, and its feed shows it again: it is new, under another id than the one that was deleted. */
  | { readonly outcome: "Restored"; readonly resourceId: string }
  /** Its author or its site has deleted it. It does not come back, under no id. */
  | { readonly outcome: "Deleted"; readonly resourceId: string };

/**
 * What to do with an item. `known` are the stored items with its id or its content. A tombstone counts more than
 * everything else, so that the order of arrival makes no difference.
 */
export function decideItem(
  { idKey, contentKey, linkKey = null, editedEveryMs, revision }: ItemKeys,
  known: readonly ReceivedItem[],
): ItemDecision {
  const byId = known.find((one) => one.idKey === idKey);
  const byContent =
    contentKey === null ? undefined : known.find((one) => one.contentKey === contentKey && one !== byId);
  const byLink = linkKey === null ? undefined : known.find((one) => one.linkKey === linkKey && one !== byId);
  const tombstones = [byId, byContent, byLink].filter((one) => one?.isDeleted === true);
  const tombstone = tombstones.find((one) => one?.mayReturn !== true);
  const [seenGone] = tombstones;
  if (tombstone === undefined && seenGone !== undefined)
    return { outcome: "Restored", resourceId: seenGone.resourceId };
  if (tombstone !== undefined) return { outcome: "Deleted", resourceId: tombstone.resourceId };
  if (byId !== undefined) {
    if (contentKey === null || byId.contentKey === contentKey) return { outcome: "Same" };
    if (revision !== undefined) {
      // Delivered again, or late.
      const isOlder = revision < (byId.revision ?? revision);
      return isOlder ? { outcome: "Same" } : { outcome: "Edited", resourceId: byId.resourceId };
    }
    const isFresh = byId.editedAgoMs !== null && byId.editedAgoMs < editedEveryMs;
    return isFresh ? { outcome: "Waits" } : { outcome: "Edited", resourceId: byId.resourceId };
  }
  if (byContent !== undefined) return { outcome: "Renamed", resourceId: byContent.resourceId };
  // The same page and date: whatever else changed is an edit.
  return byLink === undefined ? { outcome: "New" } : { outcome: "Edited", resourceId: byLink.resourceId };
}
