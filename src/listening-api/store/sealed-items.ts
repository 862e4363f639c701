import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Database } from "./database.ts";

/** An item whose delete can still be undone, and its sealed content. */
interface SealedRow {
  readonly projectId: number;
  readonly resourceId: string;
  readonly sealed: Buffer;
}

/** What people may see of it. */
export interface UndoableDelete {
  /** The id of the mention that it was. */
  readonly id: string;
  /** The key of the feed that brought it; null: it was pushed. */
  readonly feedKey: string | null;
  readonly reason: string;
  readonly deletedAt: Instant;
  /** Afterwards it is gone for good. */
  readonly until: Instant;
}

/** How an item is called at its source. */
export interface ItemName {
  readonly idKey: string;
  readonly resourceId: string;
  readonly nativeId: string;
  readonly reference: string | null;
}

/** Every name by which these mentions are known. */
export async function namesOf(
  db: Database,
  projectId: number,
  resourceIds: readonly string[],
): Promise<ItemName[]> {
  const { rows } = await sql<{
    id_key: string;
    resource_id: string;
    native_id: string;
    reference: string | null;
  }>`
    select encode(id_key, 'hex') as id_key, resource_id, native_id, reference from local_api.received_item
    where project_id = ${projectId} and resource_id = any(${resourceIds}::text[]) and deleted_at is null
  `.execute(db);
  return rows.map((row) => ({
    ...{ idKey: row.id_key, resourceId: row.resource_id },
    ...{ nativeId: row.native_id, reference: row.reference },
  }));
}

/** Deletes of the last week that can be undone, the newest first. */
export async function listUndoable(db: Database, projectId: number): Promise<UndoableDelete[]> {
  const { rows } = await sql<{
    resource_id: string;
    feed_key: string | null;
    delete_reason: string;
    deleted_at: Date;
    may_return_until: Date;
  }>`
    select resource_id, feed_key, delete_reason, deleted_at, may_return_until from local_api.received_item
    where project_id = ${projectId} and sealed is not null and may_return_until > now()
    order by deleted_at desc, resource_id`.execute(db);
  return rows.map((row) => ({
    ...{ id: row.resource_id, feedKey: row.feed_key, reason: row.delete_reason },
    ...{ deletedAt: row.deleted_at.getTime(), until: row.may_return_until.getTime() },
  }));
}

/** Sealed contents of these mentions, or of all of every project (null): some at a time, behind `after`. */
export async function readSealed(
  db: Database,
  which: { readonly projectId: number; readonly resourceIds: readonly string[] } | null,
  after: Pick<SealedRow, "projectId" | "resourceId"> = { projectId: 0, resourceId: "" },
): Promise<SealedRow[]> {
  const condition =
    which === null
      ? sql`true`
      : sql`project_id = ${which.projectId} and resource_id = any(${which.resourceIds}::text[])`;
  const { rows } = await sql<{ project_id: string; resource_id: string; sealed: Buffer }>`
    select distinct on (project_id, resource_id) project_id, resource_id, sealed from local_api.received_item
    where sealed is not null and may_return_until > now() and ${condition}
      and (project_id, resource_id) > (${after.projectId}, ${after.resourceId})
    order by project_id, resource_id limit ${AT_ONCE}`.execute(db);
  return rows.map((row) => ({
    ...{ projectId: Number(row.project_id), resourceId: row.resource_id, sealed: row.sealed },
  }));
}

/** Contents that are in memory together. */
const AT_ONCE = 200;

/**
 * The items are there again, with the names that they had, as mentions of another id. They are not asked for again: people
 * know better.
 */
export async function returnItems(
  db: Database,
  projectId: number,
  items: readonly (ItemName & { readonly newResourceId: string })[],
): Promise<void> {
  await sql`
    update local_api.received_item item
    set resource_id = i->>'newResourceId', native_id = i->>'nativeId', reference = i->>'reference', deleted_at = null,
      delete_reason = null, may_return_until = null, sealed = null, gone_since = null, check_at = null
    from jsonb_array_elements(${storableJson(items)}::jsonb) as i
    where item.project_id = ${projectId} and item.id_key = decode(i->>'idKey', 'hex')
      and item.resource_id = i->>'resourceId' and item.may_return_until > now()`.execute(db);
}

/** Removes the content of deletes that can be undone no more. Gives their number. */
export async function dropOldSeals(db: Database, projectId: number): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update local_api.received_item set sealed = null
    where project_id = ${projectId} and sealed is not null and may_return_until <= now()`.execute(db);
  return Number(numAffectedRows);
}
