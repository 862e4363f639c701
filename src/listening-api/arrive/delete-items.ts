import type { Instant } from "../../lib/instant.ts";
import type { Database } from "../store/database.ts";
import { findOfAuthors, findReceived, putReceived } from "../store/received-items.ts";
import { findUnseenDeletes, putUnseenDeletes } from "../store/unseen-deletes.ts";
import type { ArrivedItem } from "./item-versions.ts";
import { sealItems } from "./sealed-items.ts";
import { tombstoneMentions } from "./tombstone-mentions.ts";

/** An item that was deleted where it stood. */
export interface DeletedItem {
  readonly idKey: string;
  readonly nativeId: string;
  readonly reason: string;
  /** Nobody has said so, it was only seen to be gone: see `decideItem`, Restored. */
  readonly mayReturn?: boolean;
}

/** An account that is gone, with everything that it wrote. */
export interface RemovedAuthor {
  readonly authorKey: string;
  readonly reason: string;
}

/** Where items come from: what an audit asks. */
export interface Provenance {
  readonly kind: string;
  readonly feedKey: string;
  readonly host: string;
  readonly policyVersion: number;
  /** Until a new item is asked for again, in milliseconds. Default: never. */
  readonly checkInMs?: number | null;
}

/** Everything that is stored of removed accounts. */
export async function itemsOfAuthors(
  db: Database,
  projectId: number,
  removed: readonly RemovedAuthor[],
): Promise<DeletedItem[]> {
  if (removed.length === 0) return [];
  const reasons = new Map(removed.map(({ authorKey, reason }) => [authorKey, reason]));
  const found = await findOfAuthors(db, projectId, [...reasons.keys()]);
  return found.map(({ idKey, nativeId, authorKey }) => ({
    ...{ idKey, nativeId, reason: reasons.get(authorKey) ?? "its account was removed" },
  }));
}

/** Without items that were deleted, or whose account was removed, before they came. */
export async function withoutDeleted(
  db: Database,
  projectId: number,
  items: readonly ArrivedItem[],
  keeps: "all" | "matched",
): Promise<readonly ArrivedItem[]> {
  if (keeps === "all" || items.length === 0) return items;
  const keys = items.flatMap(({ idKey, authorKey }) => [idKey, authorKey ?? idKey]);
  const gone = await findUnseenDeletes(db, projectId, keys);
  return items.filter(({ idKey, authorKey }) => !gone.has(idKey) && !gone.has(authorKey ?? idKey));
}

/**
 * Remembers the ids of deleted items, also of those that never came, and leaves tombstones of their mentions. The content
 * of those that were only seen to be gone is sealed for a week.
 */
export async function deleteItems(
  db: Database,
  projectId: number,
  from: Provenance,
  deleted: readonly DeletedItem[],
  unseen: "remember" | "forget soon",
  at: Instant,
): Promise<number> {
  if (deleted.length === 0) return 0;
  const items = [...new Map(deleted.map((one) => [one.idKey, one])).values()];
  const ids = items.map(({ idKey }) => idKey);
  const known = new Map(
    (await findReceived(db, projectId, { ids, contents: [] })).map((row) => [row.idKey, row]),
  );
  const isStored = ({ idKey }: DeletedItem) => known.has(idKey);
  const isKept = unseen === "remember" ? () => true : isStored;
  const isNews = ({ idKey, mayReturn }: DeletedItem) => {
    const before = known.get(idKey);
    return before?.isDeleted !== true || (before.mayReturn === true && mayReturn !== true);
  };
  const fresh = items.filter((one) => isKept(one) && isNews(one));
  if (unseen === "forget soon") {
    const others = items.filter((one) => !isStored(one));
    await putUnseenDeletes(
      db,
      projectId,
      others.map(({ idKey }) => idKey),
    );
  }
  const idsOf = (some: readonly DeletedItem[]) =>
    some.flatMap(({ idKey }) => known.get(idKey)?.resourceId ?? []);
  const onlySeen = idsOf(fresh.filter(({ mayReturn }) => mayReturn === true));
  const deletedForGood = idsOf(fresh.filter(({ mayReturn }) => mayReturn !== true));
  const sealed = await sealItems(db, projectId, onlySeen, at);
  await putReceived(
    db,
    projectId,
    fresh.map(({ idKey, nativeId, reason, mayReturn = false }) => {
      const resourceId = known.get(idKey)?.resourceId ?? idKey;
      return {
        ...{ ...from, idKey, nativeId, contentKey: null, deleteReason: reason, mayReturn, resourceId },
        ...(mayReturn ? { sealed: sealed.get(resourceId) ?? null } : {}),
      };
    }),
  );
  const reason = "another id of it was deleted";
  await tombstoneMentions(db, projectId, onlySeen, { at, reason, seals: true });
  await tombstoneMentions(db, projectId, deletedForGood, { at, reason });
  return onlySeen.length + deletedForGood.length;
}
