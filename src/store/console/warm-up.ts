import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { WatchedQuery } from "../../model/query.ts";
import type { ConditionState } from "../../model/verdict.ts";
import type { Db } from "../database.ts";

/** A watched query and the states that its conditions have stored, the newest first. */
export interface WatchedStates extends Omit<WatchedQuery, "watchFrom"> {
  readonly states: readonly Pick<ConditionState, "condition" | "baseline" | "state">[];
  /** By the key of a memory of values: the time of its earliest mention. */
  readonly valuesSince: Readonly<Record<string, Instant>>;
}

export function createConsoleWarmUp(db: Db) {
  return {
    /** Only of these baselines and memories of values, in one statement. */
    async watchedStates(
      baselines: readonly string[],
      novelties: readonly string[],
    ): Promise<WatchedStates[]> {
      const { rows } = await sql<WatchedStates>`
        select q.project_id as "projectId", q.query_id as "queryId", q.name, q.project_name as "projectName",
          q.timezone, q.ticked_until as "tickedUntil", s.states, v.since as "valuesSince"
        from earshot.queries q cross join lateral (
          select coalesce(json_agg(json_build_object('condition', condition, 'baseline', coalesce(baseline, condition),
            'state', state) order by stepped_until desc), '[]') as states
          from earshot.condition_states c where c.project_id = q.project_id and c.query_id = q.query_id
            and coalesce(c.baseline, c.condition) = any(${[...baselines]}::text[])) s
        cross join lateral (
          select coalesce(json_object_agg(series, round(extract(epoch from first_at) * 1000)), '{}') as since
          from earshot.seen_values v where v.project_id = q.project_id and v.query_id = q.query_id
            and v.value = '' and v.series = any(${[...novelties]}::text[])) v
        where q.active order by q.name, q.query_id limit 1000
      `.execute(db);
      return rows;
    },
  };
}
