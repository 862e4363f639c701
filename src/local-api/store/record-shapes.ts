import { sql } from "kysely";
import type { RecordShape } from "../records/packed-record.ts";
import type { Database } from "./database.ts";

/** Shapes of stored records by id. A shape never changes, so what was read once is kept. */
export interface RecordShapes {
  /** Gives the silence of every id asked for. */
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
      const wanted = known.size === 0 ? [...new Set(ids)] : missing;
      const { rows } = await sql<{ id: string; silence: string }>`
        select id, silence from local_api.record_shape where id = any(${wanted}::bigint[])`.execute(db);
      for (const row of rows) known.set(Number(row.id), row.silence);
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
    insert into local_api.record_shape (id, silence)
    select * from unnest(${distinct.map((shape) => shape.id)}::bigint[],
      ${distinct.map((shape) => shape.silence)}::text[])
    on conflict (id) do nothing`.execute(db);
}
