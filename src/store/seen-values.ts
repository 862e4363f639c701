import { sql } from "kysely";
import type { Instant } from "../lib/instant.ts";
import type { DistinctAuthor, DistinctAuthorKey, SeenValue } from "../model/counts.ts";
import { at, type Db } from "./database.ts";

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
        from json_to_recordset(${JSON.stringify(values)}::json)
          as v(series text, value text, "firstAt" double precision, authors jsonb)
        on conflict (project_id, query_id, series, value) do update
          set first_at = excluded.first_at, authors = excluded.authors
      `.execute(db);
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
        from json_to_recordset(${JSON.stringify(keys)}::json) as k(series text, author text, span double precision)
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
        from json_to_recordset(${JSON.stringify(distinctAuthors)}::json)
          as v(series text, author text, span double precision, bucket double precision, mentions int)
        on conflict (project_id, query_id, series, author, span) do update
          set bucket = excluded.bucket, mentions = excluded.mentions
      `.execute(db);
    },

    /** Deletes authors so old that no window can count them any more. */
    async forgetBefore(moment: Instant): Promise<void> {
      await sql`delete from earshot.distinct_authors where span < ${at(moment)}`.execute(db);
    },
  };
}
