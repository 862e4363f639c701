import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { SeenValue } from "../model/counts.ts";
import { at, type Db } from "./database.ts";

export function createSeenValueStore(db: Db) {
  return {
    /** The stored ones among these values of a series. */
    async find(
      projectId: string,
      queryId: string,
      series: string,
      values: readonly string[],
    ): Promise<SeenValue[]> {
      const { rows } = await sql<SeenValue>`
        select series, value, first_at as "firstAt", authors from earshot.seen_values
        where project_id = ${projectId} and query_id = ${queryId} and series = ${series}
          and value = any(${[...values]}::text[])
      `.execute(db);
      return rows;
    },

    async save(projectId: string, queryId: string, values: readonly SeenValue[]): Promise<void> {
      if (values.length === 0) return;
      await sql`
        insert into earshot.seen_values (project_id, query_id, series, value, first_at, authors)
        select ${projectId}, ${queryId}, series, value, to_timestamp("firstAt" / 1000), authors
        from json_to_recordset(${JSON.stringify(values)}::json)
          as v(series text, value text, "firstAt" double precision, authors jsonb)
        on conflict (project_id, query_id, series, value) do update
          set first_at = excluded.first_at, authors = excluded.authors
      `.execute(db);
    },

    /** Deletes values so old that they may count as new again when they come back. */
    async forgetBefore(moment: Instant): Promise<void> {
      await sql`delete from earshot.seen_values where first_at < ${at(moment)} and value <> ''`.execute(db);
    },
  };
}
