import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { ConditionState } from "../model/verdict.ts";
import { at, type Db } from "./database.ts";

export function createConditionStore(db: Db) {
  return {
    async states(projectId: string, queryId: string): Promise<ConditionState[]> {
      const { rows } = await sql<ConditionState>`
        select condition, coalesce(baseline, condition) as baseline, state, stepped_until as "steppedUntil", watch_from as "watchFrom"
        from earshot.condition_states where project_id = ${projectId} and query_id = ${queryId}
      `.execute(db);
      return rows;
    },

    async save(projectId: string, queryId: string, states: readonly ConditionState[]): Promise<void> {
      if (states.length === 0) return;
      await sql`
        insert into earshot.condition_states (project_id, query_id, condition, baseline, state, stepped_until,
          watch_from)
        select ${projectId}, ${queryId}, condition, baseline, state, to_timestamp("steppedUntil" / 1000),
          to_timestamp("watchFrom" / 1000)
        from json_to_recordset(${JSON.stringify(states)}::json)
          as c(condition text, baseline text, state jsonb, "steppedUntil" double precision, "watchFrom" double precision)
        on conflict (project_id, query_id, condition) do update
          set state = excluded.state, stepped_until = excluded.stepped_until
      `.execute(db);
    },

    async remove(projectId: string, queryId: string, conditions: readonly string[]): Promise<void> {
      if (conditions.length === 0) return;
      await sql`
        delete from earshot.condition_states where project_id = ${projectId} and query_id = ${queryId}
          and condition = any(${[...conditions]}::text[])
      `.execute(db);
    },

    /** Deletes the states of these baselines that stopped before a moment. */
    async removeStopped(
      projectId: string,
      queryId: string,
      baselines: readonly string[],
      before: Instant,
    ): Promise<void> {
      await sql`
        delete from earshot.condition_states where project_id = ${projectId} and query_id = ${queryId}
          and coalesce(baseline, condition) = any(${[...baselines]}::text[]) and stepped_until < ${at(before)}
      `.execute(db);
    },

    /**
     * When the first mention of the query arrived, counted or stored, for conditions that begin with stored history.
     * Mentions that were found by a change may have arrived before the query was watched.
     */
    async firstArrival(projectId: string, queryId: string): Promise<Instant | null> {
      const { rows } = await sql<{ first: Instant | null }>`
        select least(
          (select min(arrived) from earshot.counts where project_id = ${projectId} and query_id = ${queryId}),
          (select min(added_at) from earshot.mentions where project_id = ${projectId} and query_id = ${queryId}
            and added_at >= coalesce((select min(from_at) from earshot.coverage
              where project_id = ${projectId} and query_id = ${queryId} and poll = 'added'), '-infinity'))) as first
      `.execute(db);
      return rows[0]?.first ?? null;
    },
  };
}
