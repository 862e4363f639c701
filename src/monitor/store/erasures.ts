import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { DigestEdition } from "../model/digest.ts";
import { at, type Db } from "./database.ts";

/** An alert that may show something of a mention. */
export interface AlertContent {
  readonly id: string;
  readonly rule: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly explanation: unknown;
  readonly windowFrom: Instant;
  readonly windowTo: Instant;
  readonly lastSeenAt: Instant;
}

/** What was made of mentions, such as alerts and digests, when their content has to go. */
export function createErasureStore(db: Db) {
  return {
    /** These alerts of a query, and those on windows that may have counted a mention of [from, to]. */
    async alertsAbout(
      { projectId, queryId }: { readonly projectId: string; readonly queryId: string },
      ids: readonly string[],
      { from, to }: { readonly from: Instant; readonly to: Instant },
    ): Promise<AlertContent[]> {
      const { rows } = await sql<AlertContent>`
        select id, rule, labels, explanation, window_from as "windowFrom", window_to as "windowTo",
          last_seen_at as "lastSeenAt"
        from earshot.alerts where project_id = ${projectId} and query_id = ${queryId}
          and (id = any(${[...ids]}::uuid[]) or (window_to > window_from
            -- An earlier window of the same length may have been explained.
            and least(window_from, opened_at - (window_to - window_from)) <= ${at(to)}
            and greatest(window_to, last_seen_at) >= ${at(from)}))
      `.execute(db);
      return rows;
    },

    /** Replaces what an alert says of mentions, and makes its live messages show it. */
    async saveAlert(
      projectId: string,
      alert: Pick<AlertContent, "id" | "labels" | "explanation">,
      { matched, forgotten }: { readonly matched: number; readonly forgotten: number },
    ): Promise<void> {
      await sql`
        update earshot.alerts set labels = ${storableJson(alert.labels)}::jsonb,
          explanation = nullif(${storableJson(alert.explanation ?? null)}::jsonb, 'null'::jsonb),
          mentions = greatest(0, mentions - ${matched}::int), forgotten = forgotten + ${forgotten}::int,
          content_version = content_version + 1
        where project_id = ${projectId} and id = ${alert.id}::uuid
      `.execute(db);
      await sql`
        update earshot.alert_messages set watched = true, next_edit_wall = now(), attempts = 0
        where project_id = ${projectId} and alert_id = ${alert.id}::uuid
      `.execute(db);
      await this.correct(sql`n.project_id = ${projectId} and n.alert_id = ${alert.id}::uuid`);
    },

    /**
     * How many mentions of the alert were deleted, how often its content changed, and its insights: null before it was sent.
     * Their shape belongs to `alerts`.
     */
    async contentOf(projectId: string, alertId: string): Promise<StoredContent> {
      const { rows } = await sql<StoredContent>`
        select forgotten, content_version as version, explanation from earshot.alerts
        where project_id = ${projectId} and id = ${alertId}::uuid
      `.execute(db);
      return rows[0] ?? { forgotten: 0, version: 0, explanation: null };
    },

    /**
     * Editions whose period has one of these moments, locked until the transaction ends: one that is being built is
     * waited for, and one that is built later finds no mention any more.
     */
    async digestsOf(moments: readonly Instant[]): Promise<{ edition: DigestKey; body: unknown }[]> {
      const { rows } = await sql<{ edition: DigestKey; body: unknown }>`
        select json_build_object('name', name, 'localDate', local_date,
          'from', extract(epoch from period_from) * 1000, 'to', extract(epoch from period_to) * 1000) as edition, body
        from earshot.digests d where exists (
          select from json_array_elements_text(${storableJson(moments)}::json) m
          where to_timestamp(m::double precision / 1000) >= d.period_from
            and to_timestamp(m::double precision / 1000) < d.period_to)
        order by name, local_date for update
      `.execute(db);
      return rows.filter(({ body }) => body !== null);
    },

    async saveDigest({ name, localDate }: DigestKey, body: unknown): Promise<void> {
      await sql`
        update earshot.digests set body = ${storableJson(body)}::jsonb where name = ${name} and local_date = ${localDate}
      `.execute(db);
      await this.correct(sql`n.digest_name = ${name} and n.digest_date = ${localDate}`);
    },

    /** Of these authors and hashtags, those that some mention of the period still has. Hashtags without #, in lower case. */
    async stillUsed(
      { from, to }: { readonly from: Instant; readonly to: Instant },
      { authors, hashtags }: { readonly authors: readonly string[]; readonly hashtags: readonly string[] },
    ): Promise<{ authors: string[]; hashtags: string[] }> {
      const { rows } = await sql<{ authors: string[] | null; hashtags: string[] | null }>`
        with period as (
          select m.body from earshot.queries q join earshot.mentions m using (project_id, query_id)
          where m.event_at >= ${at(from)} and m.event_at < ${at(to)})
        select (select json_agg(distinct name) from period,
            lateral (values (body->>'author'), (body->>'authorName')) v(name)
            where name = any(${[...authors]}::text[])) as authors,
          (select json_agg(distinct lower(ltrim(tag, '#'))) from period,
            lateral json_array_elements_text(case when json_typeof(body->'hashtags') = 'array'
              then body->'hashtags' else '[]' end) h(tag)
            where lower(ltrim(tag, '#')) = any(${[...hashtags]}::text[])) as hashtags
      `.execute(db);
      return { authors: rows[0]?.authors ?? [], hashtags: rows[0]?.hashtags ?? [] };
    },

    /**
     * Messages that were sent, or may have been, are to be corrected. Several notifications in one message are one
     * correction: that of the first.
     */
    async correct(which: ReturnType<typeof sql>): Promise<void> {
      // Who would claim one now waits until the old words are gone: else it would send them, and nobody would know.
      await sql`
        select from earshot.notifications n where ${which} and n.state = 'due' and n.kind <> 'test' order by n.id
        for no key update
      `.execute(db);
      // The subject of a mail names the author.
      await sql`
        update earshot.notifications n set vendor_ref = vendor_ref - 'subject' where ${which} and vendor_ref ? 'subject'
      `.execute(db);
      await sql`
        insert into earshot.corrections as c (project_id, notification_id, version)
        select n.project_id, n.id, coalesce((n.vendor_ref->>'corrected')::int, 0) + 1 from earshot.notifications n
        where ${which} and (n.state = 'sent' or n.attempts > 0) and n.kind <> 'test'
          and not exists (select from earshot.notifications e where e.project_id = n.project_id and e.id < n.id
            and e.alert_id = n.alert_id and e.receiver = n.receiver
            and e.vendor_ref->>'ts' = n.vendor_ref->>'ts')
        on conflict (project_id, notification_id) do update
          set version = c.version + 1, next_try_wall = now(), attempts = 0, problem = null
      `.execute(db);
    },
  };
}

interface StoredContent {
  readonly forgotten: number;
  readonly version: number;
  readonly explanation: unknown;
}

interface DigestKey extends Pick<DigestEdition, "name" | "localDate"> {
  readonly from: Instant;
  readonly to: Instant;
}
