import { type RawBuilder, sql } from "kysely";
import { monotonicMs } from "../../../lib/clock.ts";
import { atMost } from "../../../lib/concurrency.ts";
import { BusyError } from "../../../lib/errors.ts";
import type { Instant } from "../../../lib/instant.ts";
import { perSecond } from "../../../lib/per-second.ts";
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
import { hourlyVolume } from "./hourly-volume.ts";

type Sql = ReturnType<typeof sql>;

/** Rows that one listing reads at most before it answers; most that is asked for is found among the first of them. */
const SCAN_LIMIT = 3_000;
const FIRST_LOOK = 1_000;

/** A text search reads many rows; a few people who search must not block the rest. */
const SEARCHES_AT_ONCE = 2;
const SEARCHES_WAITING = 60;
const SEARCH_TAKES_MS = 5_000;
/** So many searches a second read to the limit. In a crowd each has a first look, and goes on where somebody asks for more. */
const LONG_SEARCHES_PER_S = 5;

/** `searchTakesMs`: the time limit of a text search; only tests pass another. */
export function createConsoleMentions(db: Db, searchTakesMs = SEARCH_TAKES_MS) {
  const inTurn = atMost(SEARCHES_AT_ONCE, SEARCHES_WAITING);
  const longSearches = perSecond(LONG_SEARCHES_PER_S);
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
     * These orders have an index; other filters read at most 3,000 rows at a time, and a text search in a crowd 1,000.
     */
    async mentions(
      filter: MentionFilter,
      after: MentionPosition | null,
      limit: number,
      scanLimit = SCAN_LIMIT,
    ): Promise<MentionListing> {
      const moment = isByArrival(filter) ? sql`m.added_at` : sql`m.event_at`;
      const fits = whatFits(filter);
      const order = sql`${moment} desc, m.query_id desc, m.resource_id desc`;
      const read = async (
        from: MentionPosition | null,
        most: number,
        share: number,
      ): Promise<MentionListing> => {
        const isMeantHere = sql`${ofQuery(filter)} and ${isMeant(filter)} and ${isWorkedOn(filter)} and ${isAfter(from, moment)}`;
        const newest = (columns: Sql, isRecent: Sql, inOrder: Sql) => sql`
          (select m.* from ${eachQuery(filter)} cross join lateral (
              select ${columns} from earshot.mentions m where ${isMeantHere} and ${isRecent} order by ${inOrder} limit ${share}) m
            order by ${inOrder} limit ${share}) m`;
        // Of several queries an index tells since when as many were published in all together; older rows need not be read.
        const isRecent =
          isByArrival(filter) || filter.queryId !== null
            ? sql`true`
            : sql`${moment} >= (select min(${moment}) from ${newest(moment, sql`true`, sql`${moment} desc`)})`;
        const statement = sql<FoundRow>`
          with scanned as (
            select project_id, query_id, resource_id, day, ${moment} as moment, ${fits.condition} as fits,
              row_number() over (order by ${order}) as i
            from ${newest(sql`*`, isRecent, order)} ${fits.read}),
          fitting as (select * from scanned where fits order by i limit ${most + 1}),
          ends as (select count(*) as scanned, max(i) as last from scanned)
          select json_build_object('mention', ${BODY}, 'projectId', m.project_id, 'queryName', ${QUERY_NAME},
              'eventAt', round(extract(epoch from m.event_at) * 1000), 'workflow', ${WORKFLOW}, 'lists', ${LISTS}) as found,
            f.moment, f.query_id as "queryId", f.resource_id as "resourceId", ends.scanned, f.i
          from fitting f join earshot.mentions m using (project_id, query_id, resource_id, day) ${WITH_QUERY}
          left join earshot.mention_workflow w on w.project_id = m.project_id and w.query_id = m.query_id
            and w.resource_id = m.resource_id and w.day = m.day
          cross join ends
          union all
          select null, s.moment, s.query_id, s.resource_id, ends.scanned, s.i from ends join scanned s on s.i = ends.last
          order by i
        `;
        const { rows } = fits.readsText
          ? await inTurn(() => withinTime(db, statement, searchTakesMs))
          : await statement.execute(db);
        return listingOf(rows, most, share);
      };
      if (fits.all) return read(after, limit, limit + 1);
      if (scanLimit <= FIRST_LOOK) return read(after, limit, scanLimit);
      const first = await read(after, limit, FIRST_LOOK);
      if (!first.stoppedEarly || first.mentions.length === limit) return first;
      if (fits.readsText) {
        if (longSearches.isReached(monotonicMs())) return first;
        longSearches.count();
      }
      const rest = await read(first.next, limit - first.mentions.length, scanLimit - FIRST_LOOK);
      return {
        ...rest,
        mentions: [...first.mentions, ...rest.mentions],
        scanned: first.scanned + rest.scanned,
      };
    },

    /** Counts of mentions of watched queries by hour and sentiment, whose moment lies in [from, to). */
    volume: (from: Instant, to: Instant): Promise<VolumeCount[]> =>
      hourlyVolume(db, sql`select project_id, query_id, name from earshot.queries where active`, from, to),
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
    return isByArrival(filter) ? sql`true` : sql`m.project_id = q.project_id and m.query_id = q.query_id`;
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
  const having = (condition: Sql) => sql`(project_id, query_id, resource_id, day) in
    (select project_id, query_id, resource_id, day from earshot.mention_workflow where ${condition})`;
  const lacking = (condition: Sql) => sql`not exists (
    select from earshot.mention_workflow w where w.project_id = m.project_id and w.query_id = m.query_id
      and w.resource_id = m.resource_id and w.day = m.day and ${condition})`;
  const ofSomebody =
    assignee === null
      ? sql`true`
      : assignee === NOBODY
        ? lacking(sql`w.assignee is not null`)
        : having(sql`lower(assignee) = ${nameKey(assignee)}`);
  if (status === null) return ofSomebody;
  return sql`${ofSomebody} and ${isOpen ? lacking(others) : having(sql`status = ${status}`)}`;
}

function isAfter(after: MentionPosition | null, moment: Sql) {
  if (after === null) return sql`true`;
  // The first comparison uses the index, the second one breaks ties.
  return sql`${moment} <= ${at(after.moment)}
    and (${moment}, m.query_id, m.resource_id) < (${at(after.moment)}, ${after.queryId}, ${after.resourceId})`;
}

/**
 * Whether a row `newest` fits, and what is read of its body for it: the body is text, and each look into it would read all of it
 * again.
 */
function whatFits(filter: MentionFilter) {
  const fields = new Map<string, Sql>();
  const field = (name: string, type = sql`text`) => {
    fields.set(name, type);
    return sql.ref(`body.${name}`);
  };
  const text = () => sql`concat(${field("title")}, ' ', ${field("text")})`;
  const { sentiment, contains, words = [], required = [] } = filter;
  const { author, domain, language, pageType, country, category, story, tag, list } = filter;
  const parts = [...(contains === null ? [] : [contains]), ...words];
  // Between title and text there is a space that no body has.
  const oneWord = parts.filter((part) => !part.includes(" "));
  const values = [author?.replace(/^@/, ""), domain, pageType, country, category].filter(
    (one) => one != null,
  );
  const conditions = [
    ...parts.map((part) => sql`${text()} ilike ${`%${escapeLike(part)}%`}`),
    // What another alphabet folds to is not known here.
    ...required.map(
      (some) =>
        sql`(${text()} ~ '[^[:ascii:]]' or lower(${text()}) like any(${some.map((one) => `%${escapeLike(one)}%`)}::text[]))`,
    ),
    sentiment != null && sql`sentiment = ${sentiment}`,
    story != null && sql`story = ${story}`,
    author != null &&
      sql`lower(${author.replace(/^@/, "")}) in (lower(ltrim(${field("author")}, '@')), lower(${field("authorName")}))`,
    domain != null &&
      sql`(lower(${field("domain")}) = lower(${domain})
        or lower(${field("domain")}) like ${`%.${escapeLike(domain.toLowerCase())}`})`,
    language != null && sql`lower(${field("language")}) = lower(${language})`,
    pageType != null && sql`lower(${field("pageType")}) = lower(${pageType})`,
    country != null && sql`lower(${field("country")}) = lower(${country})`,
    category != null &&
      sql`exists (select 1 from json_array_elements(${field("categories", sql`json`)}) c
        where lower(${category}) in (lower(c->>'name'), lower(c->>'parentName')))`,
    tag != null &&
      sql`(lower(${tag}) in (select lower(t) from json_array_elements_text(${field("tags", sql`json`)}) t) or exists (
        select from earshot.mention_workflow w where w.project_id = m.project_id
          and w.query_id = m.query_id and w.resource_id = m.resource_id and w.day = m.day
          and lower(${tag}) in (select lower(t) from unnest(w.tags) t)))`,
    list != null &&
      sql`exists (select from earshot.listed_authors l
        where l.list_key = lower(${list}) and ${listedAs(sql`m.body`)})`,
  ].filter((condition) => condition !== false);
  const columns = [...fields].map(([name, type]) => sql`${sql.ref(name)} ${type}`);
  return {
    all: conditions.length === 0,
    readsText: fields.has("text"),
    condition: conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `),
    read:
      columns.length === 0
        ? sql``
        : sql`cross join lateral json_to_record(${mayHave([...oneWord, ...values])}) as body(${sql.join(columns)})`,
  };
}

/** Letters that a body has as they are. In lower case, more than one letter becomes i or k. */
const PLAIN = /^[ !#-[\]-~]+$/;

/**
 * The body, or null if one of these parts is certainly not in it. ASCII alone is compared here, before anything is parsed:
 * that takes a tenth of the time.
 */
function mayHave(parts: readonly string[]): Sql {
  const plain = parts.filter((part) => PLAIN.test(part));
  if (plain.length === 0) return sql`m.body`;
  const patterns = plain.map((part) => `%${escapeLike(part).replaceAll(/[ik]/gi, "%")}%`);
  return sql`case when m.body::text collate "C" ilike all(${patterns}::text[]) then m.body end`;
}

function escapeLike(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&");
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
