import { sql } from "kysely";
import { textAsFound } from "../records/mention-text.ts";
import type { RecordShape } from "../records/packed-record.ts";
import type { RecordView } from "../records/record-view.ts";
import type { Database } from "./database.ts";
import { followsChanges, type PageRequest, type PageRow } from "./mention-page.ts";
import { rangeSql, visibleSql } from "./mention-range.ts";

/** What was asked for when the rows were read. */
type ReadRequest = Pick<PageRequest, "at"> & Partial<Pick<PageRequest, "range" | "order">>;

export interface MentionRecords {
  /**
   * The wire records of the rows as JSON text, in their order, some at a time: a page of long articles is never in
   * memory as a whole. A row whose version another one has replaced meanwhile (a text that its author changed, a
   * tombstone) is shown as it is now: the next page begins behind it. It is left out if it was deleted or fits no more,
   * and where changes are followed: there its new version is still to come.
   */
  read(rows: readonly PageRow[], view: RecordView, request: ReadRequest): AsyncGenerator<readonly string[]>;
}

/** A megabyte or two of usual mentions. */
const AT_A_TIME = 1_000;

export function createMentionRecords(db: Database): MentionRecords {
  const shapes = createRecordShapes(db);
  return {
    async *read(rows, view, request) {
      let next = readSome(0);
      for (let start = 0; start < rows.length; start += AT_A_TIME) {
        const some = await next;
        // PostgreSQL looks for the next ones while these are on their way.
        next = readSome(start + AT_A_TIME);
        next.catch(() => {});
        yield some;
      }

      async function readSome(start: number): Promise<readonly string[]> {
        const some = rows.slice(start, start + AT_A_TIME);
        if (some.length === 0) return [];
        const found = await readRows(db, some, view, request);
        const emptyFields = await shapes.read(new Set(found.map((row) => Number(row.shape_id))));
        return found.map((row) => render(row, emptyFields, view));
      }
    },
  };
}

interface RecordRow {
  place: string;
  id: string;
  shape_id: string;
  filled_fields: string;
  full_text: string | null;
  exact_text: string | null;
}

async function readRows(
  db: Database,
  rows: readonly PageRow[],
  view: RecordView,
  request: ReadRequest,
): Promise<readonly RecordRow[]> {
  const found = await readVersions(db, rows, view);
  if (found.length === rows.length || isForChanges(request)) return found;
  const places = new Set(found.map(({ place }) => Number(place)));
  const gone = rows.flatMap((row, index) => (places.has(index + 1) ? [] : [{ row, place: index + 1 }]));
  const replaced = await readReplaced(db, gone, view, request);
  return [...found, ...replaced].sort((one, other) => Number(one.place) - Number(other.place));
}

function isForChanges({ range, order }: ReadRequest): boolean {
  return range !== undefined && order !== undefined && followsChanges({ range, order });
}

/** By their whole key: the date leads to the month, and a version of a mention never changes. */
async function readVersions(
  db: Database,
  rows: readonly PageRow[],
  view: RecordView,
): Promise<readonly RecordRow[]> {
  // The first and the last date spare the planner all other months.
  const dates = rows.map((row) => row.date);
  const [first, last] = [new Date(Math.min(...dates)), new Date(Math.max(...dates))];
  const { rows: found } = await sql<RecordRow>`
    select wanted.place, m.id, m.shape_id, m.filled_fields, ${textsSql(view)}
    from unnest(
      ${rows.map((row) => row.position.queryId)}::bigint[], ${rows.map((row) => row.position.resourceId)}::text[],
      ${rows.map((row) => row.version)}::integer[], ${dates.map((date) => new Date(date))}::timestamptz[]
    ) with ordinality as wanted (query_id, resource_id, version, date, place)
    join local_api.mention m on m.query_id = wanted.query_id and m.resource_id = wanted.resource_id
      and m.version = wanted.version and m.date = wanted.date
      and m.date >= ${first} and m.date <= ${last}
    order by wanted.place`.execute(db);
  return found;
}

/** What the page would show of these mentions now. One statement: nothing comes between. */
async function readReplaced(
  db: Database,
  gone: readonly { readonly row: PageRow; readonly place: number }[],
  view: RecordView,
  { range, at }: ReadRequest,
): Promise<readonly RecordRow[]> {
  const { rows } = await sql<RecordRow>`
    select wanted.place, m.id, m.shape_id, m.filled_fields, ${textsSql(view)}
    from unnest(
      ${gone.map(({ row }) => row.position.queryId)}::bigint[], ${gone.map(({ row }) => row.position.resourceId)}::text[],
      ${gone.map(({ place }) => place)}::bigint[]
    ) as wanted (of_query, of_resource, place)
    join local_api.mention m on m.query_id = of_query and m.resource_id = of_resource
    where ${visibleSql(at)}
      and ${range === undefined ? sql`true` : rangeSql({ ...range, withDeleted: true })}`.execute(db);
  return rows;
}

function textsSql(view: RecordView) {
  return view.needsFullText ? sql`m.full_text, m.exact_text` : sql`null as full_text, null as exact_text`;
}

function render(row: RecordRow, emptyFieldsById: ReadonlyMap<number, string>, view: RecordView): string {
  const emptyFields = emptyFieldsById.get(Number(row.shape_id));
  if (emptyFields === undefined) throw new Error(`record shape ${row.shape_id} is missing`);
  return view.render({
    filledFields: row.filled_fields,
    emptyFields,
    mentionId: Number(row.id),
    fullText: textAsFound(row),
  });
}

/** Shapes of stored records by id. A shape never changes, so what was read once is kept. */
export interface RecordShapes {
  /** Gives the empty fields of every id asked for. */
  read(ids: Iterable<number>): Promise<ReadonlyMap<number, string>>;
}

/** Kinds of mentions are few; a data set with more of them is read again each time. */
const REMEMBERED = 5_000;

export function createRecordShapes(db: Database): RecordShapes {
  const known = new Map<number, string>();
  return {
    async read(ids) {
      const missing = [...new Set(ids)].filter((id) => !known.has(id));
      if (missing.length === 0) return known;
      if (known.size + missing.length > REMEMBERED) known.clear();
      const idsToRead = known.size === 0 ? [...new Set(ids)] : missing;
      const { rows } = await sql<{ id: string; empty_fields: string }>`
        select id, empty_fields from local_api.record_shape where id = any(${idsToRead}::bigint[])`.execute(
        db,
      );
      for (const row of rows) known.set(Number(row.id), row.empty_fields);
      return known;
    },
  };
}

/** In the order of their ids, so that two writers of the same new shapes wait for each other and never both. */
export async function putRecordShapes(db: Database, shapes: readonly RecordShape[]): Promise<void> {
  const distinct = [...new Map(shapes.map((shape) => [shape.id, shape])).values()].sort(
    (a, b) => a.id - b.id,
  );
  await sql`
    insert into local_api.record_shape (id, empty_fields)
    select * from unnest(${distinct.map((shape) => shape.id)}::bigint[],
      ${distinct.map((shape) => shape.emptyFields)}::text[])
    on conflict (id) do nothing`.execute(db);
}
