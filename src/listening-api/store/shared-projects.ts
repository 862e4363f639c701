import { type RawBuilder, sql } from "kysely";

/**
 * Of the projects that a list or a group names, those that are there. A row may name one that is gone: whoever saved the
 * row had looked before the project was deleted.
 */
export function projectsThatExist(ids: RawBuilder<unknown>): RawBuilder<string[]> {
  return sql`array(
    select p.id from local_api.project p where p.id = any(${ids}) order by array_position(${ids}, p.id))`;
}
