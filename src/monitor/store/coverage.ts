import { sql } from "kysely";
import { DAY, type Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import type { Mention } from "../model/mention.ts";
import type { CoverageInterval } from "../model/poll.ts";
import type { SourceName } from "../model/query.ts";
import { at, type Db } from "./database.ts";
import { isOfSource } from "./queries.ts";

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
        from json_to_recordset(${storableJson(rows)}::json)
          as r(id uuid, "resourceId" text, reason text, body jsonb, tries int)
        where not exists (
          select from earshot.dead_letters s where s.project_id = ${projectId} and s.query_id = ${queryId}
            and s.at > ${at(when - SEEN_AGAIN_MS)} and s.resource_id is not distinct from r."resourceId"
            and s.reason = r.reason and s.settled_at is null)
      `.execute(db);
    },
  };
}

/** Queries of one project, and the dates of mentions, both ends included. */
export interface CountedSpan {
  readonly projectId: string;
  readonly queryIds: readonly string[];
  readonly from: Instant;
  readonly to: Instant;
}

/** A count check that the polls have caught up with. */
export interface CountCheck extends CountedSpan {
  readonly id: string;
  readonly claimed: number;
}

/** In a row: a poll that failed so often may fail for days. */
const MOST_FAILURES = 3;

export function createCountCheckStore(db: Db) {
  return {
    /** Queries of one project that are due for a check: polled up to here, with no known gap. The longest due first. */
    async due(
      now: Instant,
      limit: number,
      source?: SourceName,
    ): Promise<{ projectId: string; queryId: string; watchFrom: Instant }[]> {
      const { rows } = await sql<{ projectId: string; queryId: string; watchFrom: Instant }>`
        with ready as (
          select q.project_id, q.query_id, q.watch_from, coalesce(c.next_at, '-infinity'::timestamptz) as next_at
          from earshot.queries q join earshot.polls w using (project_id, query_id)
          left join earshot.counted_queries c using (project_id, query_id)
          where q.active and w.poll = 'added' and w.complete_until is not null and ${isOfSource(source, "w")}
            and coalesce(jsonb_typeof(w.state -> 'gap'), 'null') = 'null'
            and coalesce(c.next_at, '-infinity'::timestamptz) <= ${at(now)})
        select project_id as "projectId", query_id as "queryId", watch_from as "watchFrom" from ready
        where project_id = (select project_id from ready order by next_at, project_id limit 1)
        order by next_at, query_id limit ${limit}
      `.execute(db);
      return rows;
    },

    /** Until the end of the transaction nobody else asks. */
    async lock(): Promise<void> {
      await sql`select pg_advisory_xact_lock(hashtextextended('earshot count_checks', 0))`.execute(db);
    },

    async asked(span: CountedSpan & { readonly claimed: number }, now: Instant): Promise<void> {
      await sql`
        insert into earshot.count_checks (id, project_id, query_ids, from_at, to_at, claimed, asked_at)
        values (${uuid7(now)}, ${span.projectId}, array(select json_array_elements_text(${storableJson(span.queryIds)}::json)),
          ${at(span.from)}, ${at(span.to)}, ${span.claimed}, ${at(now)})
      `.execute(db);
    },

    /** How many checks wait for the polls. */
    async waiting(source?: SourceName): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.count_checks c where outcome is null and ${isOfSource(source, "c")}
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** Checks whose queries have all finished a poll since, but for those whose polls fail for long: others would wait with them. */
    async caughtUp(source?: SourceName): Promise<CountCheck[]> {
      const { rows } = await sql<CountCheck>`
        select id, project_id as "projectId", to_json(query_ids) as "queryIds", from_at as "from", to_at as "to", claimed
        from earshot.count_checks c
        where outcome is null and ${isOfSource(source, "c")} and not exists (
          select from earshot.polls w join earshot.queries q using (project_id, query_id)
          where q.active and w.project_id = c.project_id and w.query_id = any(c.query_ids) and w.poll = 'added'
            and (w.polled_at is null or w.polled_at <= c.asked_at) and w.failures < ${MOST_FAILURES})
        order by asked_at limit 20
      `.execute(db);
      return rows;
    },

    /**
     * How many are stored, dead letters, or deleted: a source still counts the record that says so. A mention may have
     * several dead letters, and be stored since. A job that failed is none.
     */
    async stored({ projectId, queryIds, from, to }: CountedSpan): Promise<number> {
      const ids = storableJson(queryIds);
      const { rows } = await sql<{ n: number }>`
        select (select count(*) from json_array_elements_text(${ids}::json) q join earshot.mentions m
            on m.project_id = ${projectId} and m.query_id = q
            where m.event_at >= ${at(from)} and m.event_at <= ${at(to)})
          + (select count(*) from earshot.tombstones t where t.project_id = ${projectId}
            and t.query_id in (select json_array_elements_text(${ids}::json))
            and t.event_at >= ${at(from)} and t.event_at <= ${at(to)})
          + (select count(distinct (s.query_id, coalesce(s.resource_id, s.id::text))) from earshot.dead_letters s
            where s.project_id = ${projectId} and s.settled_at is null and s.kind <> 'job'
              and s.query_id in (select json_array_elements_text(${ids}::json))
              and not exists (select from earshot.mentions m where m.project_id = s.project_id and m.query_id = s.query_id
                and m.resource_id = s.resource_id)) as n
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    /** Whether a check is not answered yet; then nobody else answers it until the end of the transaction. */
    async isOpen({ id }: CountCheck): Promise<boolean> {
      const { rows } = await sql`
        select from earshot.count_checks where id = ${id}::uuid and outcome is null for update
      `.execute(db);
      return rows.length > 0;
    },

    /** Stores the result. The queries are checked again after a day, later if earlier checks found nothing. */
    async settle(
      check: CountCheck,
      stored: number,
      outcome: "Agrees" | "Missing" | "Narrowed",
      now: Instant,
    ) {
      await sql`update earshot.count_checks set stored = ${stored}, outcome = ${outcome} where id = ${check.id}::uuid
      `.execute(db);
      await sql`delete from earshot.count_checks where outcome is not null and asked_at < ${at(now - 30 * DAY)}
      `.execute(db);
      if (outcome === "Narrowed") return;
      const missing = outcome === "Missing";
      await sql`
        insert into earshot.counted_queries as c (project_id, query_id, next_at, fruitless)
        select ${check.projectId}, q, ${at(now + DAY)}, ${missing ? 1 : 0}
        from json_array_elements_text(${storableJson(check.queryIds)}::json) q
        on conflict (project_id, query_id) do update
          set fruitless = case when ${missing} then c.fruitless + 1 else 0 end,
            next_at = ${at(now)} + make_interval(days => case when ${missing} then (2 ^ least(c.fruitless, 5))::int else 1 end)
      `.execute(db);
    },

    /**
     * Makes the added poll read everything again that arrived since `from`, with a gap that it may have by now. False: it
     * has begun and not ended.
     */
    async reopen(
      { projectId, queryIds, from }: CountedSpan,
      missing: number,
      now: Instant,
    ): Promise<boolean> {
      const gap = storableJson({ from, tries: 0, missing, noticedAt: now });
      const { numAffectedRows } = await sql`
        update earshot.polls
        set next_at = least(next_at, ${at(now)}), state = jsonb_set(state, '{gap}',
          case when jsonb_typeof(state -> 'gap') = 'object'
            then (state -> 'gap') || jsonb_build_object('from', least((state -> 'gap' ->> 'from')::float8, ${from}::float8))
            else ${gap}::jsonb end)
        where project_id = ${projectId} and query_id = ${queryIds[0]} and poll = 'added'
          and jsonb_typeof(state) = 'object'
          and (coalesce(jsonb_typeof(state -> 'running'), 'null') = 'null' or failures >= ${MOST_FAILURES})
          and (leased_until_wall is null or leased_until_wall < now())
      `.execute(db);
      return numAffectedRows === 1n;
    },
  };
}
