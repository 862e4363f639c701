import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { SourceName } from "../model/query.ts";
import type { ListedGroup, QueryGroup } from "../model/query-group.ts";
import { at, atOrNull, type Db } from "./database.ts";
import { IN_ONE_ORDER } from "./poll-rows.ts";
import { isOfSource } from "./queries.ts";

/** Groups of queries in the accounts of sources, as their lists have them. */
export function createQueryGroupStore(db: Db) {
  return {
    async of(source: SourceName): Promise<readonly QueryGroup[]> {
      const { rows } = await sql<QueryGroup>`
        select ${COLUMNS} from earshot.query_groups g where ${isOfSource(source, "g")} order by project_id, group_id
      `.execute(db);
      return rows;
    },

    /** These groups of a project, without those that its list does not have any more. */
    async find(projectId: string, groupIds: readonly string[]): Promise<readonly QueryGroup[]> {
      const { rows } = await sql<QueryGroup>`
        select ${COLUMNS} from earshot.query_groups
        where project_id = ${projectId} and group_id = any(${[...groupIds]}::text[]) order by group_id
      `.execute(db);
      return rows;
    },

    /** Projects of the source with more than so many watched queries, and these. */
    async largeProjects(
      source: SourceName,
      queries: number,
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const { rows } = await sql<{ projectId: string; queryIds: string[] }>`
        select project_id as "projectId", coalesce(array_agg(query_id order by query_id), '{}') as "queryIds" from earshot.queries q
        where active and ${isOfSource(source, "q")} group by project_id having count(*) > ${queries}
        order by project_id
      `.execute(db);
      return new Map(rows.map(({ projectId, queryIds }) => [projectId, queryIds]));
    },

    /**
     * Makes the groups of a project exactly these, which its list had when it was asked for at `readAt`. Polls of
     * queries that a group has lost begin again where the list before was asked for: since then, calls that named the
     * group may have brought nothing of them.
     */
    async replace(projectId: string, groups: readonly ListedGroup[], readAt: Instant): Promise<void> {
      const listed = sql`json_to_recordset(${storableJson(groups)}::json)
        as n("queryGroupId" text, name text, "queryIds" json)`;
      await sql`
        with known as (select * from earshot.query_groups where project_id = ${projectId} for update),
        lost as (
          select m.query_id, min(k.read_at) as since
          from known k cross join unnest(k.query_ids) as m(query_id)
          where not exists (select from ${listed}
            where n."queryGroupId" = k.group_id
              and m.query_id in (select json_array_elements_text(n."queryIds")))
          group by m.query_id),
        gone as (delete from earshot.query_groups where project_id = ${projectId}
          and group_id not in (select n."queryGroupId" from ${listed})),
        reread as materialized (
          select w.project_id, w.query_id, w.poll, l.since from earshot.polls w join lost l using (query_id)
          where w.project_id = ${projectId} ${IN_ONE_ORDER})
        -- Never the same moment again: a poll that runs must not take this for what it was claimed with.
        update earshot.polls w
        set reread_from = least(w.reread_from, r.since) - interval '1 millisecond'
        from reread r where (w.project_id, w.query_id, w.poll) = (r.project_id, r.query_id, r.poll)
      `.execute(db);
      await sql`
        insert into earshot.query_groups as g (project_id, group_id, name, query_ids, read_at)
        select ${projectId}, n."queryGroupId", n.name,
          coalesce((select array_agg(id) from json_array_elements_text(n."queryIds") id), '{}'), ${at(readAt)}
        from ${listed}
        on conflict (project_id, group_id) do update
          set name = excluded.name, query_ids = excluded.query_ids, read_at = excluded.read_at
      `.execute(db);
    },

    /** A call that named these groups failed. */
    async doubt(projectId: string, groupIds: readonly string[], now: Instant): Promise<void> {
      await sql`
        update earshot.query_groups set doubted_at = ${at(now)}
        where project_id = ${projectId} and group_id = any(${[...groupIds]}::text[])
      `.execute(db);
    },

    /** A trial call named these groups. `doubtedAt` is null if it was answered. */
    async tried(
      groups: readonly Pick<QueryGroup, "projectId" | "groupId">[],
      { triedAt, doubtedAt }: { readonly triedAt: Instant; readonly doubtedAt: Instant | null },
    ): Promise<void> {
      const [projectId, groupIds] = [groups[0]?.projectId ?? "", groups.map(({ groupId }) => groupId)];
      await sql`
        update earshot.query_groups set doubted_at = ${atOrNull(doubtedAt)}, tried_at = ${at(triedAt)}
        where project_id = ${projectId} and group_id = any(${[...groupIds]}::text[])
      `.execute(db);
    },

    /**
     * Learns how many rows of unwatched members these groups bring. `rows`: what a call over `ms` brought of queries
     * that it did not want, by query.
     */
    async learnSurplus(
      projectId: string,
      groupIds: readonly string[],
      { rows, ms }: { readonly rows: ReadonlyMap<string, number>; readonly ms: number },
    ): Promise<void> {
      const seen = storableJson([...rows].map(([id, n]) => ({ id, n })));
      await sql`
        update earshot.query_groups g
        set surplus_rate = (coalesce(g.surplus_rate, s.n / ${ms}::float8) * 3 + s.n / ${ms}::float8) / 4
        from (
          select o.group_id, coalesce(sum(r.n), 0) as n
          from earshot.query_groups o
          left join json_to_recordset(${seen}::json) as r(id text, n double precision)
            on r.id = any(o.query_ids) and not exists (
              select from earshot.queries q where q.project_id = o.project_id and q.query_id = r.id and q.active)
          where o.project_id = ${projectId} and o.group_id = any(${[...groupIds]}::text[])
          group by o.group_id) s
        where g.project_id = ${projectId} and g.group_id = s.group_id
      `.execute(db);
    },
  };
}

const COLUMNS = sql`
  project_id as "projectId", group_id as "groupId", name, query_ids as "queryIds", surplus_rate as "surplusRate",
  read_at as "readAt", doubted_at as "doubtedAt", tried_at as "triedAt"`;
