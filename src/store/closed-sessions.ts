import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import { at, type Db } from "./database.ts";

/** Sessions of the console that logged out early. All processes see them, also after a restart. */
export function createClosedSessionStore(db: Db) {
  return {
    /** `until`: when the session would have expired; the row is deleted then. */
    async close(id: string, until: Instant): Promise<void> {
      await sql`delete from earshot.closed_sessions where until < now()`.execute(db);
      await sql`
        insert into earshot.closed_sessions (id, until) values (${id}, ${at(until)}) on conflict do nothing
      `.execute(db);
    },

    async isClosed(id: string): Promise<boolean> {
      const { rows } = await sql`select 1 from earshot.closed_sessions where id = ${id}`.execute(db);
      return rows.length > 0;
    },
  };
}
