import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { PollKey, PollKind } from "../model/poll.ts";
import type { Db } from "./database.ts";

/** How many mentions arrived in how much time, by hour of the week; -1 is all hours, -2 the last minutes. */
export interface ArrivalCell extends PollKey {
  readonly hour: number;
  readonly mentions: number;
  readonly ms: number;
  readonly untilAt: Instant;
}

export function createArrivalStore(db: Db) {
  return {
    /** All arrival rates of these polls. */
    async of(keys: readonly PollKey[]): Promise<ArrivalCell[]> {
      const rows = keys.map(({ projectId, queryId, poll }) => ({ projectId, queryId, poll }));
      const found = await sql<ArrivalCell>`
        select r.project_id as "projectId", r.query_id as "queryId", r.poll, r.hour, r.mentions, r.ms,
          r.until_at as "untilAt"
        from json_to_recordset(${JSON.stringify(rows)}::json) as k("projectId" text, "queryId" text, poll text)
        join earshot.arrival_rates r
          on r.project_id = k."projectId" and r.query_id = k."queryId" and r.poll = k.poll
      `.execute(db);
      return found.rows;
    },

    async save(cells: readonly ArrivalCell[]): Promise<void> {
      const rows = cells.map(({ untilAt, ...cell }) => ({ ...cell, untilMs: untilAt }));
      await sql`
        insert into earshot.arrival_rates (project_id, query_id, poll, hour, mentions, ms, until_at)
        select "projectId", "queryId", poll, hour, mentions, ms, to_timestamp("untilMs" / 1000)
        from json_to_recordset(${JSON.stringify(rows)}::json) as c("projectId" text, "queryId" text, poll text,
          hour smallint, mentions double precision, ms double precision, "untilMs" double precision)
        on conflict (project_id, query_id, poll, hour) do update
          set mentions = excluded.mentions, ms = excluded.ms, until_at = excluded.until_at
      `.execute(db);
    },

    /** The rates of all queries together, for this hour of the week and for all hours. */
    async pooled(
      poll: PollKind,
      hour: number,
    ): Promise<readonly { hour: number; mentions: number; ms: number }[]> {
      const { rows } = await sql<{ hour: number; mentions: number; ms: number }>`
        select hour, sum(mentions) as mentions, sum(ms) as ms from earshot.arrival_rates
        where poll = ${poll} and hour in (-1, ${hour}) group by hour
      `.execute(db);
      return rows;
    },
  };
}
