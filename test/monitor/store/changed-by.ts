import { type Kysely, sql } from "kysely";

/** The rows of a table of Earshot that `work` adds, changes or deletes, by their keys: `p 1 added`. */
export async function changedBy(
  db: Kysely<never>,
  table: string,
  key: readonly string[],
  work: () => Promise<unknown>,
): Promise<string[]> {
  const read = async () => {
    const { rows } = await sql<{ key: string; row: string }>`
      select concat_ws(' ', ${sql.join(key.map((column) => sql.ref(column)))}) as key, t::text as row
      from ${sql.table(`earshot.${table}`)} t`.execute(db);
    return new Map(rows.map((one) => [one.key, one.row]));
  };
  const before = await read();
  await work();
  const after = await read();
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((one) => before.get(one) !== after.get(one))
    .sort();
}
