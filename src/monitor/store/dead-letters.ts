import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import type { DeadLetter, DeadLetterKind, NewDeadLetter } from "../model/failure.ts";
import type { DeadLetterCount } from "../model/pipeline-facts.ts";
import { at, type Db } from "./database.ts";
import { IN_ONE_ORDER } from "./poll-rows.ts";

/** Whether the next poll of its query replays the dead letter `d`. */
export const REPLAYED_BY_POLL = sql`d.kind in ('mention', 'page') and d.settled_at is null
  and d.replay_wanted_at is not null`;

/** A dead letter whose replay was requested. */
export interface WantedReplay {
  readonly id: string;
  readonly kind: DeadLetterKind;
  readonly body: unknown;
}

export function createDeadLetterStore(db: Db) {
  return {
    /** Stores a dead letter, once while it exists. */
    async add(one: NewDeadLetter, now: Instant): Promise<void> {
      const scope = one.scope ?? null;
      const resourceId = one.resourceId ?? null;
      await sql`
        insert into earshot.dead_letters (project_id, query_id, at, id, kind, resource_id, scope, reason, tries, body)
        select ${one.projectId}, ${one.queryId}, ${at(now)}, ${uuid7(now)}::uuid, ${one.kind}, ${resourceId}::text,
          ${scope}::text, ${one.reason}, ${one.tries}, nullif(${storableJson(one.body)}::jsonb, 'null'::jsonb)
        where not exists (
          select from earshot.dead_letters s where s.project_id = ${one.projectId} and s.query_id = ${one.queryId}
            and s.kind = ${one.kind} and s.settled_at is null and s.scope is not distinct from ${scope}::text
            and s.resource_id is not distinct from ${resourceId}::text)
      `.execute(db);
    },

    /** Dead letters, newest first. */
    async open(limit: number): Promise<DeadLetter[]> {
      const { rows } = await sql<DeadLetter>`
        select s.id, s.project_id as "projectId", s.query_id as "queryId", q.name as "queryName", s.kind, s.at,
          s.resource_id as "resourceId", s.scope, s.reason, s.tries, s.body is not null as replayable,
          s.replay_wanted_at is not null as "replayWanted"
        from earshot.dead_letters s left join earshot.queries q using (project_id, query_id)
        where s.settled_at is null order by s.at desc, s.id desc limit ${limit}
      `.execute(db);
      return rows;
    },

    /**
     * The number of dead letters by kind: all jobs, and others created after `since`, because a mention that can never
     * be stored is news only once. Digests are left out: a missing one is reported by itself.
     */
    async counts(since: Instant): Promise<DeadLetterCount[]> {
      const { rows } = await sql<DeadLetterCount>`
        select kind, count(*) as n, min(at) as since, (array_agg(reason order by at desc))[1] as reason
        from earshot.dead_letters
        where settled_at is null and (kind = 'job' or at > ${at(since)})
          and (scope is null or scope not like 'build-digest %')
        group by kind order by kind
      `.execute(db);
      return rows;
    },

    /** Keys of the jobs that are dead letters, with their reasons. */
    async jobs(): Promise<{ scope: string; reason: string }[]> {
      const { rows } = await sql<{ scope: string; reason: string }>`
        select scope, reason from earshot.dead_letters where kind = 'job' and settled_at is null
      `.execute(db);
      return rows;
    },

    /**
     * Requests a replay of those with these ids (or first letters of ids), or of all that can be replayed. A job is
     * free at once. The next poll of its query replays a mention or a page; that poll is made due. Returns how many.
     */
    async replay(ids: readonly string[] | "all", now: Instant): Promise<number> {
      const chosen =
        ids === "all"
          ? sql`true`
          : sql`exists (select from unnest(${[...ids]}::text[]) as i where s.id::text like i || '%')`;
      const { rows } = await sql<{ n: number }>`
        with wanted as (
          update earshot.dead_letters s set replay_wanted_at = ${at(now)},
            settled_at = case when s.kind = 'job' then ${at(now)} end
          where s.settled_at is null and s.body is not null and ${chosen}
          returning s.project_id, s.query_id, s.kind, s.scope),
        freed as (
          delete from earshot.failures f using wanted d where d.kind = 'job' and f.kind = 'job' and f.scope = d.scope),
        waiting as materialized (
          select w.project_id, w.query_id, w.poll from earshot.polls w
          where exists (select from wanted d
            where d.kind <> 'job' and d.project_id = w.project_id and d.query_id = w.query_id)
          ${IN_ONE_ORDER}),
        hurried as (
          update earshot.polls w set next_at = least(w.next_at, ${at(now)}), retry_at_wall = null
          from waiting t where (w.project_id, w.query_id, w.poll) = (t.project_id, t.query_id, t.poll))
        select count(*) as n from wanted
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /**
     * Rules are reloaded when a process starts, so a broken rule may be fixed now. If not, it becomes a dead letter
     * again.
     */
    async forgetRules(now: Instant): Promise<void> {
      await sql`
        update earshot.dead_letters set settled_at = ${at(now)}
        where kind = 'job' and settled_at is null and scope like 'rule %'
      `.execute(db);
    },

    /** The replay succeeded: what it needed goes, because nothing would delete a text from it later. */
    async settle(projectId: string, ids: readonly string[], now: Instant): Promise<void> {
      if (ids.length === 0) return;
      await sql`
        update earshot.dead_letters set settled_at = ${at(now)}, body = null
        where project_id = ${projectId} and id = any(${[...ids]}::uuid[])
      `.execute(db);
    },

    /** The replay failed again, for this reason. */
    async failedAgain(projectId: string, id: string, reason: string): Promise<void> {
      await sql`
        update earshot.dead_letters set replay_wanted_at = null, tries = tries + 1, reason = ${reason}
        where project_id = ${projectId} and id = ${id}::uuid
      `.execute(db);
    },
  };
}
