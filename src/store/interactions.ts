import { sql } from "kysely";
import type { Db } from "./database.ts";

/** Buttons that people pressed, in Slack and behind links of mails. */
export function createInteractionStore(db: Db) {
  return {
    /** True for the first that tells of this press, false for every other. Part of the transaction of what it does. */
    async take(id: string): Promise<boolean> {
      const { numAffectedRows } = await sql`
        insert into earshot.interactions (id) values (${id}) on conflict do nothing
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** Nothing came of it: it may be told again. */
    async giveBack(id: string): Promise<void> {
      await sql`delete from earshot.interactions where id = ${id}`.execute(db);
    },

    /** Slack tells of a press again for minutes; a link in a mail acts for a week. */
    async forget(): Promise<void> {
      await sql`delete from earshot.interactions where taken_wall < now() - interval '8 days'`.execute(db);
    },
  };
}
