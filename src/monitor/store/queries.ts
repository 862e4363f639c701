import { type RawBuilder, sql } from "kysely";
import { type Instant, SECOND } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { FEEDS_PREFIX, type Query, type SourceName, type WatchedQuery } from "../model/query.ts";
import { at, type Db } from "./database.ts";
import { REPLAYED_BY_POLL, type WantedReplay } from "./dead-letters.ts";

export function createQueryStore(db: Db) {
  return {
    /**
     * Makes the watched queries, or with `source` those of this source, exactly these. A query seen for the first time is watched from `watchFrom`, with
     * windows from `historyFrom` on. A known one keeps its moments and may change its name.
     */
    async register(
      queries: readonly Query[],
      watchFrom: Instant,
      historyFrom: Instant,
      source?: SourceName,
    ): Promise<void> {
      const page = storableJson(queries);
      await sql`
        insert into earshot.queries (project_id, query_id, name, project_name, timezone, watch_from, ticked_until)
        select "projectId", "queryId", name, "projectName", timezone, ${at(watchFrom)}, ${at(historyFrom)}
        from json_to_recordset(${page}::json)
          as q("projectId" text, "queryId" text, name text, "projectName" text, timezone text)
        on conflict (project_id, query_id) do update
          set name = excluded.name, project_name = excluded.project_name, timezone = excluded.timezone, active = true
      `.execute(db);
      await sql`
        update earshot.queries q set active = false
        where ${isOfSource(source, "q")} and (project_id, query_id) not in (
          select "projectId", "queryId" from json_to_recordset(${page}::json) as q("projectId" text, "queryId" text))
      `.execute(db);
    },

    /** Ends the watch of queries whose source is not configured any more. */
    async leaveOthers(sources: readonly SourceName[]): Promise<void> {
      const isConfigured = sources.map((source) => isOfSource(source, "q"));
      await sql`
        update earshot.queries q set active = false where active and not (${sql.join(isConfigured, sql` or `)})
      `.execute(db);
    },

    async active(): Promise<WatchedQuery[]> {
      const { rows } = await sql<WatchedQuery>`
        select ${COLUMNS} from earshot.queries where active order by name, query_id
      `.execute(db);
      return rows;
    },

    async find(projectId: string, queryId: string): Promise<WatchedQuery | null> {
      const { rows } = await sql<WatchedQuery>`
        select ${COLUMNS} from earshot.queries where project_id = ${projectId} and query_id = ${queryId}
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Queries with what their polls begin with: the series that are counted, and the dead letters to replay. */
    async forPolls(keys: readonly QueryKey[]): Promise<(PollStart & { query: WatchedQuery })[]> {
      const { rows } = await sql<WatchedQuery & PollStart>`
        select ${COLUMNS},
          array(select series from earshot.series s where (s.project_id, s.query_id) = (q.project_id, q.query_id)) as series,
          array(select json_build_object('id', d.id, 'kind', d.kind, 'body', d.body) from earshot.dead_letters d
            where (d.project_id, d.query_id) = (q.project_id, q.query_id) and ${REPLAYED_BY_POLL}
            order by d.at, d.id limit 500) as wanted
        from earshot.queries q where (project_id, query_id) in (${idsOf(keys)})
      `.execute(db);
      return rows.map(({ series, wanted, ...query }) => ({ query, series, wanted }));
    },

    /**
     * Reads a query and locks it until the transaction ends: no other worker can change the counts of a bucket while it
     * is evaluated, and one worker at a time changes an alert.
     */
    async lock(projectId: string, queryId: string): Promise<WatchedQuery | null> {
      const { rows } = await sql<WatchedQuery>`
        select ${COLUMNS} from earshot.queries
        where project_id = ${projectId} and query_id = ${queryId}
        for update
      `.execute(db);
      return rows[0] ?? null;
    },

    async setTickedUntil(
      projectId: string,
      queryId: string,
      until: Instant,
      asleep: Asleep | null = null,
    ): Promise<void> {
      await sql`
        update earshot.queries set ticked_until = ${at(until)}, asleep = ${asleep && storableJson(asleep)}::jsonb
        where project_id = ${projectId} and query_id = ${queryId}
      `.execute(db);
    },

    /**
     * Closes the windows of those of these queries in which nothing can happen, as judging them would: they are asleep,
     * nothing has arrived, and no alert or incident is open. Call it in a transaction. Returns the queries that it
     * closed windows of.
     */
    async closeAsleep(
      keys: readonly QueryKey[],
      {
        version,
        since,
        bucketMs,
      }: { readonly version: string | null; readonly since: Instant; readonly bucketMs: number },
    ): Promise<readonly QueryKey[]> {
      // A statement of its own: the next one sees what others have committed before they gave the lock away.
      const { rows: locked } = await sql<QueryKey>`
        select project_id as "projectId", query_id as "queryId" from earshot.queries
        where (project_id, query_id) in (${idsOf(keys)}) and active
          and asleep ->> 'version' is not distinct from ${version} and (asleep ->> 'at')::float8 >= ${since}
        order by project_id, query_id for update skip locked
      `.execute(db);
      if (locked.length === 0) return [];
      const { rows } = await sql<QueryKey>`
        update earshot.queries q set ticked_until = w.closed_until
        from (
          select project_id, query_id,
            date_bin(make_interval(secs => ${bucketMs / SECOND}), complete_until, 'epoch') as closed_until
          from earshot.polls where poll = 'added' and (project_id, query_id) in (${idsOf(locked)})) w
        where (q.project_id, q.query_id) = (w.project_id, w.query_id)
          and w.closed_until > q.ticked_until and w.closed_until < to_timestamp((q.asleep ->> 'until')::float8 / 1000)
          and not exists (select from earshot.counts c where (c.project_id, c.query_id) = (q.project_id, q.query_id)
            and c.arrived >= q.ticked_until and c.arrived < w.closed_until)
          and not exists (select from earshot.latest_alerts l
            where (l.project_id, l.query_id) = (q.project_id, q.query_id) and l.open)
          and not exists (select from earshot.incidents i
            where (i.project_id, i.query_id) = (q.project_id, q.query_id) and i.ended_at is null)
        returning q.project_id as "projectId", q.query_id as "queryId"
      `.execute(db);
      return rows;
    },
  };
}

interface QueryKey {
  readonly projectId: string;
  readonly queryId: string;
}

/** Until when no window of a query changes unless something arrives: by which version, judged at which moment. */
interface Asleep {
  readonly until: Instant;
  readonly version: string | null;
  readonly at: Instant;
}

interface PollStart {
  readonly series: readonly string[];
  readonly wanted: readonly WantedReplay[];
}

/** Ids of queries as rows. */
function idsOf(keys: readonly QueryKey[]) {
  const rows = keys.map(({ projectId, queryId }) => ({ projectId, queryId }));
  return sql`select "projectId", "queryId" from json_to_recordset(${storableJson(rows)}::json)
    as k("projectId" text, "queryId" text)`;
}

/** Whether the rows of this table, which has a `project_id`, are of this source; undefined: of any. */
export function isOfSource(source: SourceName | undefined, table: string): RawBuilder<boolean> {
  if (source === undefined) return sql`true`;
  return sql`starts_with(${sql.ref(`${table}.project_id`)}, ${FEEDS_PREFIX}) = ${source === "feeds"}`;
}

const COLUMNS = sql`
  project_id as "projectId", query_id as "queryId", name, project_name as "projectName", timezone,
  watch_from as "watchFrom", ticked_until as "tickedUntil", active as "isWatched"`;
