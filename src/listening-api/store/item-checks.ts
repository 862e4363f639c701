import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { Database } from "./database.ts";
import { lockWriting } from "./write-order.ts";

/** An item that is to be asked for again. */
export interface DueCheck {
  readonly idKey: string;
  readonly id: string;
  readonly reference: string | null;
  /** Since it was received first. */
  readonly ageMs: number;
  /** Since it was first seen to be gone; null: it was there when it was asked for last. */
  readonly goneForMs: number | null;
  /** Whether a feed has shown it yesterday or today. */
  readonly isListed: boolean;
}

/** When an item is asked for next (null: never again), and whether it was seen to be gone. */
export interface ScheduledCheck {
  readonly idKey: string;
  readonly inMs: number | null;
  readonly gone: "No" | "Since now" | "AsBefore";
}

/** Items of a feed that are due to be asked for again, those first that have waited longest. */
export async function dueChecks(
  db: Database,
  projectId: number,
  feedKey: string,
  most: number,
): Promise<DueCheck[]> {
  const { rows } = await sql<DueRow>`
    select encode(id_key, 'hex') as id_key, native_id, reference, seen_on >= current_date - 1 as is_listed,
      1000 * extract(epoch from now() - fetched_at)::double precision as age_ms,
      1000 * extract(epoch from now() - gone_since)::double precision as gone_for_ms
    from local_api.received_item
    where project_id = ${projectId} and feed_key = ${feedKey} and deleted_at is null and check_at <= now()
    order by check_at limit ${most}`.execute(db);
  return rows.map((row) => ({
    ...{ idKey: row.id_key, id: row.native_id, reference: row.reference, ageMs: row.age_ms },
    ...{ goneForMs: row.gone_for_ms, isListed: row.is_listed },
  }));
}

interface DueRow {
  id_key: string;
  native_id: string;
  reference: string | null;
  age_ms: number;
  gone_for_ms: number | null;
  is_listed: boolean;
}

/**
 * The same for a queue of its own: nobody else gets them for `forMs`, also if the process ends before they are asked. It
 * takes its turn among the writers, who change the same rows.
 */
export async function claimChecks(
  db: Database,
  projectId: number,
  feedKey: string,
  { most, forMs }: { readonly most: number; readonly forMs: number },
): Promise<DueCheck[]> {
  return db.transaction().execute(async (transaction) => {
    await lockWriting(transaction, [projectId]);
    const due = await dueChecks(transaction, projectId, feedKey, most);
    await scheduleChecks(
      transaction,
      projectId,
      due.map(({ idKey }) => ({ idKey, inMs: forMs, gone: "AsBefore" })),
    );
    return due;
  });
}

/** The same items as they are now, without those that are deleted. No feed lists any of them until the transaction ends. */
export async function dueNow(
  db: Database,
  projectId: number,
  due: readonly DueCheck[],
): Promise<readonly DueCheck[]> {
  await lockWriting(db, [projectId]);
  const { rows } = await sql<{ id_key: string; is_listed: boolean }>`
    select encode(id_key, 'hex') as id_key, seen_on >= current_date - 1 as is_listed from local_api.received_item
    where project_id = ${projectId} and deleted_at is null
      and id_key = any(select decode(k, 'hex') from unnest(${due.map(({ idKey }) => idKey)}::text[]) k)
  `.execute(db);
  const listed = new Map(rows.map((row) => [row.id_key, row.is_listed]));
  return due.flatMap((one) => {
    const isListed = listed.get(one.idKey);
    return isListed === undefined ? [] : { ...one, isListed };
  });
}

export async function scheduleChecks(
  db: Database,
  projectId: number,
  checks: readonly ScheduledCheck[],
): Promise<void> {
  if (checks.length === 0) return;
  await sql`
    update local_api.received_item item
    set check_at = now() + (c->>'inMs')::double precision * interval '1 millisecond',
      gone_since = case c->>'gone' when 'No' then null when 'Since now' then now() else gone_since end
    from jsonb_array_elements(${storableJson(checks)}::jsonb) as c
    where item.project_id = ${projectId} and item.id_key = decode(c->>'idKey', 'hex')`.execute(db);
}
