import { type RawBuilder, sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { textAsFound } from "../records/exact-text.ts";
import type { RecordView } from "../records/record-view.ts";
import type { Database } from "./database.ts";
import { type MentionRange, rangeSql, visibleSql } from "./mention-range.ts";
import { createRecordShapes } from "./record-shapes.ts";

export const MENTION_ORDERS = ["date", "added", "updated", "impact"] as const;
export type MentionOrder = (typeof MENTION_ORDERS)[number];
export type Direction = "asc" | "desc";

/** A place in an order: the key (milliseconds, or the impact), then what tells equal keys apart. */
export interface Position {
  readonly key: number;
  readonly resourceId: string;
  readonly queryId: number;
}

export interface PageRequest {
  readonly range: MentionRange;
  readonly orderBy: MentionOrder;
  readonly direction: Direction;
  /** The moment whose state is shown. */
  readonly at: Instant;
  readonly limit: number;
  readonly offset: number;
  /** Only what comes after this place in the given direction. */
  readonly after?: Position;
  /** The place itself belongs to the page. */
  readonly inclusive?: boolean;
  /** How the records are shown. */
  readonly view: RecordView;
}

export interface PageRow {
  readonly position: Position;
  readonly mentionId: number;
  /** The wire record as JSON text. */
  readonly record: string;
}

export interface MentionPages {
  read(request: PageRequest): Promise<PageRow[]>;
}

export function createMentionPages(db: Database): MentionPages {
  const shapes = createRecordShapes(db);
  return {
    async read(request) {
      const rows = await readRows(db, request);
      const silences = await shapes.read(new Set(rows.map((row) => Number(row.shape_id))));
      return rows.map((row) => toPageRow(row, silences, request.view));
    },
  };
}

/**
 * One page by its keyset position. Each query is read along its own index and the streams are merged, so that a page
 * costs what it shows, however much lies behind it. The records are fetched last, by their place in the table, so
 * that no sort ever carries them.
 */
async function readRows(db: Database, request: PageRequest): Promise<Row[]> {
  const { key, ordering } = ORDERS[request.orderBy];
  const direction = sql.raw(request.direction);
  const end = sql`limit ${request.limit + request.offset}`;
  const branches = request.range.queryIds.map(
    (queryId) => sql`(select query_id, resource_id, version, date, ${ordering} as key, id, shape_id
      from local_api.mention
      where query_id = ${queryId} and ${rangeSql(request.range)} and ${visibleSql(request.at)}
        and ${keysetSql(request, queryId)}
      order by ${ordering} ${direction}, resource_id ${direction} ${end})`,
  );
  const { rows } = await sql<Row>`
    select query_id, resource_id, ${key} as key, id, shape_id,
      ${storedAt("said")}
      ${request.view.needsFullText ? sql`, ${storedAt("full_text")}, ${storedAt("exact_text")}` : sql``}
    from (
      select * from (${sql.join(branches, sql` union all `)}) as branches
      order by key ${direction}, resource_id ${direction}, query_id ${direction}
      limit ${request.limit} offset ${request.offset}
    ) as merged`.execute(db);
  return rows;
}

/** A column of the row itself, which is fetched once its place on the page is sure. */
function storedAt(column: "said" | "full_text" | "exact_text"): RawBuilder<unknown> {
  return sql`(select m.${sql.ref(column)} from local_api.mention m where m.query_id = merged.query_id
    and m.resource_id = merged.resource_id and m.version = merged.version
    and m.date = merged.date) as ${sql.ref(column)}`;
}

/** Within one query, the query id that ends the position only decides whether an equal key was already shown. */
function keysetSql(
  { orderBy, direction, after, inclusive }: PageRequest,
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
  const key = orderBy === "impact" ? sql`${after.key}::bigint` : sql`${new Date(after.key)}::timestamptz`;
  return sql`(${ORDERS[orderBy].ordering}, resource_id) ${operator} (${key}, ${after.resourceId})`;
}

const MOMENT_KEY = sql`(extract(epoch from merged.key) * 1000)::bigint`;

const ORDERS: Readonly<Record<MentionOrder, { ordering: RawBuilder<unknown>; key: RawBuilder<unknown> }>> = {
  date: { ordering: sql.ref("date"), key: MOMENT_KEY },
  added: { ordering: sql.ref("added"), key: MOMENT_KEY },
  updated: { ordering: sql.ref("updated"), key: MOMENT_KEY },
  impact: { ordering: sql`coalesce(impact, '-9007199254740991'::bigint)`, key: sql`merged.key` },
};

interface Row {
  query_id: string;
  resource_id: string;
  key: string | number;
  id: string;
  shape_id: string;
  said: string;
  full_text?: string | null;
  exact_text?: string | null;
}

function toPageRow(row: Row, silences: ReadonlyMap<number, string>, view: RecordView): PageRow {
  const silence = silences.get(Number(row.shape_id));
  if (silence === undefined) throw new Error(`record shape ${row.shape_id} is missing`);
  const mentionId = Number(row.id);
  const { said, full_text = null, exact_text = null } = row;
  return {
    position: { key: Number(row.key), resourceId: row.resource_id, queryId: Number(row.query_id) },
    mentionId,
    record: view.render({ said, silence, mentionId, fullText: textAsFound({ full_text, exact_text }) }),
  };
}
