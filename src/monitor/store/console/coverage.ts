import { sql } from "kysely";
import type { Instant } from "../../../lib/instant.ts";
import type { ConditionState } from "../../model/judging.ts";
import { compareVersions, type ProcessVersions } from "../../model/process.ts";
import type { WatchedQuery } from "../../model/query.ts";
import { isQuirkName } from "../../model/server-quirk.ts";
import type { ShownBudget, ShownDeadLetter, ShownPoll, ShownQuirk } from "../../model/shown.ts";
import { at, type Db, projects } from "../database.ts";
import { createOutageStore } from "../failures.ts";
import { createProcessStore } from "../processes.ts";

export function createConsoleCoverage(db: Db) {
  const processes = createProcessStore(db);
  return {
    /** Watched queries, by name. */
    async queryNames(): Promise<{ projectId: string; queryId: string; name: string }[]> {
      const { rows } = await sql<{ projectId: string; queryId: string; name: string }>`
        select project_id as "projectId", query_id as "queryId", name from earshot.queries
        where active order by name, query_id limit 1000
      `.execute(db);
      return rows;
    },

    /** Both polls of every watched query; sums over the polls that started since `since`. */
    async coverage(since: Instant): Promise<ShownPoll[]> {
      const { rows } = await sql<ShownPoll>`
        select q.project_id as "projectId", q.project_name as "projectName", q.query_id as "queryId",
          q.name as "queryName", q.active, w.poll, w.polled_at as "polledAt", coalesce(w.next_poll_at, w.next_at) as "nextPollAt",
          w.complete_until as "completeUntil",
          q.watch_from as "watchFrom", q.ticked_until as "tickedUntil", w.failures, w.last_error as "lastError", c.polls, c.seen, c.stored,
          c.rejected, coalesce((w.state -> 'gap' ->> 'missing')::int, 0) as gap,
          (w.state -> 'gap' ->> 'from')::float8 as "gapFrom",
          (w.state -> 'gap' ->> 'noticedAt')::float8 as "gapNoticedAt",
          (w.state -> 'gap' ->> 'nextAt')::float8 as "gapNextAt"
        from earshot.queries q join earshot.polls w using (project_id, query_id)
        cross join lateral (
          select count(*) as polls, coalesce(sum(seen), 0)::int as seen, coalesce(sum(stored), 0)::int as stored,
            coalesce(sum(rejected), 0)::int as rejected
          from earshot.coverage c where c.project_id = w.project_id and c.query_id = w.query_id and c.poll = w.poll
            and c.started_at >= ${at(since)}) c
        where q.active order by q.name, q.query_id, w.poll limit 40000
      `.execute(db);
      return rows;
    },

    async budgets(): Promise<ShownBudget[]> {
      const { rows } = await sql<ShownBudget>`
        select b.account, b.calls as "limit", b.period_ms as "periodMs", p.used, p.others as "usedByOthers", b.sharing,
          case when b.closed_until_wall > now()
            then (extract(epoch from b.closed_until_wall - now()) * 1000)::float8 else 0 end as "closedForMs"
        from earshot.budgets b cross join lateral (
          select count(*) as used, count(*) filter (where taken_for = 'others') as others
          from earshot.budget_slots
          where account = b.account and slot <= coalesce(b.calls, 0) and free_at_wall > now()) p
        order by b.account limit 20
      `.execute(db);
      return rows;
    },

    outages: createOutageStore(db).endedAfter,

    async processVersions(): Promise<ProcessVersions> {
      return compareVersions(await processes.running(), await processes.requested());
    },

    async quirks(): Promise<ShownQuirk[]> {
      const { rows } = await sql<ShownQuirk>`
        select account, quirk, value, ms, first_at as "firstAt", last_at as "lastAt" from earshot.server_quirks
        order by account, quirk limit 500
      `.execute(db);
      return rows.filter(({ quirk }) => isQuirkName(quirk));
    },

    /** Dead letters, newest first. */
    async deadLetters(limit: number): Promise<ShownDeadLetter[]> {
      const { rows } = await sql<ShownDeadLetter>`
        select s.query_id as "queryId", coalesce(q.name, 'query ' || s.query_id) as "queryName", s.at,
          s.resource_id as "resourceId", s.reason, s.id, s.kind, s.scope, s.tries, s.body is not null as replayable
        from ${projects} p cross join lateral (
          select * from earshot.dead_letters where project_id = p.project_id and settled_at is null order by at desc, id desc limit ${limit}) s
        left join earshot.queries q on q.project_id = s.project_id and q.query_id = s.query_id
        order by s.at desc, s.id desc limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

/** A watched query and the states that its conditions have stored, the newest first. */
export interface WatchedStates extends Omit<WatchedQuery, "watchFrom" | "isWatched"> {
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
