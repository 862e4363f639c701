import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Mention, StoryMention } from "../model/mention.ts";
import type { ShownStory } from "../model/shown.ts";
import { at, type Db, projects } from "./database.ts";
import { createMentionPageStore } from "./mention-pages.ts";

/** Stored mentions, as rules, messages and people need them. */
export function createMentionStore(db: Db) {
  return {
    ...createMentionPageStore(db),

    /** Mentions of a query whose moment lies in [from, to), newest first. */
    async inWindow(
      projectId: string,
      queryId: string,
      from: Instant,
      to: Instant,
      limit: number,
    ): Promise<{ mention: Mention; story: string }[]> {
      const { rows } = await sql<{ mention: Mention; story: string }>`
        select body as mention, story from earshot.mentions
        where project_id = ${projectId} and query_id = ${queryId}
          and event_at >= ${at(from)} and event_at < ${at(to)}
        order by event_at desc limit ${limit}
      `.execute(db);
      return rows;
    },

    /** How many mentions of a query belong to each of these stories, by their own time from `since` on. */
    async storySizes(
      projectId: string,
      queryId: string,
      stories: readonly string[],
      since: Instant,
    ): Promise<Map<string, number>> {
      const { rows } = await sql<{ story: string; n: number }>`
        select story, count(*)::int as n from earshot.mentions
        where project_id = ${projectId} and query_id = ${queryId} and event_at >= ${at(since)}
          and story = any(${[...stories]}::text[])
        group by story
      `.execute(db);
      return new Map(rows.map(({ story, n }) => [story, n]));
    },

    /** How often a query's mentions share a story, by their own time from `since` on; null where none is stored. */
    async story(
      projectId: string,
      queryId: string,
      story: string,
      since: Instant,
    ): Promise<ShownStory | null> {
      const ofStory = sql`from earshot.mentions where project_id = ${projectId} and query_id = ${queryId}
        and event_at >= ${at(since)} and story = ${story}`;
      const { rows } = await sql<ShownStory>`
        select (select count(*)::int ${ofStory}) as mentions, first.body as first, widest.body as widest
        from (select body ${ofStory} order by event_at, resource_id limit 1) first,
          (select body ${ofStory} order by coalesce(reach, (body->>'followers')::double precision) desc nulls last,
            event_at, resource_id limit 1) widest
      `.execute(db);
      return rows[0] ?? null;
    },

    /** Mentions that met the rule of an alert, newest first. */
    async ofAlert(
      projectId: string,
      alertId: string,
      limit: number,
    ): Promise<{ mention: Mention; story: string }[]> {
      const { rows } = await sql<{ mention: Mention; story: string }>`
        select m.body as mention, m.story from earshot.matches x
        join earshot.mentions m using (project_id, query_id, resource_id, day)
        where x.project_id = ${projectId} and x.alert_id = ${alertId}::uuid
        order by m.event_at desc limit ${limit}
      `.execute(db);
      return rows;
    },

    /**
     * Titles and texts of a query that people judged by an action on their alert, of the newest alerts first: the newest
     * mention of each; and those that people called not relevant themselves. "Not relevant" says no; acknowledging,
     * assigning and resolving an alert say yes. `relevant` chooses one of the two. A mention that was deleted since is not
     * among them.
     */
    async judged(
      query: { readonly id: string; readonly name: string },
      { relevant = null, most }: { readonly relevant?: boolean | null; readonly most: number },
    ): Promise<{ text: string; isRelevant: boolean }[]> {
      const { rows } = await sql<{ text: string; isRelevant: boolean }>`
        select text, "isRelevant" from (
          (select newest.text, (a.handling->>'relevant')::boolean as "isRelevant", a.opened_at as at, a.id::text as id
            from earshot.alerts a, lateral (
              select ${TEXT} as text from earshot.matches x
              join earshot.mentions m using (project_id, query_id, resource_id, day)
              where x.project_id = a.project_id and x.alert_id = a.id
              order by m.event_at desc, m.resource_id limit 1) newest
            where a.query_id = ${query.id} and a.query_name = ${query.name} and a.handling->>'relevant' is not null
              and (${relevant}::boolean is null or (a.handling->>'relevant')::boolean = ${relevant}::boolean)
              and newest.text <> ''
            order by a.opened_at desc, a.id limit ${most})
          union all
          (select ${TEXT}, false, m.event_at, m.resource_id from earshot.mention_workflow w
            join earshot.mentions m using (project_id, query_id, resource_id, day)
            join earshot.queries q using (project_id, query_id)
            where query_id = ${query.id} and q.name = ${query.name} and w.status = 'not-relevant'
              and ${relevant !== true} and ${TEXT} <> ''
            order by m.event_at desc, m.resource_id limit ${most})) judged
        order by at desc, id limit ${most}
      `.execute(db);
      return rows;
    },

    /** Whether a mention of these queries is stored that was added (or updated) before the request's start. */
    async hasOlder(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
      request: {
        readonly startDate: Instant;
        readonly sinceAdded?: Instant;
        readonly sinceUpdated?: Instant;
      },
    ): Promise<boolean> {
      const { startDate, sinceAdded, sinceUpdated } = request;
      const moment = sinceAdded === undefined ? sql`m.updated_at` : sql`m.added_at`;
      const { rows } = await sql<{ found: boolean }>`
        select exists (
          select from json_to_recordset(${storableJson(queries)}::json) as q("projectId" text, "queryId" text)
          join earshot.mentions m on m.project_id = q."projectId" and m.query_id = q."queryId"
          where ${moment} <= ${at(sinceAdded ?? sinceUpdated ?? startDate)} and m.event_at > ${at(startDate)}) as found
      `.execute(db);
      return rows[0]?.found ?? false;
    },

    /** The stored mentions of a query, all or those added from `since` on, in order of arrival, in batches. */
    async *byArrival(
      projectId: string,
      queryId: string,
      batch = 5_000,
      since: Instant | null = null,
    ): AsyncGenerator<StoryMention[]> {
      let after: { added: Instant; resource: string } | null =
        since === null ? null : { added: since, resource: "" };
      while (true) {
        const position: ReturnType<typeof sql> =
          after === null ? sql`true` : sql`(added_at, resource_id) > (${at(after.added)}, ${after.resource})`;
        const { rows } = await sql<StoryMention & { added: Instant }>`
          select body as mention, story, added_at as added from earshot.mentions
          where project_id = ${projectId} and query_id = ${queryId} and ${position}
          order by added_at, resource_id limit ${batch}
        `.execute(db);
        const last = rows.at(-1);
        if (last === undefined) return;
        yield rows.map(({ mention, story }) => ({ mention, story }));
        after = { added: last.added, resource: last.mention.resourceId };
      }
    },

    /** How many mentions of each of these queries arrived on each day (of UTC) from `since` on, in order of time. */
    async arrivalsByDay(
      queryIds: readonly string[],
      since: Instant,
    ): Promise<{ queryId: string; day: Instant; n: number }[]> {
      const { rows } = await sql<{ queryId: string; day: Instant; n: number }>`
        select query_id as "queryId", date_trunc('day', added_at, 'UTC') as day, count(*)::int as n
        from earshot.mentions
        where project_id in ${projects} and query_id = any(${[...queryIds]}::text[]) and added_at >= ${at(since)}
        group by 1, 2 order by 2
      `.execute(db);
      return rows;
    },

    /** By its id at the source or by its address, in any query. Scans all of them, for a person who asks. */
    async findAnywhere(
      text: string,
    ): Promise<{ mention: Mention; projectId: string; queryName: string; seenAt: Instant }[]> {
      const { rows } = await sql<{ mention: Mention; projectId: string; queryName: string; seenAt: Instant }>`
        select m.body as mention, m.project_id as "projectId", coalesce(q.name, 'query ' || m.query_id) as "queryName",
          m.seen_at as "seenAt"
        from earshot.mentions m left join earshot.queries q on q.project_id = m.project_id and q.query_id = m.query_id
        where m.resource_id = ${text} or m.body->>'url' = ${text} order by m.seen_at limit 20
      `.execute(db);
      return rows;
    },

    /** How many are stored, by query. */
    async countByQuery(): Promise<{ projectId: string; queryId: string; name: string; stored: number }[]> {
      const { rows } = await sql<{ projectId: string; queryId: string; name: string; stored: number }>`
        select q.project_id as "projectId", q.query_id as "queryId", q.name,
          (select count(*) from earshot.mentions m
           where m.project_id = q.project_id and m.query_id = q.query_id) as stored
        from earshot.queries q order by q.name
      `.execute(db);
      return rows;
    },
  };
}

const TEXT = sql`concat_ws(E'\n', m.body->>'title', m.body->>'text')`;
