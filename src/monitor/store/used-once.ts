import { sql } from "kysely";
import type { Db } from "./database.ts";

/** Slack interactions, and links in mails that people clicked. */
export function createInteractionStore(db: Db) {
  return {
    /** True for the first report of this interaction, false for every other. Part of the transaction of its action. */
    async take(id: string): Promise<boolean> {
      const { numAffectedRows } = await sql`
        insert into earshot.interactions (id) values (${id}) on conflict do nothing
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** The action failed: the interaction may be sent again. */
    async giveBack(id: string): Promise<void> {
      await sql`delete from earshot.interactions where id = ${id}`.execute(db);
    },

    /** Slack sends an interaction again for minutes; a link in a mail acts for a week. */
    async forget(): Promise<void> {
      await sql`delete from earshot.interactions where taken_wall < now() - interval '8 days'`.execute(db);
    },
  };
}
