import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { CountChange } from "../model/judging.ts";
import type { PollKey, PollKind } from "../model/poll.ts";
import { at, type Db } from "./database.ts";

export function createCountStore(db: Db) {
  return {
    async add(projectId: string, queryId: string, changes: readonly CountChange[]): Promise<void> {
      if (changes.length === 0) return;
      await sql`
        insert into earshot.counts (project_id, query_id, series, arrived, bucket, n)
        select ${projectId}, ${queryId}, series, to_timestamp(arrived / 1000), to_timestamp(bucket / 1000), n
        from json_to_recordset(${storableJson(changes)}::json)
          as c(series text, arrived double precision, bucket double precision, n int)
        on conflict (project_id, query_id, series, arrived, bucket) do update set n = earshot.counts.n + excluded.n
      `.execute(db);
    },

    /** Counts by series and arrival bucket for arrivals in [from, to), in order; of all series or of these. */
    async arrivals(
      projectId: string,
      queryId: string,
      from: Instant,
      to: Instant,
      series?: readonly string[],
    ): Promise<CountChange[]> {
      const condition: ReturnType<typeof sql> =
        series === undefined ? sql`true` : sql`series = any(${[...series]}::text[])`;
      const { rows } = await sql<CountChange>`
        select series, arrived, bucket, n from earshot.counts
        where project_id = ${projectId} and query_id = ${queryId}
          and arrived >= ${at(from)} and arrived < ${at(to)} and n <> 0 and ${condition}
        order by arrived, series, bucket
      `.execute(db);
      return rows;
    },

    /** Counts of one series by the mentions' own time in [from, to), in order. Zeros are left out. */
    async byEvent(
      projectId: string,
      queryId: string,
      series: string,
      from: Instant,
      to: Instant,
    ): Promise<{ bucket: Instant; n: number }[]> {
      const { rows } = await sql<{ bucket: Instant; n: number }>`
        select bucket, sum(n)::int as n from earshot.counts
        where project_id = ${projectId} and query_id = ${queryId} and series = ${series}
          and arrived >= ${at(from)} and bucket >= ${at(from)} and bucket < ${at(to)}
        group by bucket having sum(n) <> 0 order by bucket
      `.execute(db);
      return rows;
    },

    /** Series that are counted for a query. */
    async series(projectId: string, queryId: string): Promise<Set<string>> {
      const { rows } = await sql<{ series: string }>`
        select series from earshot.series where project_id = ${projectId} and query_id = ${queryId}
      `.execute(db);
      return new Set(rows.map((row) => row.series));
    },

    async addSeries(projectId: string, queryId: string, series: readonly string[]): Promise<void> {
      await sql`
        insert into earshot.series (project_id, query_id, series)
        select ${projectId}, ${queryId}, unnest(${[...series]}::text[]) on conflict do nothing
      `.execute(db);
    },

    /** Stops counting these series. Their counts stay, for the charts of earlier alerts. */
    async leaveSeries(projectId: string, queryId: string, series: readonly string[]): Promise<void> {
      await sql`
        delete from earshot.series where project_id = ${projectId} and query_id = ${queryId}
          and series = any(${[...series]}::text[])
      `.execute(db);
    },

    /** Deletes all counts of these series and their distinct authors. */
    async clear(projectId: string, queryId: string, series: readonly string[]): Promise<void> {
      for (const table of ["counts", "distinct_authors"]) {
        await sql`
          delete from ${sql.id("earshot", table)} where project_id = ${projectId} and query_id = ${queryId}
            and series = any(${[...series]}::text[])
        `.execute(db);
      }
    },
  };
}

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
        from json_to_recordset(${storableJson(rows)}::json) as k("projectId" text, "queryId" text, poll text)
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
        from json_to_recordset(${storableJson(rows)}::json) as c("projectId" text, "queryId" text, poll text,
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
