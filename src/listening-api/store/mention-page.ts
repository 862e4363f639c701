import { type RawBuilder, sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableText } from "../../lib/text.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { textAsFound } from "../records/mention-text.ts";
import type { Database } from "./database.ts";
import type { MentionOrder, OrderKey } from "./mention-orders.ts";
import { type MentionRange, NOT_DELETED, rangeSql, visibleSql } from "./mention-range.ts";
import type { Span } from "./mention-totals.ts";

export type Direction = "asc" | "desc";

/** A position in an order: the key, then the tie-breakers of equal keys. */
export interface Position {
  readonly key: OrderKey;
  readonly resourceId: string;
  readonly queryId: number;
}

export interface PageRequest {
  readonly range: MentionRange;
  readonly order: MentionOrder;
  readonly direction: Direction;
  /** The moment whose state is shown. */
  readonly at: Instant;
  /** Leaves out every mention that was visible at this moment already, in whatever version. */
  readonly newSince?: Instant;
  readonly limit: number;
  readonly offset: number;
  /** Only what comes after this position in the given direction. */
  readonly after?: Position | undefined;
  /** The position itself belongs to the page. */
  readonly inclusive?: boolean;
  /** Where in the order all mentions of the range are: without it, a short range far back is searched for from the end. */
  readonly within?: Span;
}

/** The mention at a position of a page. Its record is read separately, see `MentionRecords`. */
export interface PageRow {
  readonly position: Position;
  readonly mentionId: number;
  readonly version: number;
  readonly date: Instant;
  readonly shapeId: number;
}

/** `leadsOn`: the page is empty although rows lie ahead. Only requested faults do that. */
export type PageRows = readonly PageRow[] & { readonly leadsOn?: true };

export interface MentionPages {
  read(request: PageRequest): Promise<PageRows>;
}

export function createMentionPages(db: Database): MentionPages {
  return {
    async read(request) {
      const { direction, order, limit, offset } = request;
      const way = sql.raw(direction);
      const source = order.isIndexed ? indexedRows(request) : unindexedRows(request);
      const { rows } = await sql<Row>`
        select query_id, resource_id, version, date, id, shape_id, ${order.key} as key
        from (
          select * from (${source}) as found
          order by key ${way}, resource_id ${way}, query_id ${way}
          limit ${limit} offset ${offset}
        ) as page order by page.key ${way}, resource_id ${way}, query_id ${way}`.execute(db);
      return rows.map(toPageRow);
    },
  };
}

/**
 * Each query is read along its own index and the streams are merged, so that a page costs what it shows, however much
 * lies behind it.
 */
function indexedRows(request: PageRequest): RawBuilder<unknown> {
  const { order, limit, offset } = request;
  const way = sql.raw(request.direction);
  const branches = request.range.queryIds.map(
    (queryId) => sql`(${rowsSql(request, keysetOfQuery(request, queryId))} and query_id = ${queryId}
      order by ${order.expression} ${way}, resource_id ${way} limit ${limit + offset})`,
  );
  return sql.join(branches, sql` union all `);
}

/** Scans everything ahead, and keeps as much of it as a page has: keys only, the records come later. */
function unindexedRows(request: PageRequest): RawBuilder<unknown> {
  return sql`${rowsSql(request, keyset(request))} and query_id = any(${request.range.queryIds}::bigint[])`;
}

/**
 * The position comes before the range: of two bounds on the date PostgreSQL begins to read at the one that is written
 * first, and from the end of the range page 50 would cost fifty pages of the index.
 */
function rowsSql(
  { range, order, at, newSince, within }: PageRequest,
  isAhead: RawBuilder<boolean>,
): RawBuilder<unknown> {
  const isDue = followsChanges({ range, order }) ? notEarlySql(at) : sql`true`;
  const isWithin =
    within === undefined
      ? sql`true`
      : sql`${order.expression} between ${new Date(within.from)} and ${new Date(within.to)}`;
  const isNew = newSince === undefined ? sql`true` : notVisibleSql(newSince);
  return sql`select query_id, resource_id, version, date, id, shape_id, ${order.expression} as key
    from local_api.mention as m
    where ${isAhead} and ${isWithin} and ${rangeSql(range)} and ${visibleSql(at)} and ${isNew} and ${isDue}`;
}

/** By its order or by `sinceUpdated`: each version has its own place, behind all that was written earlier. */
export function followsChanges({ range, order }: Pick<PageRequest, "range" | "order">): boolean {
  return (
    order.name === "updated" ||
    range.conditions.some((one) => one.kind === "after" && one.field === "updated")
  );
}

/** By what came or changed: such a program learns of deletions, too. Nobody else has to see what is left of a mention. */
export function followsArrivals({ range, order }: Pick<PageRequest, "range" | "order">): boolean {
  const isFollowed = (field: string) => field === "added" || field === "updated";
  return (
    isFollowed(order.name) || range.conditions.some((one) => one.kind === "after" && isFollowed(one.field))
  );
}

/**
 * The version that took the place of all others is visible from the mention's arrival on. Where changes are followed it
 * waits for its moment: a page must not show it before changes that were written earlier.
 */
function notEarlySql(at: Instant): RawBuilder<boolean> {
  return sql`not (m.version > 1 and m.visible_at = m.added and m.updated > ${new Date(at)})`;
}

/** Reads only what became visible later: the first comparison saves nearly all rows the second. */
function notVisibleSql(at: Instant): RawBuilder<boolean> {
  return sql`m.visible_at > ${new Date(at)} and not exists (
    select from local_api.mention earlier
    where earlier.query_id = m.query_id and earlier.resource_id = m.resource_id
      and earlier.visible_at <= ${new Date(at)})`;
}

function keyset({ order, direction, after, inclusive }: PageRequest): RawBuilder<boolean> {
  if (after === undefined) return sql`true`;
  const operator = sql.raw((direction === "asc" ? ">" : "<") + (inclusive === true ? "=" : ""));
  return sql`(${order.expression}, resource_id, query_id)
    ${operator} (${order.bound(after.key)}, ${after.resourceId}, ${after.queryId}::bigint)`;
}

/** Within one query, the query id that ends the position only decides whether an equal key was already shown. */
function keysetOfQuery(
  { order, direction, after, inclusive }: PageRequest,
  queryId: number,
): RawBuilder<boolean> {
  if (after === undefined) return sql`true`;
  const sameKeyIsAhead =
    queryId === after.queryId
      ? inclusive === true
      : direction === "asc"
        ? queryId > after.queryId
        : queryId < after.queryId;
  const operator = sql.raw((direction === "asc" ? ">" : "<") + (sameKeyIsAhead ? "=" : ""));
  return sql`(${order.expression}, resource_id) ${operator} (${order.bound(after.key)}, ${after.resourceId})`;
}
interface Row {
  query_id: string;
  resource_id: string;
  version: number;
  date: Date;
  id: string;
  shape_id: string;
  /** The driver gives whole numbers of eight bytes as text. */
  key: string;
}

function toPageRow(row: Row): PageRow {
  return {
    position: { key: row.key, resourceId: row.resource_id, queryId: Number(row.query_id) },
    mentionId: Number(row.id),
    version: row.version,
    date: row.date.getTime(),
    shapeId: Number(row.shape_id),
  };
}

/** The shown version of a mention of a query, by its id or its address; of several at one address the latest. */
export async function findMention(
  db: Database,
  { queryId, resourceId, url, at }: { queryId: number; resourceId?: string; url?: string; at: Instant },
): Promise<PageRow | undefined> {
  // In the path of a call it may be any text.
  const isIt =
    resourceId === undefined ? sql`url = ${url ?? ""}` : sql`resource_id = ${storableText(resourceId)}`;
  const { rows } = await sql<{
    resource_id: string;
    version: number;
    date: Date;
    id: string;
    shape_id: string;
  }>`
    select resource_id, version, date, id, shape_id from local_api.mention
    where query_id = ${queryId} and ${isIt} and ${visibleSql(at)} and ${NOT_DELETED}
    order by date desc, resource_id limit 1`.execute(db);
  const row = rows[0];
  if (row === undefined) return undefined;
  return {
    position: { key: 0, resourceId: row.resource_id, queryId },
    mentionId: Number(row.id),
    version: row.version,
    date: row.date.getTime(),
    shapeId: Number(row.shape_id),
  };
}

/** A mention as a query of a project has it, in its newest version. */
export interface FoundInQuery {
  readonly queryId: number;
  readonly added: Instant;
  /** When its first version is shown; later than now while it is delayed. */
  readonly visibleAt: Instant;
  readonly record: MentionRecord;
  readonly fullText: string | null;
}

/** The mention in each of these queries that has it, shown already or not. */
export async function findInQueries(
  db: Database,
  { queryIds, resourceId, url }: { queryIds: readonly number[]; resourceId?: string; url?: string },
): Promise<FoundInQuery[]> {
  const isIt = resourceId === undefined ? sql`url = ${url ?? ""}` : sql`resource_id = ${resourceId}`;
  const { rows } = await sql<{
    query_id: string;
    added: Date;
    first_visible_at: Date;
    record: string;
    full_text: string | null;
    exact_text: string | null;
  }>`
    select distinct on (query_id) query_id, added, full_text, exact_text,
      min(visible_at) over (partition by query_id, resource_id) as first_visible_at,
      filled_fields || (select empty_fields from local_api.record_shape where id = shape_id) as record
    from local_api.mention
    where query_id = any(${[...queryIds]}::bigint[]) and ${isIt} and ${NOT_DELETED}
    order by query_id, date desc, resource_id, version desc`.execute(db);
  return rows.map((row) => ({
    queryId: Number(row.query_id),
    added: row.added.getTime(),
    visibleAt: row.first_visible_at.getTime(),
    record: JSON.parse(row.record) as MentionRecord,
    fullText: textAsFound(row),
  }));
}
