import { sql } from "kysely";
import { DAY, type Instant, utcDay } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Mention, PageColumns, PageOutcome, PageRows, StoredMention } from "../model/mention.ts";
import { dateArray, jsonArray, momentArray, numberArray, textArray } from "./binary-arrays.ts";
import { staleCounts } from "./count-mentions.ts";
import { at, type Db } from "./database.ts";

/** UTC day of publication, part of the identity because it is the partition. */
export function dayOf(mention: Pick<Mention, "publishedAt">): string {
  return utcDay(dayNumber(mention) * DAY);
}

/** The same in days since 1970. */
function dayNumber({ publishedAt }: Pick<Mention, "publishedAt">): number {
  return Math.floor((publishedAt ?? 0) / DAY);
}

/** Writes pages of mentions to the table. */
export function createMentionPageStore(db: Db) {
  return {
    /** Encodes a page for `storePage`. Costs processor time and touches no table. */
    rowsOf: (page: readonly StoredMention[]): PageRows => ({
      keys: page.map(({ mention }) => keyOf(mention)),
      edited: new Set(
        page.flatMap(({ mention }, index) => (mention.updatedAt > mention.addedAt ? [index] : [])),
      ),
      stories: page.map(({ story }) => story),
      columns: columnsOf(page),
    }),

    /**
     * Stores a page: inserts new mentions, replaces changed ones, leaves known ones alone. A version older than the
     * stored one changes nothing, so pages may arrive in any order. `folded`: stories by index, in place of those of the
     * rows.
     */
    async storePage(
      projectId: string,
      page: PageRows,
      seenAt: Instant,
      folded: ReadonlyMap<number, string> = new Map(),
    ): Promise<PageOutcome> {
      if (page.keys.length === 0) return { added: [], changed: [] };
      const rows = pageRows(page, folded);
      // Inserts straight from the parameters: a materialised copy to join with would be spilled to disk.
      const inserted = await sql<MentionKey>`
        with stored as (
          insert into earshot.mentions (project_id, query_id, resource_id, day, event_at, added_at, updated_at, seen_at,
            sentiment, story, reach, body)
          select ${projectId}, q, r, d, e, a, u, ${at(seenAt)}, s, k, n, b from ${rows} as p
          on conflict do nothing
          returning query_id, resource_id, event_at),
        stale as (${staleCounts(projectId, sql`stored`)})
        select query_id as "queryId", resource_id as "resourceId" from stored
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
  };
}

type MentionKey = Pick<Mention, "queryId" | "resourceId">;

/** The index in the page of each of these keys: the first of each, once, in order. */
function placesOf(inserted: readonly MentionKey[], keys: readonly string[]): number[] {
  const insertedKeys = new Set(inserted.map(keyOf));
  const places: number[] = [];
  for (const [index, key] of keys.entries()) if (insertedKeys.delete(key)) places.push(index);
  return places;
}

function keyOf({ queryId, resourceId }: MentionKey): string {
  return `${queryId}\u0000${resourceId}`;
}

/** The page as a table, with the stories of near-duplicates if there are any. `i` is the position in the page. */
function pageRows({ keys, columns, stories }: PageRows, folded: ReadonlyMap<number, string>) {
  const story =
    folded.size === 0 ? columns.story : textArray(stories.map((own, index) => folded.get(index) ?? own));
  return sql`(
    select generate_series(0, ${keys.length - 1}::int) as i,
      unnest(${columns.query}::text[]) as q, unnest(${columns.resource}::text[]) as r, unnest(${columns.day}::date[]) as d,
      unnest(${columns.event}::timestamptz[]) as e, unnest(${columns.added}::timestamptz[]) as a,
      unnest(${columns.updated}::timestamptz[]) as u, unnest(${columns.sentiment}::text[]) as s,
      unnest(${story}::text[]) as k, unnest(${columns.reach}::int8[]) as n, unnest(${columns.body}::json[]) as b)`;
}

function columnsOf(page: readonly StoredMention[]): PageColumns {
  const mentions = page.map(({ mention }) => mention);
  return {
    query: textArray(mentions.map(({ queryId }) => queryId)),
    resource: textArray(mentions.map(({ resourceId }) => resourceId)),
    day: dateArray(mentions.map(dayNumber)),
    event: momentArray(page.map(({ eventAt }) => eventAt)),
    added: momentArray(mentions.map(({ addedAt }) => addedAt)),
    updated: momentArray(mentions.map(({ updatedAt }) => updatedAt)),
    sentiment: textArray(mentions.map(({ sentiment }) => sentiment)),
    story: textArray(page.map(({ story }) => story)),
    reach: numberArray(mentions.map(({ reach }) => (reach === null ? null : Math.round(reach)))),
    // The texts of a mention are storable since it was read, and a page of them is the most that is ever written.
    body: jsonArray(mentions.map((mention) => JSON.stringify(mention))),
  };
}

/**
 * The day of publication is the partition and so part of the key. A source may correct it or send it later: then the
 * mention was inserted anew, and its earlier row is deleted here. Only changed mentions can have moved.
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
      where i in (select place::int from json_array_elements_text(${storableJson(edited)}::json) place)),
    gone as (
      delete from earshot.mentions m using page
      where m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day <> d
      returning i, m.query_id, m.event_at, m.body as before, m.story as story_before),
    stale as (${staleCounts(projectId, sql`gone`)}),
    followed as (
      update earshot.matches x set day = d from page
      where x.project_id = ${projectId} and x.query_id = q and x.resource_id = r and x.day <> d),
    workflow_followed as (
      update earshot.mention_workflow x set day = d from page
      where x.project_id = ${projectId} and x.query_id = q and x.resource_id = r and x.day <> d),
    steps_followed as (
      update earshot.mention_steps x set day = d from page
      where x.project_id = ${projectId} and x.query_id = q and x.resource_id = r and x.day <> d)
    select i as index, before, story_before as story from gone order by i
  `.execute(db);
  return moved.rows;
}

/** Compares texts to find a change: a hash would cost every new mention to spare the few that change. */
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
      select page.*, m.body as before, m.story as story_before, m.query_id, m.event_at from page
      join earshot.mentions m on m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day = d
      where m.body::text <> b::text and m.updated_at <= u
      for update of m),
    written as (
      update earshot.mentions m
      set event_at = e, added_at = a, updated_at = u, sentiment = s, story = k, reach = n, body = b
      from old where m.project_id = ${projectId} and m.query_id = q and m.resource_id = r and m.day = d),
    stale as (${staleCounts(
      projectId,
      sql`(select query_id, event_at from old union all select query_id, e from old)`,
    )})
    select i as index, before, story_before as story from old order by i
  `.execute(db);
  return changed.rows;
}
