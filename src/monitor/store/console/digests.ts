import { sql } from "kysely";
import { ALL_PROJECTS, type ShownEdition } from "../../model/digest.ts";
import type { Db } from "../database.ts";

export function createConsoleDigests(db: Db) {
  return {
    /** Editions of all digests, the newest first. Only digests have notifications of all projects. */
    async digestEditions(limit: number): Promise<ShownEdition[]> {
      const { rows } = await sql<ShownEdition>`
        select d.name, d.local_date as "localDate", d.due_at as "dueAt", d.period_from as "periodFrom",
          d.period_to as "periodTo", d.state, r.readers
        from (
          select * from earshot.digests where project_id = ${ALL_PROJECTS}
          order by due_at desc, name limit ${limit}) d
        cross join lateral (
          select coalesce(json_agg(json_build_object('receiver', n.receiver, 'state', n.state,
            'sentAt', round(extract(epoch from n.sent_at) * 1000)) order by n.receiver), '[]') as readers
          from earshot.notifications n
          where n.project_id = d.project_id and n.digest_name = d.name and n.digest_date = d.local_date) r
        order by d.due_at desc, d.name
      `.execute(db);
      return rows;
    },

    /** Who unsubscribed from what. */
    async unsubscribedReaders(): Promise<{ digest: string; receiver: string }[]> {
      const { rows } = await sql<{ digest: string; receiver: string }>`
        select digest_name as digest, receiver from earshot.unsubscribed order by 1, 2 limit 1000
      `.execute(db);
      return rows;
    },
  };
}
