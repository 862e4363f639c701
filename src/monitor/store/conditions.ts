import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { ConditionState, DistinctAuthor, DistinctAuthorKey, SeenValue } from "../model/judging.ts";
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
        from json_to_recordset(${storableJson(states)}::json)
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

    /** Deletes the states that were stepped beyond a moment: by a clock that was ahead. */
    async removeAhead(projectId: string, queryId: string, of: Instant): Promise<void> {
      await sql`
        delete from earshot.condition_states
        where project_id = ${projectId} and query_id = ${queryId} and stepped_until > ${at(of)}
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

export function createSeenValueStore(db: Db) {
  return {
    /** The stored ones among these values of a series. */
    async find(
      projectId: string,
      queryId: string,
      series: string,
      values: readonly string[],
    ): Promise<SeenValue[]> {
      const { rows } = await sql<SeenValue>`
        select series, value, first_at as "firstAt", authors from earshot.seen_values
        where project_id = ${projectId} and query_id = ${queryId} and series = ${series}
          and value = any(${[...values]}::text[])
      `.execute(db);
      return rows;
    },

    async save(projectId: string, queryId: string, values: readonly SeenValue[]): Promise<void> {
      if (values.length === 0) return;
      await sql`
        insert into earshot.seen_values (project_id, query_id, series, value, first_at, authors)
        select ${projectId}, ${queryId}, series, value, to_timestamp("firstAt" / 1000), authors
        from json_to_recordset(${storableJson(values)}::json)
          as v(series text, value text, "firstAt" double precision, authors jsonb)
        on conflict (project_id, query_id, series, value) do update
          set first_at = excluded.first_at, authors = excluded.authors
      `.execute(db);
    },

    /** Stores values with fewer authors, and deletes those without any. */
    async replace(projectId: string, queryId: string, values: readonly SeenValue[]): Promise<void> {
      await this.save(
        projectId,
        queryId,
        values.filter(({ authors }) => authors.length > 0),
      );
      for (const { series, value, authors } of values) {
        if (authors.length > 0) continue;
        await sql`
          delete from earshot.seen_values where project_id = ${projectId} and query_id = ${queryId}
            and series = ${series} and value = ${value}
        `.execute(db);
      }
    },

    /** Deletes values so old that they may count as new again when they come back. */
    async forgetBefore(moment: Instant): Promise<void> {
      await sql`delete from earshot.seen_values where first_at < ${at(moment)} and value <> ''`.execute(db);
    },
  };
}

export function createDistinctAuthorStore(db: Db) {
  return {
    /** The stored authors among these. The caller holds the query's lock. */
    async find(
      projectId: string,
      queryId: string,
      keys: readonly DistinctAuthorKey[],
    ): Promise<DistinctAuthor[]> {
      if (keys.length === 0) return [];
      const { rows } = await sql<DistinctAuthor>`
        select v.series, v.author, v.span, v.bucket, v.mentions
        from json_to_recordset(${storableJson(keys)}::json) as k(series text, author text, span double precision)
        join earshot.distinct_authors v on v.project_id = ${projectId} and v.query_id = ${queryId} and v.series = k.series
          and v.author = k.author and v.span = to_timestamp(k.span / 1000)
      `.execute(db);
      return rows;
    },

    async save(
      projectId: string,
      queryId: string,
      distinctAuthors: readonly DistinctAuthor[],
    ): Promise<void> {
      if (distinctAuthors.length === 0) return;
      await sql`
        insert into earshot.distinct_authors (project_id, query_id, series, author, span, bucket, mentions)
        select ${projectId}, ${queryId}, series, author, to_timestamp(span / 1000), to_timestamp(bucket / 1000), mentions
        from json_to_recordset(${storableJson(distinctAuthors)}::json)
          as v(series text, author text, span double precision, bucket double precision, mentions int)
        on conflict (project_id, query_id, series, author, span) do update
          set bucket = excluded.bucket, mentions = excluded.mentions
      `.execute(db);
      // One whose mentions are all gone leaves no hash of a name.
      const without = distinctAuthors.filter(({ mentions }) => mentions === 0);
      if (without.length === 0) return;
      await sql`
        delete from earshot.distinct_authors v
        using json_to_recordset(${storableJson(without)}::json) as k(series text, author text, span double precision)
        where v.project_id = ${projectId} and v.query_id = ${queryId} and v.series = k.series and v.author = k.author
          and v.span = to_timestamp(k.span / 1000)
      `.execute(db);
    },

    /** Deletes authors so old that no window can count them any more. */
    async forgetBefore(moment: Instant): Promise<void> {
      await sql`delete from earshot.distinct_authors where span < ${at(moment)}`.execute(db);
    },
  };
}
