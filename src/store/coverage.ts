import { sql } from "kysely";
import { DAY, type Instant } from "../lib/instant.ts";
import { uuid7 } from "../lib/uuid7.ts";
import type { Mention } from "../model/mention.ts";
import type { CoverageInterval } from "../model/poll.ts";
import { at, type Db } from "./database.ts";

/** A dead letter that is still found after this is reported once more. */
const SEEN_AGAIN_MS = 30 * DAY;

export function createCoverageStore(db: Db) {
  return {
    async record(interval: CoverageInterval): Promise<void> {
      await sql`
        insert into earshot.coverage (project_id, query_id, poll, started_at, from_at, until_at, claimed, seen, stored,
          rejected, gap)
        values (${interval.projectId}, ${interval.queryId}, ${interval.poll}, ${at(interval.startedAt)},
          ${at(interval.fromAt)}, ${at(interval.untilAt)}, ${interval.claimed}, ${interval.seen}, ${interval.stored},
          ${interval.rejected}, ${interval.gap})
        on conflict (project_id, query_id, poll, started_at) do update set until_at = excluded.until_at,
          claimed = excluded.claimed, seen = excluded.seen, stored = excluded.stored, rejected = excluded.rejected,
          gap = excluded.gap
      `.execute(db);
    },

    /**
     * Stores rejected mentions with the reason, once each: every poll within the overlap reads them again. The caller
     * holds the query's lock.
     */
    async deadLetters(
      projectId: string,
      queryId: string,
      when: Instant,
      rejected: readonly { resourceId: string | null; reason: string; mention?: Mention; tries?: number }[],
    ): Promise<void> {
      if (rejected.length === 0) return;
      const distinct = new Map(rejected.map((one) => [JSON.stringify([one.resourceId, one.reason]), one]));
      const rows = [...distinct.values()].map(({ resourceId, reason, mention, tries }) => ({
        id: uuid7(when),
        resourceId,
        reason,
        body: mention ?? null,
        tries: tries ?? 1,
      }));
      await sql`
        insert into earshot.dead_letters (project_id, query_id, at, id, resource_id, reason, body, tries)
        select ${projectId}, ${queryId}, ${at(when)}, id, "resourceId", reason, body, tries
        from json_to_recordset(${JSON.stringify(rows)}::json)
          as r(id uuid, "resourceId" text, reason text, body jsonb, tries int)
        where not exists (
          select from earshot.dead_letters s where s.project_id = ${projectId} and s.query_id = ${queryId}
            and s.at > ${at(when - SEEN_AGAIN_MS)} and s.resource_id is not distinct from r."resourceId"
            and s.reason = r.reason and s.settled_at is null)
      `.execute(db);
    },
  };
}
