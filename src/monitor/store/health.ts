import { sql } from "kysely";
import { DAY, HOUR, type Instant } from "../../lib/instant.ts";
import type { QueryProgress, QueryRhythm, WaitingWork } from "../model/pipeline-facts.ts";
import { at, type Db, withoutSync } from "./database.ts";
import { isDueAt } from "./poll-plans.ts";

/** Polls over more than this read history, which says nothing about the usual rate. */
const LONGEST_ROUND_MS = 6 * HOUR;

export function createWatchStore(db: Db) {
  return {
    /** Records that a part of the pipeline works. */
    async beat(name: string, now: Instant): Promise<void> {
      await sql`
        insert into earshot.pulses (name, at) select ${name}, ${at(now)} where ${withoutSync}
        on conflict (name) do update set at = excluded.at, at_wall = now()
      `.execute(db);
    },

    /** Wall time since each pulse, in milliseconds. */
    async pulses(): Promise<Map<string, number>> {
      const { rows } = await sql<{ name: string; ago: number }>`
        select name, extract(epoch from now() - at_wall)::float8 * 1000 as ago from earshot.pulses
      `.execute(db);
      return new Map(rows.map(({ name, ago }) => [name, ago]));
    },

    /**
     * Takes a turn: only one process takes it in `everyMs` of wall time. A turn of the future is one of a clock that was
     * set back. Whoever waited for another one that took it asks the clock then: their `now()` is from before.
     */
    async takeTurn(name: string, everyMs: number, now: Instant): Promise<boolean> {
      const { rows } = await sql<{ name: string }>`
        insert into earshot.pulses as p (name, at) select ${name}, ${at(now)} where ${withoutSync}
        on conflict (name) do update set at = excluded.at, at_wall = now()
          where p.at_wall <= now() - make_interval(secs => ${everyMs / 1000}) or p.at_wall > clock_timestamp()
        returning name
      `.execute(db);
      return rows.length > 0;
    },

    async progress(): Promise<QueryProgress[]> {
      const { rows } = await sql<QueryProgress>`
        select q.project_id as "projectId", q.query_id as "queryId", q.name as "queryName", q.watch_from as "watchFrom",
          w.complete_until as "completeUntil", q.ticked_until as "tickedUntil", w.polled_at as "polledAt",
          w.last_error as "lastError"
        from earshot.queries q join earshot.polls w using (project_id, query_id)
        where q.active and w.poll = 'added' order by q.name, q.query_id
      `.execute(db);
      return rows;
    },

    /**
     * Queries without new mentions for `leastMs`, with their counts in the same hours of earlier days. Read from the
     * coverage ledger, which is short, not from the mentions.
     */
    async rhythms(now: Instant, leastMs: number, days: number): Promise<QueryRhythm[]> {
      const { rows } = await sql<QueryRhythm>`
        with quiet as (
          select q.project_id, q.query_id, q.name, q.watch_from, w.complete_until, coalesce((
            select c.started_at from earshot.coverage c
            where c.project_id = q.project_id and c.query_id = q.query_id and c.poll = 'added' and c.stored > 0
              and c.started_at > ${at(now - (days + 1) * DAY)}
            order by c.started_at desc limit 1), ${at(now - (days + 1) * DAY)}) as since
          from earshot.queries q join earshot.polls w using (project_id, query_id)
          where q.active and w.poll = 'added')
        select project_id as "projectId", query_id as "queryId", name as "queryName", since as "silentSince",
          complete_until as "completeUntil", (
            select coalesce(json_agg((
              select coalesce(sum(c.stored), 0) from earshot.coverage c
              where c.project_id = quiet.project_id and c.query_id = quiet.query_id and c.poll = 'added'
                and c.started_at > since - make_interval(days => d) and c.started_at <= complete_until - make_interval(days => d)
                and c.until_at - c.from_at < make_interval(secs => ${LONGEST_ROUND_MS / 1000})) order by d), '[]')
            from generate_series(1, ${days}::int) as d
            where exists (
              select from earshot.coverage c
              where c.project_id = quiet.project_id and c.query_id = quiet.query_id and c.poll = 'added'
                and c.started_at <= since - make_interval(days => d))) as before
        from quiet where complete_until - since >= make_interval(secs => ${leastMs / 1000})
      `.execute(db);
      return rows;
    },

    /** Work that is due and has not been taken. Receivers in `notTo` are left out: their backlog is not a stall. */
    async waiting(now: Instant, notTo: readonly string[] = []): Promise<WaitingWork> {
      const { rows } = await sql<WaitingWork>`
        select
          k.n as polls, coalesce(k.oldest, 0) as "oldestPollMs",
          (select max(case when w.leased_until_wall > now() then ${at(now)} else w.polled_at end)
            from earshot.polls w join earshot.queries q using (project_id, query_id) where q.active) as "lastPolledAt",
          (select count(*) from earshot.queries q join earshot.polls w using (project_id, query_id)
            where q.active and w.poll = 'added'
              and w.complete_until >= q.ticked_until + make_interval(mins => 5)) as windows,
          d.n as deliveries, coalesce(d.oldest, 0) as "oldestDeliveryMs"
        from (
          select count(*) as n, extract(epoch from now() - min(n.next_attempt_wall))::float8 * 1000 as oldest
          from earshot.notifications n
          where n.state = 'due' and n.next_attempt_wall <= now()
            and (n.leased_until_wall is null or n.leased_until_wall < now())
            and not n.receiver = any(${[...notTo]}::text[])
            and not exists (
              select from earshot.notifications o where o.receiver = n.receiver and o.state = 'due'
                and (o.leased_until_wall > now() or (o.alert_id = n.alert_id and o.id < n.id)))) d,
          (select count(*) as n, 1000 * max(least(extract(epoch from ${at(now)} - w.next_at),
              extract(epoch from now() - w.leased_until_wall), extract(epoch from now() - w.retry_at_wall)))::float8 as oldest
            from earshot.polls w join earshot.queries q using (project_id, query_id)
            where q.active and ${isDueAt(now)} and (w.leased_until_wall is null or w.leased_until_wall < now())
              and (w.retry_at_wall is null or w.retry_at_wall <= now())) k
      `.execute(db);
      const [row] = rows;
      if (row === undefined) throw new Error("the query for waiting work gave no row");
      return row;
    },

    /** Notifications about Earshot itself that are due. */
    async ownDue(projectId: string): Promise<{ projectId: string; notificationId: string }[]> {
      const { rows } = await sql<{ projectId: string; notificationId: string }>`
        select project_id as "projectId", id as "notificationId" from earshot.notifications
        where project_id = ${projectId} and alert_id is not null and state = 'due' and next_attempt_wall <= now()
          and (leased_until_wall is null or leased_until_wall < now())
        order by id limit 20
      `.execute(db);
      return rows;
    },
  };
}
