import { type RawBuilder, sql } from "kysely";
import { atMost } from "../../../lib/concurrency.ts";
import { BusyError } from "../../../lib/errors.ts";
import { type Instant, utcDay } from "../../../lib/instant.ts";
import { TransientError } from "../../../lib/retry.ts";
import type {
  MentionFilter,
  MentionListing,
  MentionPosition,
  ShownMention,
  VolumeCount,
} from "../../model/shown.ts";
import { isByArrival, NOBODY } from "../../model/shown.ts";
import { nameKey } from "../../model/user.ts";
import { LISTS, listedAs } from "../author-lists.ts";
import { at, type Db } from "../database.ts";
import { WORKFLOW } from "../mention-workflow.ts";

/** Rows that one listing reads at most before it answers; most that is asked for is found among the first of them. */
const SCAN_LIMIT = 10_000;
const FIRST_LOOK = 1_000;

/** A text search reads many rows; a few people who search must not block the rest. */
const SEARCHES_AT_ONCE = 2;
const SEARCHES_WAITING = 20;
const SEARCH_TAKES_MS = 5_000;

/** `searchTakesMs`: the time limit of a text search; only tests pass another. */
export function createConsoleMentions(db: Db, searchTakesMs = SEARCH_TAKES_MS) {
  const inTurn = atMost(SEARCHES_AT_ONCE, SEARCHES_WAITING);
  return {
    /** Newest arrivals first. */
    async newestMentions(limit: number): Promise<ShownMention[]> {
      const { rows } = await sql<ShownMention>`
        select ${COLUMNS} from (
          select * from earshot.mentions order by added_at desc, query_id desc, resource_id desc limit ${limit}) m
        ${WITH_QUERY} order by m.added_at desc, m.query_id desc, m.resource_id desc
      `.execute(db);
      return rows;
    },

    /**
     * Mentions that match, `limit` at a time: newest arrivals first; of one query, or of a short time, newest published first.
     * These orders have an index; other filters read at most 10,000 rows at a time.
     */
    async mentions(
      filter: MentionFilter,
      after: MentionPosition | null,
      limit: number,
      scanLimit = SCAN_LIMIT,
    ): Promise<MentionListing> {
      const moment = isByArrival(filter) ? sql.ref("added_at") : sql.ref("event_at");
      const searchesText =
        filter.contains !== null || (filter.words ?? []).length > 0 || filter.required !== undefined;
      const searches =
        searchesText ||
        [
          filter.sentiment,
          filter.author,
          filter.domain,
          filter.language,
          filter.pageType,
          filter.country,
          filter.category,
          filter.story,
          filter.tag,
          filter.list,
        ].some((one) => one != null);
      const read = async (share: number): Promise<MentionListing> => {
        const statement = sql<FoundRow>`
          with scanned as (
            select *, ${moment} as moment, row_number() over (order by ${moment} desc, query_id desc, resource_id desc) as i
            from (select newest.* from ${eachQuery(filter)} cross join lateral (
                select * from earshot.mentions
                where ${ofQuery(filter)} and ${isMeant(filter)} and ${isWorkedOn(filter)} and ${isAfter(after, moment)}
                order by ${moment} desc, query_id desc, resource_id desc limit ${share}) newest
              order by ${moment} desc, newest.query_id desc, newest.resource_id desc limit ${share}) newest),
          fitting as (
            select * from scanned where ${fits(filter)} order by i limit ${limit + 1}),
          ends as (select count(*) as scanned, max(i) as last from scanned)
          select json_build_object('mention', ${BODY}, 'projectId', m.project_id, 'queryName', ${QUERY_NAME},
              'eventAt', round(extract(epoch from m.event_at) * 1000), 'workflow', ${WORKFLOW}, 'lists', ${LISTS}) as found,
            m.moment, m.query_id as "queryId", m.resource_id as "resourceId", ends.scanned, m.i
          from fitting m ${WITH_QUERY}
          left join earshot.mention_workflow w on w.project_id = m.project_id and w.query_id = m.query_id
            and w.resource_id = m.resource_id and w.day = m.day
          cross join ends
          union all
          select null, s.moment, s.query_id, s.resource_id, ends.scanned, s.i from ends join scanned s on s.i = ends.last
          order by i
        `;
        const { rows } = searchesText
          ? await inTurn(() => withinTime(db, statement, searchTakesMs))
          : await statement.execute(db);
        return listingOf(rows, limit, share);
      };
      if (!searches) return read(limit + 1);
      if (scanLimit > FIRST_LOOK) {
        const first = await read(FIRST_LOOK);
        if (!first.stoppedEarly) return first;
      }
      return read(scanLimit);
    },

    /** Counts of mentions of watched queries by hour and sentiment, whose moment lies in [from, to). */
    async volume(from: Instant, to: Instant): Promise<VolumeCount[]> {
      const { rows } = await sql<VolumeCount>`
        select q.project_id as "projectId", q.query_id as "queryId", q.name as "queryName", v.hour, v.sentiment, v.n
        from earshot.queries q left join lateral (
          select date_trunc('hour', m.event_at) as hour, m.sentiment, count(*)::int as n from earshot.mentions m
          where m.project_id = q.project_id and m.query_id = q.query_id
            and m.event_at >= ${at(from)} and m.event_at < ${at(to)} and ${daysOf(from, to)}
          group by 1, 2) v on true
        where q.active and v.n > 0
      `.execute(db);
      return rows;
    },
  };
}

/** Lists show the beginning of a text. Mentions stored before texts were cut can be a megabyte long. */
const BODY = sql`case when length(m.body->>'title') > 4000 or length(m.body->>'text') > 4000
  then (m.body::jsonb || jsonb_build_object('title', left(m.body->>'title', 4000), 'text', left(m.body->>'text', 4000)))::json
  else m.body end`;
const COLUMNS = sql`${BODY} as mention, m.project_id as "projectId", coalesce(q.name, 'query ' || m.query_id) as "queryName",
  m.event_at as "eventAt", ${LISTS} as lists`;
const QUERY_NAME = sql`coalesce(q.name, 'query ' || m.query_id)`;
const WITH_QUERY = sql`left join earshot.queries q on q.project_id = m.project_id and q.query_id = m.query_id`;

/** Of all queries, moments of publication have an index in each of them. */
function eachQuery(filter: MentionFilter) {
  const { queryId, queryIds = [] } = filter;
  if (queryId !== null || isByArrival(filter)) return sql`(select) q`;
  if (queryIds.length === 0) return sql`earshot.queries q`;
  return sql`(select * from earshot.queries where query_id = any(${[...queryIds]}::text[])) q`;
}

function ofQuery(filter: MentionFilter) {
  const { projectId, queryId } = filter;
  if (queryId === null)
    return isByArrival(filter)
      ? sql`true`
      : sql`mentions.project_id = q.project_id and mentions.query_id = q.query_id`;
  return projectId === null
    ? // One project, so that the index gives the order. A source gives an id to one query only.
      sql`project_id = (select min(project_id) from earshot.queries where query_id = ${queryId}) and query_id = ${queryId}`
    : sql`project_id = ${projectId} and query_id = ${queryId}`;
}

function isMeant({ from = null, to = null, alertId = null }: MentionFilter) {
  return sql`${from === null ? sql`true` : sql`event_at >= ${at(from)}`} and ${to === null ? sql`true` : sql`event_at < ${at(to)}`}
    and ${
      alertId === null
        ? sql`true`
        : sql`(project_id, query_id, resource_id, day) in
            (select project_id, query_id, resource_id, day from earshot.matches where alert_id = ${alertId}::uuid)`
    }`;
}

/**
 * What people decided, before the rows of a listing are limited. Few mentions have a row for it, and what nobody has
 * decided about is open.
 */
function isWorkedOn({ assignee = null, status = null }: MentionFilter) {
  const isOpen = status === "open" || status === "to-do";
  const others = status === "open" ? sql`status <> 'open'` : sql`status in ('done', 'not-relevant')`;
  const having = (condition: ReturnType<typeof sql>) => sql`(project_id, query_id, resource_id, day) in
    (select project_id, query_id, resource_id, day from earshot.mention_workflow where ${condition})`;
  const lacking = (condition: ReturnType<typeof sql>) => sql`not exists (
    select from earshot.mention_workflow w where w.project_id = mentions.project_id and w.query_id = mentions.query_id
      and w.resource_id = mentions.resource_id and w.day = mentions.day and ${condition})`;
  const ofSomebody =
    assignee === null
      ? sql`true`
      : assignee === NOBODY
        ? lacking(sql`w.assignee is not null`)
        : having(sql`lower(assignee) = ${nameKey(assignee)}`);
  if (status === null) return ofSomebody;
  return sql`${ofSomebody} and ${isOpen ? lacking(others) : having(sql`status = ${status}`)}`;
}

function isAfter(after: MentionPosition | null, moment: ReturnType<typeof sql.ref>) {
  if (after === null) return sql`true`;
  // The first comparison uses the index, the second one breaks ties.
  return sql`${moment} <= ${at(after.moment)}
    and (${moment}, query_id, resource_id) < (${at(after.moment)}, ${after.queryId}, ${after.resourceId})`;
}

const TEXT = sql`concat(body->>'title', ' ', body->>'text')`;

function fits(filter: MentionFilter) {
  const { sentiment, contains, words = [], required = [] } = filter;
  const {
    author = null,
    domain = null,
    language = null,
    pageType = null,
    country = null,
    category = null,
    story = null,
    tag = null,
    list = null,
  } = filter;
  const parts = [...(contains === null ? [] : [contains]), ...words];
  const conditions = [
    ...parts.map((part) => sql`${TEXT} ilike ${`%${escapeLike(part)}%`}`),
    // What another alphabet folds to is not known here.
    ...required.map(
      (some) =>
        sql`(${TEXT} ~ '[^[:ascii:]]' or lower(${TEXT}) like any(${some.map((one) => `%${escapeLike(one)}%`)}::text[]))`,
    ),
    ...(sentiment === null ? [] : [sql`sentiment = ${sentiment}`]),
    ...(story === null ? [] : [sql`story = ${story}`]),
    ...(author === null
      ? []
      : [
          sql`lower(${author.replace(/^@/, "")}) in
            (lower(ltrim(body->>'author', '@')), lower(body->>'authorName'))`,
        ]),
    ...(domain === null
      ? []
      : [
          sql`(lower(body->>'domain') = lower(${domain})
            or lower(body->>'domain') like ${`%.${escapeLike(domain.toLowerCase())}`})`,
        ]),
    ...(language === null ? [] : [sql`lower(body->>'language') = lower(${language})`]),
    ...(pageType === null ? [] : [sql`lower(body->>'pageType') = lower(${pageType})`]),
    ...(country === null ? [] : [sql`lower(body->>'country') = lower(${country})`]),
    ...(category === null
      ? []
      : [
          sql`exists (select 1 from json_array_elements(body->'categories') c
            where lower(${category}) in (lower(c->>'name'), lower(c->>'parentName')))`,
        ]),
    ...(tag === null
      ? []
      : [
          sql`(lower(${tag}) in (select lower(t) from json_array_elements_text(body->'tags') t) or exists (
            select from earshot.mention_workflow w where w.project_id = scanned.project_id
              and w.query_id = scanned.query_id and w.resource_id = scanned.resource_id and w.day = scanned.day
              and lower(${tag}) in (select lower(t) from unnest(w.tags) t)))`,
        ]),
    ...(list === null
      ? []
      : [
          sql`exists (select from earshot.listed_authors l
            where l.list_key = lower(${list}) and ${listedAs(sql`scanned.body`)})`,
        ]),
  ];
  return conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `);
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
}

/** The publication days that a window can contain, so that other months are not opened. Undated mentions have day 0. */
export function daysOf(from: Instant, to: Instant) {
  return sql`(m.day between ${utcDay(from)}::date and ${utcDay(to - 1)}::date or m.day = '1970-01-01')`;
}

interface FoundRow {
  readonly found: ShownMention | null;
  readonly moment: Instant;
  readonly queryId: string;
  readonly resourceId: string;
  readonly scanned: number;
}

/** Rejects with a BusyError when the database needs too long. */
async function withinTime(db: Db, statement: RawBuilder<FoundRow>, takesMs: number) {
  try {
    return await db.transaction().execute(async (tx) => {
      await sql`select set_config('statement_timeout', ${String(takesMs)}, true)`.execute(tx);
      return statement.execute(tx);
    });
  } catch (error) {
    if (error instanceof TransientError && error.code === "Canceled")
      throw new BusyError("the search took too long", { cause: error });
    throw error;
  }
}

function listingOf(rows: readonly FoundRow[], limit: number, scanLimit: number): MentionListing {
  const found = rows.filter((row) => row.found !== null);
  const shown = found.slice(0, limit);
  const mentions = shown.flatMap((row) => (row.found === null ? [] : [row.found]));
  const stoppedEarly = found.length <= limit && (rows[0]?.scanned ?? 0) >= scanLimit;
  const last = found.length > limit ? shown.at(-1) : rows.find((row) => row.found === null);
  const goesOn = (found.length > limit || stoppedEarly) && last !== undefined;
  const next = goesOn ? { moment: last.moment, queryId: last.queryId, resourceId: last.resourceId } : null;
  return { mentions, next, stoppedEarly, scanned: rows[0]?.scanned ?? 0 };
}
