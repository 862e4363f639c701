import { type RawBuilder, sql } from "kysely";
import type { Database } from "./database.ts";

let cursors = 0;

/**
 * The rows of one statement, some at a time, as they were when it began. Inside a transaction. PostgreSQL searches them
 * once; a new statement for each batch would repeat the search.
 */
export async function* rowsAtATime<Row>(
  db: Database,
  select: RawBuilder<Row>,
  atATime: number,
): AsyncGenerator<readonly Row[]> {
  const cursor = sql.ref(`rows_${++cursors}`);
  // All rows are wanted: a plan that has the first ones soon is no good.
  await sql`set local cursor_tuple_fraction = 1`.execute(db);
  await sql`declare ${cursor} no scroll cursor for ${select}`.execute(db);
  try {
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(atATime)} from ${cursor}`.execute(db);
      if (rows.length > 0) yield rows;
      if (rows.length < atATime) break;
    }
  } finally {
    // After a failure the transaction takes nothing any more, and ends the cursor itself.
    await sql`close ${cursor}`.execute(db).catch(() => {});
  }
}
