import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { CLOCK_AHEAD_MS, type PollKey } from "../model/poll.ts";
import type { Query, SourceName } from "../model/query.ts";
import { at, type Db } from "./database.ts";
import { IN_ONE_ORDER, isKeyOf, keysAsRows } from "./poll-rows.ts";
import { isOfSource } from "./queries.ts";

/** A poll and its arrival rates: of the last weeks, of this hour of the week, of the last minutes. */
export interface PollCandidate extends PollKey, Query {
  readonly polledAt: Instant | null;
  readonly watchFrom: Instant;
  readonly nextAt: Instant;
  readonly watermark: Instant | null;
  /** It begins here at the latest. */
  readonly rereadFrom: Instant | null;
  /** It resumes from a cursor, closes a gap, or makes shared calls fail. */
  readonly alone: boolean;
  /** In a row. */
  readonly failures: number;
  readonly totalMentions: number | null;
  readonly totalMs: number | null;
  readonly hourMentions: number | null;
  readonly hourMs: number | null;
  readonly recentMentions: number | null;
  readonly recentMs: number | null;
  readonly recentUntil: Instant | null;
}

/** What the planner of calls reads about polls, and what it writes. */
export function createPollPlanStore(db: Db) {
  return {
    /** Polls that no worker holds, due or not, with what the planner needs. `hour`: of the week. `source`: only its polls. */
    async candidates(hour: number, now: Instant, source?: SourceName): Promise<PollCandidate[]> {
      const { rows } = await sql<PollCandidate>`
        select w.project_id as "projectId", w.query_id as "queryId", w.poll, q.name, q.project_name as "projectName",
          q.timezone, w.polled_at as "polledAt", q.watch_from as "watchFrom",
          case when ${isDueAt(now)} then least(w.next_at, ${at(now)}) else w.next_at end as "nextAt",
          w.failures, (w.state ->> 'watermark')::float8 as watermark,
          least(w.reread_from, case when ${IS_READ_TOGETHER}
            then to_timestamp((w.state -> 'gap' ->> 'from')::float8 / 1000) end) as "rereadFrom",
          w.own_call or w.state -> 'running' ->> 'cursor' is not null
            or coalesce(jsonb_typeof(w.state -> 'gap'), 'null') = 'object' and not ${IS_READ_TOGETHER}
              and ((w.state -> 'gap' ->> 'tries')::int <= ${GAP_TRIES}
                or coalesce((w.state -> 'gap' ->> 'nextAt')::float8, 0) <= ${now}) as alone,
          t.mentions as "totalMentions", t.ms as "totalMs", h.mentions as "hourMentions", h.ms as "hourMs",
          r.mentions as "recentMentions", r.ms as "recentMs", r.until_at as "recentUntil"
        from earshot.polls w join earshot.queries q using (project_id, query_id)
        left join earshot.arrival_rates t on (t.project_id, t.query_id, t.poll, t.hour)
          = (w.project_id, w.query_id, w.poll, -1)
        left join earshot.arrival_rates r on (r.project_id, r.query_id, r.poll, r.hour)
          = (w.project_id, w.query_id, w.poll, -2)
        left join earshot.arrival_rates h on (h.project_id, h.query_id, h.poll, h.hour)
          = (w.project_id, w.query_id, w.poll, ${hour})
        where q.active and ${isOfSource(source, "w")}
          and (w.leased_until_wall is null or w.leased_until_wall < now())
          and (w.retry_at_wall is null or w.retry_at_wall <= now())
          and (w.planned_until_wall is null or w.planned_until_wall < now())
      `.execute(db);
      return rows;
    },

    /**
     * A job for these polls is on its way: no plan includes them until it is done or lost. Polls that share the call
     * become due.
     */
    async plan(keys: readonly PollKey[], now: Instant): Promise<void> {
      await sql`
        with planned as materialized (
          select w.project_id, w.query_id, w.poll from earshot.polls w join ${keysAsRows(keys)} on ${isKeyOf}
          ${IN_ONE_ORDER})
        update earshot.polls w set planned_until_wall = now() + make_interval(secs => ${PLANNED_SECONDS}),
          next_at = least(next_at, ${at(now)})
        from planned where (w.project_id, w.query_id, w.poll) = (planned.project_id, planned.query_id, planned.poll)
      `.execute(db);
    },

    /** When each poll is next, by the current plan. An empty list: there is no plan, the source's polls run when due. */
    async promise(
      plan: readonly (PollKey & { readonly nextPollAt: Instant })[],
      source?: SourceName,
    ): Promise<void> {
      if (plan.length === 0) {
        await sql`
          with promised as materialized (
            select w.project_id, w.query_id, w.poll from earshot.polls w
            where w.next_poll_at is not null and ${isOfSource(source, "w")} ${IN_ONE_ORDER})
          update earshot.polls w set next_poll_at = null
          from promised p where (w.project_id, w.query_id, w.poll) = (p.project_id, p.query_id, p.poll)
        `.execute(db);
        return;
      }
      const rows = plan.map(({ projectId, queryId, poll, nextPollAt }) => ({
        projectId,
        queryId,
        poll,
        at: nextPollAt,
      }));
      await sql`
        with promised as materialized (
          select w.project_id, w.query_id, w.poll, k.at from earshot.polls w
          join json_to_recordset(${storableJson(rows)}::json)
            as k("projectId" text, "queryId" text, poll text, at double precision) on ${isKeyOf}
          ${IN_ONE_ORDER})
        update earshot.polls w set next_poll_at = to_timestamp(p.at / 1000)
        from promised p where (w.project_id, w.query_id, w.poll) = (p.project_id, p.query_id, p.poll)
      `.execute(db);
    },

    /** These polls get calls of their own until one succeeds. */
    async pollAlone(keys: readonly PollKey[]): Promise<void> {
      await sql`
        with alone as materialized (
          select w.project_id, w.query_id, w.poll from earshot.polls w join ${keysAsRows(keys)} on ${isKeyOf}
          ${IN_ONE_ORDER})
        update earshot.polls w set own_call = true
        from alone a where (w.project_id, w.query_id, w.poll) = (a.project_id, a.query_id, a.poll)
      `.execute(db);
    },
  };
}

/** A poll, the row `w`, that a clock ahead of ours has made is due now, not when its time is reached again. */
export function isDueAt(now: Instant) {
  return sql<boolean>`(w.next_at <= ${at(now)}
    or coalesce(w.polled_at, w.next_at) > ${at(now + CLOCK_AHEAD_MS)})`;
}

/** Whether the gap of a poll, if it has one, is read again by a shared call. */
const IS_READ_TOGETHER = sql`coalesce((w.state -> 'gap' ->> 'together')::boolean, false)`;

/** After this many tries, a gap is polled again at its `nextAt`; before that at once. */
const GAP_TRIES = 2;

/** After this a planned job counts as lost, and its polls are planned again. */
const PLANNED_SECONDS = 30;
