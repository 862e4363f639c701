import { sql } from "kysely";
import { DAY, type Instant } from "../lib/instant.ts";
import type { Mention } from "../model/mention.ts";
import type { PageOutcome, PageRows, StoredMention, StoryMention } from "../model/stored-mention.ts";
import { at, type Db } from "./database.ts";

export function createMentionStore(db: Db) {
  return {
    /** Spells a page for `storePage`. Costs processor time and touches no table. */
    rowsOf: (page: readonly StoredMention[]): PageRows => ({
      keys: page.map(({ mention }) => keyOf(mention)),
      edited: new Set(
        page.flatMap(({ mention }, index) => (mention.updatedAt > mention.addedAt ? [index] : [])),
      ),
      json: JSON.stringify(page.map(toRow)),
    }),

    /**
     * Stores a page: new mentions are inserted, changed ones replaced, known ones left alone. A version older than the
     * stored one changes nothing, so pages may arrive in any order. `folded`: stories, by place, that the rows do not
     * know of yet.
     */
    async storePage(
      projectId: string,
      page: PageRows,
      seenAt: Instant,
      folded: ReadonlyMap<number, string> = new Map(),
    ): Promise<PageOutcome> {
      if (page.keys.length === 0) return { added: [], changed: [] };
      const rows = pageRows(page, folded);
      // The page is read straight into the table: kept aside to be joined with, it would be spilled to disk and back.
      const inserted = await sql<MentionKey>`
        insert into earshot.mentions (project_id, query_id, resource_id, day, event_at, added_at, updated_at, seen_at,
          sentiment, story, reach, body)
        select ${projectId}, q, r, d, to_timestamp(e / 1000), to_timestamp(a / 1000), to_timestamp(u / 1000),
          ${at(seenAt)}, s, k, n, b
        from ${rows} as p
        on conflict do nothing
        returning query_id as "queryId", resource_id as "resourceId"
      `.execute(db);
      const added = placesOf(inserted.rows, page.keys);
      const edited = added.filter((index) => page.edited.has(index));
      const moved = await removeMoved(db, projectId, rows, edited);
      if (moved.length > 0) {
        const places = new Set(moved.map(({ index }) => index));
        const rest = added.filter((index) => !places.has(index));
        return { added: rest, changed: [...moved, ...(await replaceChanged(db, projectId, rows))] };
      }
      if (added.length === page.keys.length) return { added, changed: [] };
      return { added, changed: await replaceChanged(db, projectId, rows) };
    },

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

    /** Whether something of these queries is stored that was there (or had changed) before the request begins. */
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
          select from json_to_recordset(${JSON.stringify(queries)}::json) as q("projectId" text, "queryId" text)
          join earshot.mentions m on m.project_id = q."projectId" and m.query_id = q."queryId"
          where ${moment} <= ${at(sinceAdded ?? sinceUpdated ?? startDate)} and m.event_at > ${at(startDate)}) as found
      `.execute(db);
      return rows[0]?.found ?? false;
    },

    /** Every stored mention of a query, in order of arrival, in batches: for series that are new to a rule. */
    async *byArrival(projectId: string, queryId: string, batch = 5_000): AsyncGenerator<StoryMention[]> {
      let after: { added: Instant; resource: string } | null = null;
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

    /** By its id at the source or by its address, in whichever queries it stands. Walks all of them: for a person who asks. */
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

type MentionKey = Pick<Mention, "queryId" | "resourceId">;

/** Where in the page the mentions with these keys stand: the first place of each, each once, in order. */
function placesOf(inserted: readonly MentionKey[], keys: readonly string[]): number[] {
  const wanted = new Set(inserted.map(keyOf));
  const places: number[] = [];
  for (const [index, key] of keys.entries()) if (wanted.delete(key)) places.push(index);
  return places;
}

function keyOf({ queryId, resourceId }: MentionKey): string {
  return `${queryId}\u0000${resourceId}`;
}

const PAGE_COLUMNS = sql`(i int, q text, r text, d date, e double precision, a double precision, u double precision,
  s text, k text, n bigint, b json)`;

/** The page as a table; where mentions tell stories of others, with those. */
function pageRows({ json }: PageRows, folded: ReadonlyMap<number, string>) {
  if (folded.size === 0) return sql`(select * from json_to_recordset(${json}::json) as r${PAGE_COLUMNS})`;
  const others = JSON.stringify([...folded].map(([place, story]) => ({ place, story })));
  return sql`(
    select i, q, r, d, e, a, u, s, coalesce(f.story, k) as k, n, b
    from json_to_recordset(${json}::json) as r${PAGE_COLUMNS}
    left join json_to_recordset(${others}::json) as f(place int, story text) on f.place = i)`;
}

/** Short names: a page of 5,000 is one parameter of some megabytes. */
function toRow({ mention, eventAt, story }: StoredMention, index: number) {
  return {
    i: index,
    q: mention.queryId,
    r: mention.resourceId,
    d: dayOf(mention),
    e: eventAt,
    a: mention.addedAt,
    u: mention.updatedAt,
    s: mention.sentiment,
    k: story,
    n: mention.reach === null ? null : Math.round(mention.reach),
    b: mention,
  };
}

/** UTC day of publication, part of the identity because it is the partition. */
export function dayOf({ publishedAt }: Pick<Mention, "publishedAt">): string {
  const day = Math.floor((publishedAt ?? 0) / DAY);
  // Mentions of a page are mostly of one day, and spelling it costs more than finding it.
  if (day !== lastDay.day) lastDay = { day, text: new Date(day * DAY).toISOString().slice(0, 10) };
  return lastDay.text;
}

let lastDay = { day: 0, text: "1970-01-01" };

/**
 * The day of publication is the partition and so part of the key, and a source may correct it, or tell it later: such a
 * mention was inserted anew, and its earlier row goes. Only what has changed since it came can have moved.
 */
async function removeMoved(
  db: Db,
  projectId: string,
  rows: ReturnType<typeof pageRows>,
  edited: readonly number[],
): Promise<PageOutcome["changed"]> {
  if (edited.length === 0) return [];
  const moved = await sql<PageOutcome["changed"][number]>`
    with page as (
      select i, q, r, d from ${rows} as p
      where i in (select place::int from json_array_elements_text(${JSON.stringify(edited)}::json) place)),
    gone as (
      delete from earshot.mentions m using page
      where m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day <> d
      returning i, m.body as before, m.story as told),
    followed as (
      update earshot.matches x set day = d from page
      where x.project_id = ${projectId} and x.query_id = q and x.resource_id = r and x.day <> d)
    select i as index, before, told as story from gone order by i
  `.execute(db);
  return moved.rows;
}

async function replaceChanged(
  db: Db,
  projectId: string,
  rows: ReturnType<typeof pageRows>,
): Promise<PageOutcome["changed"]> {
  const changed = await sql<PageOutcome["changed"][number]>`
    with page as (
      select distinct on (q, r, d) * from ${rows} as p
      order by q, r, d, u desc, i),
    old as (
      select page.*, m.body as before, m.story as told from page
      join earshot.mentions m on m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day = d
      where m.body::text <> b::text and m.updated_at <= to_timestamp(u / 1000)
      for update of m),
    written as (
      update earshot.mentions m
      set event_at = to_timestamp(e / 1000), added_at = to_timestamp(a / 1000), updated_at = to_timestamp(u / 1000),
        sentiment = s, story = k, reach = n, body = b
      from old where m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day = d)
    select i as index, before, told as story from old order by i
  `.execute(db);
  return changed.rows;
}
