import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { zoneForSql } from "../../lib/local-time.ts";
import { ALL_PROJECTS, type DigestEdition, type PeriodStory, type SentAlert } from "../model/digest.ts";
import { at, type Db } from "./database.ts";
import type { Period } from "./whole-days.ts";

/** The stories that a digest chooses from. Those beyond have fewer mentions than any that it shows. */
const MOST_STORIES = 300;
const MOST_TALKING = 20;

export function createDigestStore(db: Db) {
  return {
    /** When a digest was first seen in a configuration. */
    async since(name: string, now: Instant): Promise<Instant> {
      const key = `digest-since ${name}`;
      await sql`
        insert into earshot.settings (key, value) values (${key}, ${storableJson(now)}::jsonb) on conflict do nothing
      `.execute(db);
      const { rows } = await sql<{
        since: number;
      }>`select value as since from earshot.settings where key = ${key}`.execute(db);
      return rows[0]?.since ?? now;
    },

    async announce(edition: DigestEdition): Promise<void> {
      const { name, localDate, dueAt, period, before } = edition;
      await sql`
        insert into earshot.digests (project_id, name, local_date, due_at, period_from, period_to, before_from, before_to)
        values (${ALL_PROJECTS}, ${name}, ${localDate}, ${at(dueAt)}, ${at(period.from)}, ${at(period.to)},
          ${at(before.from)}, ${at(before.to)})
        on conflict do nothing
      `.execute(db);
    },

    async latest(name: string): Promise<DigestEdition | null> {
      const { rows } = await sql<Row>`
        select ${COLUMNS} from earshot.digests where project_id = ${ALL_PROJECTS} and name = ${name}
        order by local_date desc limit 1
      `.execute(db);
      return rows[0] === undefined ? null : toEdition(rows[0]);
    },

    /** Editions announced and not built. */
    async due(): Promise<DigestEdition[]> {
      const { rows } =
        await sql<Row>`select ${COLUMNS} from earshot.digests where state = 'due' order by due_at
        `.execute(db);
      return rows.map(toEdition);
    },

    /**
     * Alerts of these queries of which a receiver got messages in the period. An action on an incident is one on the
     * alert that its messages are about.
     */
    async sentAlerts(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
      { from, to }: Period,
    ): Promise<SentAlert[]> {
      const { rows } = await sql<SentAlert>`
        select n.receiver, a.rule, a.id as "alertId", count(*)::int as messages,
          bool_and(case when i.id is null then a.resolved_at else i.ended_at end is not null) as "isOver",
          bool_or(coalesce(i.body->'handling', a.handling::jsonb, '{}') ?| array['acknowledgedBy', 'assignee', 'closedBy']
            and coalesce(i.body->'handling'->>'relevant', a.handling->>'relevant', 'true') <> 'false') as acted,
          max(case when a.window_to > a.window_from and a."values"->>'share' is null
            then (a."values"->>'count')::double precision end) as count,
          max(case when a.window_to = a.window_from then f.followers end) as followers
        from earshot.notifications n
        join earshot.alerts a on a.project_id = n.project_id and a.id = n.alert_id
        left join earshot.incident_alerts m on m.project_id = a.project_id and m.alert_id = a.id
        left join earshot.incidents i on i.project_id = m.project_id and i.id = m.incident_id
        left join lateral (
          select max((t.body->>'followers')::double precision) as followers
          from earshot.matches x join earshot.mentions t using (project_id, query_id, resource_id, day)
          where x.project_id = a.project_id and x.alert_id = a.id) f on true
        where n.state = 'sent' and n.kind not in ('digest', 'test') and n.created_at >= ${at(from)} and n.created_at < ${at(to)}
          and (a.project_id, a.query_id) in (select "projectId", "queryId" from json_to_recordset(${storableJson(
            queries.map(({ projectId, queryId }) => ({ projectId, queryId })),
          )}::json) as q("projectId" text, "queryId" text))
        group by n.receiver, a.rule, a.project_id, a.id order by a.id, n.receiver
      `.execute(db);
      return rows;
    },

    /** When the first stored mention of each query was published, by query; absent for one without mentions. */
    async firstMentions(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
    ): Promise<Map<string, Instant>> {
      const { rows } = await sql<{ queryId: string; first: Instant }>`
        select "queryId", first from json_to_recordset(${storableJson(queries)}::json)
          as q("projectId" text, "queryId" text)
        cross join lateral (
          select event_at as first from earshot.mentions
          where project_id = "projectId" and query_id = "queryId" order by event_at limit 1) m
      `.execute(db);
      return new Map(rows.map(({ queryId, first }) => [queryId, first]));
    },

    /**
     * An edition that is not built yet; null if it is built. Waits while another transaction has it: a request to forget
     * somebody, or another worker. A snapshot that begins afterwards has what that one did.
     */
    async findDue(name: string, localDate: string): Promise<DigestEdition | null> {
      const { rows } = await sql<Row>`
        select ${COLUMNS} from earshot.digests
        where project_id = ${ALL_PROJECTS} and name = ${name} and local_date = ${localDate} and state = 'due'
        for share
      `.execute(db);
      return rows[0] === undefined ? null : toEdition(rows[0]);
    },

    /** The most active authors and most used hashtags of a period. */
    async insights(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
      period: Period,
    ): Promise<{
      authors: { name: string; mentions: number; negative: number }[];
      hashtags: { name: string; mentions: number }[];
    }> {
      const within = sql`json_to_recordset(${storableJson(queries)}::json) as q("projectId" text, "queryId" text)
        join earshot.mentions m on m.project_id = "projectId" and m.query_id = "queryId"
          and m.event_at >= ${at(period.from)} and m.event_at < ${at(period.to)}`;
      // Counts a mention once, even if two queries found it.
      const authors = await sql<{ name: string; mentions: number; negative: number }>`
        select coalesce(max(m.body->>'authorName'), m.body->>'author') as name, count(distinct m.resource_id) as mentions,
          count(distinct m.resource_id) filter (where m.sentiment = 'negative') as negative
        from ${within} where m.body->>'author' is not null
        group by m.body->>'author' order by 2 desc, 1 limit ${MOST_TALKING}
      `.execute(db);
      const hashtags = await sql<{ name: string; mentions: number }>`
        select lower(ltrim(h.tag, '#')) as name, count(distinct m.resource_id) as mentions
        from ${within} cross join lateral json_array_elements_text(
          case when json_typeof(m.body->'hashtags') = 'array' then m.body->'hashtags' else '[]' end) as h(tag)
        group by 1 order by 2 desc, 1 limit ${MOST_TALKING}
      `.execute(db);
      return { authors: authors.rows, hashtags: hashtags.rows };
    },

    async lockDue(name: string, localDate: string): Promise<DigestEdition | null> {
      const { rows } = await sql<Row>`
        select ${COLUMNS} from earshot.digests
        where project_id = ${ALL_PROJECTS} and name = ${name} and local_date = ${localDate} and state = 'due'
        for update skip locked
      `.execute(db);
      return rows[0] === undefined ? null : toEdition(rows[0]);
    },

    async settle(edition: DigestEdition, state: "built" | "skipped", view: unknown): Promise<void> {
      await sql`
        update earshot.digests set state = ${state}, body = ${storableJson(view)}::jsonb
        where project_id = ${ALL_PROJECTS} and name = ${edition.name} and local_date = ${edition.localDate}
      `.execute(db);
    },

    /** The content of a built edition; null before. */
    async body(name: string, localDate: string): Promise<unknown> {
      const { rows } = await sql<{ body: unknown }>`
        select body from earshot.digests
        where project_id = ${ALL_PROJECTS} and name = ${name} and local_date = ${localDate}
      `.execute(db);
      return rows[0]?.body ?? null;
    },

    /** Receivers who unsubscribed. */
    async unsubscribed(name: string): Promise<string[]> {
      const { rows } = await sql<{ receiver: string }>`
        select receiver from earshot.unsubscribed where digest_name = ${name}
      `.execute(db);
      return rows.map(({ receiver }) => receiver);
    },

    /** Unsubscribes a receiver, or subscribes it again. */
    async setSubscribed(name: string, receiver: string, subscribed: boolean): Promise<void> {
      const change = subscribed
        ? sql`delete from earshot.unsubscribed where digest_name = ${name} and receiver = ${receiver}`
        : sql`insert into earshot.unsubscribed (digest_name, receiver) values (${name}, ${receiver}) on conflict do nothing`;
      await change.execute(db);
    },

    async sentiments(period: Period): Promise<{ queryId: string; sentiment: string | null; n: number }[]> {
      const { rows } = await sql<{ queryId: string; sentiment: string | null; n: number }>`
        select m.query_id as "queryId", m.sentiment, count(*) as n
        from earshot.queries q join earshot.mentions m using (project_id, query_id)
        where q.active and m.event_at >= ${at(period.from)} and m.event_at < ${at(period.to)}
        group by 1, 2
      `.execute(db);
      return rows;
    },

    /**
     * Counts of mentions of these queries by hour of the period, or by day, which begins at the period's time of day in a
     * time zone. Zeros are left out.
     */
    async volume(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
      period: Period,
      { step, timezone }: { readonly step: "hour" | "day"; readonly timezone: string },
    ): Promise<{ step: number; mentions: number; negative: number }[]> {
      const zone = zoneForSql(timezone);
      const place =
        step === "hour"
          ? sql`floor(extract(epoch from m.event_at - ${at(period.from)}::timestamptz) / 3600)::int`
          : sql`greatest(0, floor(extract(epoch from (m.event_at at time zone ${zone})
              - (${at(period.from)}::timestamptz at time zone ${zone})) / 86400))::int`;
      const { rows } = await sql<{ step: number; mentions: number; negative: number }>`
        select ${place} as step, count(*)::int as mentions,
          (count(*) filter (where m.sentiment = 'negative'))::int as negative
        from json_to_recordset(${storableJson(queries)}::json) as q("projectId" text, "queryId" text)
        join earshot.mentions m on m.project_id = "projectId" and m.query_id = "queryId"
          and m.event_at >= ${at(period.from)} and m.event_at < ${at(period.to)}
        group by 1 order by 1
      `.execute(db);
      return rows;
    },

    /** The stories of a period with the most mentions, each with its mention of the largest reach. */
    async stories(
      queries: readonly { readonly projectId: string; readonly queryId: string }[],
      period: Period,
    ): Promise<PeriodStory[]> {
      const { rows } = await sql<PeriodStory>`
        with chosen as (
          select m.project_id, m.query_id, m.story, count(*) as mentions,
            count(*) filter (where m.sentiment = 'negative') as negative,
            count(distinct coalesce(m.body->>'author', m.resource_id)) as distinct_authors,
            least(sum(greatest(m.reach, 0)), 1e15)::double precision as audience, min(m.event_at) as first_at,
            -- The original before its reposts, which have its words, and a link and a reach of their own.
            (array_agg(m.resource_id order by m.body->>'repostOf' is null and not (coalesce(m.body->>'text', '') ^@ 'RT @') desc,
              m.reach desc nulls last, m.event_at, m.resource_id))[1] as top_id
          from json_to_recordset(${storableJson(queries)}::json) as q("projectId" text, "queryId" text)
          join earshot.mentions m on m.project_id = "projectId" and m.query_id = "queryId"
          where m.event_at >= ${at(period.from)} and m.event_at < ${at(period.to)}
          group by 1, 2, 3
          order by count(*) desc, max(m.reach) desc nulls last limit ${MOST_STORIES})
        select c.story, f.body as "topMention", c.mentions, c.negative,
          c.distinct_authors as "distinctAuthors", coalesce(c.audience, 0) as audience,
          c.first_at as "firstAt"
        from chosen c cross join lateral (
          select body from earshot.mentions m
          where m.project_id = c.project_id and m.query_id = c.query_id and m.resource_id = c.top_id
            and m.event_at >= ${at(period.from)} and m.event_at < ${at(period.to)} limit 1) f
      `.execute(db);
      return rows;
    },
  };
}

interface Row {
  readonly name: string;
  readonly localDate: string;
  readonly dueAt: Instant;
  readonly periodFrom: Instant;
  readonly periodTo: Instant;
  readonly beforeFrom: Instant;
  readonly beforeTo: Instant;
}

const COLUMNS = sql`name, local_date as "localDate", due_at as "dueAt", period_from as "periodFrom",
  period_to as "periodTo", before_from as "beforeFrom", before_to as "beforeTo"`;

function toEdition({
  name,
  localDate,
  dueAt,
  periodFrom,
  periodTo,
  beforeFrom,
  beforeTo,
}: Row): DigestEdition {
  return {
    name,
    localDate,
    dueAt,
    period: { from: periodFrom, to: periodTo },
    before: { from: beforeFrom, to: beforeTo },
  };
}
