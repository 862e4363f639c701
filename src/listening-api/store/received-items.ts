import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Database } from "./database.ts";
import { lockWriting } from "./write-order.ts";

/** The type of the query that has every item of a project's feeds. No call of the API shows it. */
export const RECEIVED_TYPE = "received items";

/**
 * The hidden query with every item that was received, also those that match no query, for queries that look back. Made if
 * missing, and arrivals are locked until the transaction ends: arriving items and a new query that looks back wait for
 * each other, so that no item falls between them.
 */
export async function lockReceivedQuery(db: Database, projectId: number): Promise<number> {
  const found = await receivedQuery(db, projectId);
  if (found !== null) return found;
  await sql`
    insert into local_api.query (project_id, name, type, created_at, last_modified_at, last_modified_username)
    values (${projectId}, ${RECEIVED_TYPE}, ${RECEIVED_TYPE}, now(), now(), 'feeds')
    on conflict (project_id, name) do nothing`.execute(db);
  const made = await receivedQuery(db, projectId);
  if (made === null) throw new Error(`project ${projectId} has a query of its own named "${RECEIVED_TYPE}"`);
  return made;
}

/** The same, or null where no feed has answered yet. */
export async function receivedQuery(db: Database, projectId: number): Promise<number | null> {
  await lockWriting(db, [projectId]);
  return findReceivedQuery(db, projectId);
}

/** For readers: without the lock of those who write. */
export async function findReceivedQuery(db: Database, projectId: number): Promise<number | null> {
  const { rows } = await sql<{ id: string }>`
    select id from local_api.query where project_id = ${projectId} and type = ${RECEIVED_TYPE}`.execute(db);
  return rows[0] === undefined ? null : Number(rows[0].id);
}

/** What items meet in their project when they arrive. */
interface ArrivalTerms {
  /** The hidden query; null where no feed has answered yet. */
  readonly receivedQueryId: number | null;
  /** Changes when a query of the project is made, changed or deleted. */
  readonly revision: string;
  /** Whether somebody asked to forget anything. */
  readonly hasRequests: boolean;
  /** Whether the project has rules, of its own or of a tag or category. */
  readonly hasRules: boolean;
}

export async function readArrivalTerms(db: Database, projectId: number): Promise<ArrivalTerms> {
  const { rows } = await sql<Omit<ArrivalTerms, "receivedQueryId"> & { received: string | null }>`
    select max(id) filter (where type = ${RECEIVED_TYPE}) as received,
      coalesce(md5(string_agg(concat_ws(' ', id, name, last_modified_at, boolean_text, sample_percentage, languages,
        content_sources, included_locations, excluded_locations), E'\n' order by id)), '') as revision,
      exists (select from local_api.forget_request) as "hasRequests",
      exists (select from local_api.rule where project_id = ${projectId})
        or exists (select from local_api.tag where project_id = ${projectId} and rules <> '[]')
        or exists (select from local_api.category where project_id = ${projectId} and rules <> '[]') as "hasRules"
    from local_api.query where project_id = ${projectId}`.execute(db);
  const [{ received, ...terms } = NO_TERMS] = rows;
  return { ...terms, receivedQueryId: received === null ? null : Number(received) };
}

/** An aggregate has one row always. */
const NO_TERMS = { received: null, revision: "", hasRequests: true, hasRules: true };

/** What is known of an item. */
export interface ReceivedItem {
  readonly idKey: string;
  readonly contentKey: string | null;
  readonly linkKey?: string | null;
  readonly resourceId: string;
  /** By the clock that stored the edit: that of the database. */
  readonly editedAgoMs: number | null;
  readonly isDeleted: boolean;
  /** It was only seen to be gone, and not long ago: it comes back if its feed shows it. */
  readonly mayReturn?: boolean;
  /** See `ItemKeys`. */
  readonly revision?: number | null;
}

/** The items that have one of these ids, contents or links; hashes are in hex. */
export async function findReceived(
  db: Database,
  projectId: number,
  keys: {
    readonly ids: readonly string[];
    readonly contents: readonly string[];
    readonly links?: readonly string[];
  },
): Promise<ReceivedItem[]> {
  const { rows } = await sql<ReceivedRow>`
    select encode(id_key, 'hex') as id_key, encode(content_key, 'hex') as content_key,
      encode(link_key, 'hex') as link_key, resource_id,
      1000 * extract(epoch from clock_timestamp() - edited_at)::double precision as edited_ago_ms,
      deleted_at is not null as is_deleted, coalesce(may_return_until > now(), false) as may_return, revision
    from local_api.received_item where project_id = ${projectId}
      and (id_key = any(select decode(k, 'hex') from unnest(${keys.ids}::text[]) k)
        or content_key = any(select decode(k, 'hex') from unnest(${keys.contents}::text[]) k)
        or link_key = any(select decode(k, 'hex') from unnest(${keys.links ?? []}::text[]) k))
    order by fetched_at`.execute(db);
  return rows.map((row) => ({
    idKey: row.id_key,
    contentKey: row.content_key,
    linkKey: row.link_key,
    resourceId: row.resource_id,
    editedAgoMs: row.edited_ago_ms,
    isDeleted: row.is_deleted,
    mayReturn: row.may_return,
    revision: row.revision === null ? null : Number(row.revision),
  }));
}

interface ReceivedRow {
  id_key: string;
  content_key: string | null;
  link_key: string | null;
  resource_id: string;
  edited_ago_ms: number | null;
  is_deleted: boolean;
  may_return: boolean;
  revision: string | null;
}

export interface NewReceivedItem {
  readonly idKey: string;
  readonly contentKey: string | null;
  readonly linkKey?: string | null;
  readonly resourceId: string;
  readonly kind: string;
  readonly feedKey: string | null;
  readonly host: string;
  readonly nativeId: string;
  readonly policyVersion: number;
  /** Why it is deleted; null: it is there. */
  readonly deleteReason: string | null;
  /** It was only seen to be gone. */
  readonly mayReturn?: boolean;
  /** Then its sealed content, in base64. */
  readonly sealed?: string | null;
  /** How its source is asked for it again, and in how many milliseconds. */
  readonly reference?: string | null;
  readonly checkInMs?: number | null;
  /** Hash of its author, see `findOfAuthors`. */
  readonly authorKey?: string;
  readonly revision?: number;
}

/**
 * Stores items, or what is new of them. A tombstone stays one, whatever comes later; it has no native id, which is often
 * an address.
 */
export async function putReceived(
  db: Database,
  projectId: number,
  items: readonly NewReceivedItem[],
): Promise<void> {
  if (items.length === 0) return;
  await sql`
    insert into local_api.received_item as known (project_id, id_key, content_key, link_key, resource_id, kind, feed_key, host,
      native_id, policy_version, author_key, revision, deleted_at, delete_reason, reference, check_at,
      may_return_until, sealed)
    select ${projectId}, decode(i->>'idKey', 'hex'), decode(i->>'contentKey', 'hex'), decode(i->>'linkKey', 'hex'), i->>'resourceId', i->>'kind',
      i->>'feedKey', i->>'host', case when i->>'deleteReason' is null then i->>'nativeId' else '' end,
      (i->>'policyVersion')::integer, decode(i->>'authorKey', 'hex'), (i->>'revision')::bigint,
      case when i->>'deleteReason' is not null then clock_timestamp() end, i->>'deleteReason',
      case when i->>'deleteReason' is null then i->>'reference' end,
      now() + (i->>'checkInMs')::double precision * interval '1 millisecond',
      case when (i->>'mayReturn')::boolean then now() + ${MAY_RETURN_FOR} end, decode(i->>'sealed', 'base64')
    from jsonb_array_elements(${storableJson(items)}::jsonb) as i
    on conflict (project_id, id_key) do update set
      content_key = coalesce(excluded.content_key, known.content_key),
      link_key = coalesce(excluded.link_key, known.link_key),
      edited_at = case when excluded.content_key is distinct from known.content_key
        and excluded.content_key is not null then clock_timestamp() else known.edited_at end,
      seen_on = greatest(known.seen_on, excluded.seen_on),
      revision = greatest(known.revision, excluded.revision),
      native_id = case when excluded.deleted_at is null then known.native_id else '' end,
      reference = case when excluded.deleted_at is null then known.reference end,
      deleted_at = coalesce(known.deleted_at, excluded.deleted_at),
      delete_reason = coalesce(known.delete_reason, excluded.delete_reason),
      -- A delete that the source has said is for ever, also after one that was only seen.
      may_return_until = case when excluded.deleted_at is null then known.may_return_until
        else excluded.may_return_until end,
      sealed = case when excluded.deleted_at is null then known.sealed else excluded.sealed end`.execute(db);
}

/** An item that was only seen to be gone is forgotten for good after this long. */
const MAY_RETURN_FOR = sql`interval '7 days'`;

/** Lifts the tombstones of mentions that their feeds show again: they are known no more, and arrive as new ones. */
export async function liftTombstones(
  db: Database,
  projectId: number,
  resourceIds: readonly string[],
): Promise<void> {
  if (resourceIds.length === 0) return;
  await sql`
    delete from local_api.received_item where project_id = ${projectId} and resource_id = any(${resourceIds}::text[])
      and may_return_until > now()`.execute(db);
}

/** The items of these authors that are not deleted. */
export async function findOfAuthors(
  db: Database,
  projectId: number,
  authorKeys: readonly string[],
): Promise<{ readonly idKey: string; readonly nativeId: string; readonly authorKey: string }[]> {
  const { rows } = await sql<{ id_key: string; native_id: string; author_key: string }>`
    select encode(id_key, 'hex') as id_key, native_id, encode(author_key, 'hex') as author_key
    from local_api.received_item where project_id = ${projectId} and deleted_at is null
      and author_key = any(select decode(k, 'hex') from unnest(${authorKeys}::text[]) k)`.execute(db);
  return rows.map((row) => ({ idKey: row.id_key, nativeId: row.native_id, authorKey: row.author_key }));
}

/** Remembers that feeds still show these items. At most one write a day for each. */
export async function markSeen(db: Database, projectId: number, idKeys: readonly string[]): Promise<void> {
  if (idKeys.length === 0) return;
  await sql`
    update local_api.received_item set seen_on = current_date
    where project_id = ${projectId} and seen_on < current_date
      and id_key = any(select decode(k, 'hex') from unnest(${idKeys}::text[]) k)`.execute(db);
}

/**
 * Marks every item with one of these mentions as deleted: an item may be known under several ids. `seals`: they may return,
 * as the one of them whose delete was seen; else what is sealed of them goes, too.
 */
export async function deleteReceived(
  db: Database,
  projectId: number,
  resourceIds: readonly string[],
  { reason, seals }: { readonly reason: string; readonly seals: boolean },
): Promise<void> {
  await sql`
    update local_api.received_item set deleted_at = clock_timestamp(), delete_reason = ${reason}, native_id = '',
      reference = null, may_return_until = case when ${seals} then now() + ${MAY_RETURN_FOR} end
    where project_id = ${projectId} and resource_id = any(${resourceIds}::text[]) and deleted_at is null
  `.execute(db);
  if (seals) return;
  await sql`
    update local_api.received_item set sealed = null, may_return_until = null
    where project_id = ${projectId} and resource_id = any(${resourceIds}::text[]) and may_return_until is not null
  `.execute(db);
}

/** Forgets items, tombstones too, that no feed has shown since the day. Gives their number. */
export async function forgetReceivedBefore(
  db: Database,
  projectId: number,
  before: Instant,
): Promise<number> {
  const { rows } = await sql<{ n: string }>`
    with gone as (delete from local_api.received_item where project_id = ${projectId} and seen_on < ${new Date(before)}::timestamptz::date returning 1)
    select count(*) as n from gone`.execute(db);
  return Number(rows[0]?.n ?? 0);
}

/** Which of the queries have these mentions, in any version. */
export async function findHolders(
  db: Database,
  queryIds: readonly number[],
  resourceIds: readonly string[],
): Promise<{ readonly queryId: number; readonly resourceId: string }[]> {
  if (resourceIds.length === 0) return [];
  const { rows } = await sql<{ query_id: string; resource_id: string }>`
    select distinct query_id, resource_id from local_api.mention
    where query_id = any(${queryIds}::bigint[]) and resource_id = any(${resourceIds}::text[])`.execute(db);
  return rows.map((row) => ({ queryId: Number(row.query_id), resourceId: row.resource_id }));
}

/**
 * Mentions of an author (handle or name, exactly) or of an address, in every project. Scans all of them. The column has
 * the original address, the record the other one, where a source gives two.
 */
export async function findByAuthorOrAddress(
  db: Database,
  {
    what,
    value,
    source,
  }: { readonly what: "author" | "url"; readonly value: string; readonly source: string | null },
  limit: number,
): Promise<{ readonly projectId: number; readonly resourceId: string }[]> {
  const fits =
    what === "url"
      ? sql`(m.url = ${value} or position(${`"url":${storableJson(value)}`} in m.filled_fields) > 0
          and (m.filled_fields || '}')::jsonb ->> 'url' = ${value})`
      : sql`(m.author in (${value}, ${`@${value}`}) or m.fullname = ${value})`;
  const { rows } = await sql<{ project_id: string; resource_id: string }>`
    select distinct q.project_id, m.resource_id from local_api.mention m join local_api.query q on q.id = m.query_id
    where ${fits} and (${source}::text is null or m.domain = ${source} or m.page_type = ${source})
    order by 1, 2 limit ${limit}`.execute(db);
  return rows.map((row) => ({ projectId: Number(row.project_id), resourceId: row.resource_id }));
}

/** Requests to forget, as hashes. A later one of the same counts. */
export async function putForgetRequest(db: Database, asked: Buffer, at: Instant): Promise<void> {
  await sql`
    insert into local_api.forget_request as known (asked, at) values (${asked}, ${new Date(at)})
    on conflict (asked) do update set at = greatest(known.at, excluded.at)`.execute(db);
}

export async function listForgetRequests(
  db: Database,
): Promise<{ readonly asked: Buffer; readonly at: Instant }[]> {
  const { rows } = await sql<{
    asked: Buffer;
    at: Date;
  }>`select asked, at from local_api.forget_request`.execute(db);
  return rows.map(({ asked, at }) => ({ asked, at: at.getTime() }));
}
