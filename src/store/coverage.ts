import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import { uuid7 } from "../lib/uuid7.ts";
import type { CoverageInterval } from "../model/coverage-interval.ts";
import { at, type Db } from "./database.ts";

export function createCoverageStore(db: Db) {
  return {
    async record(interval: CoverageInterval): Promise<void> {
      await sql`
        insert into earshot.coverage (project_id, query_id, walk, started_at, from_at, until_at, claimed, seen, stored,
          rejected, gap)
        values (${interval.projectId}, ${interval.queryId}, ${interval.walk}, ${at(interval.startedAt)},
          ${at(interval.fromAt)}, ${at(interval.untilAt)}, ${interval.claimed}, ${interval.seen}, ${interval.stored},
          ${interval.rejected}, ${interval.gap})
        on conflict (project_id, query_id, walk, started_at) do update set until_at = excluded.until_at,
          claimed = excluded.claimed, seen = excluded.seen, stored = excluded.stored, rejected = excluded.rejected,
          gap = excluded.gap
      `.execute(db);
    },

    /** Keeps what could not be stored, with its reason. */
    async setAside(
      projectId: string,
      queryId: string,
      when: Instant,
      rejected: readonly { resourceId: string | null; reason: string }[],
    ): Promise<void> {
      if (rejected.length === 0) return;
      const rows = rejected.map((one) => ({ id: uuid7(when), ...one }));
      await sql`
        insert into earshot.set_aside (project_id, query_id, at, id, resource_id, reason)
        select ${projectId}, ${queryId}, ${at(when)}, id, "resourceId", reason
        from json_to_recordset(${JSON.stringify(rows)}::json) as r(id uuid, "resourceId" text, reason text)
      `.execute(db);
    },
  };
}
