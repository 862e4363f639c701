import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Actor } from "../model/alert-action.ts";
import { type AskedToForget, askedHash, FORGET_SECRET } from "../model/forget-request.ts";
import type { Mention } from "../model/mention.ts";
import { staleCounts } from "./count-mentions.ts";
import { at, type Db } from "./database.ts";
import { type FilesOutcome, rewriteTables } from "./rewrite-tables.ts";
import { createSettingStore } from "./settings.ts";

/** A mention that was taken out of the tables. */
export interface RemovedMention {
  readonly mention: Mention;
  readonly story: string;
  /** The alerts of mention rules that it met. */
  readonly alertIds: readonly string[];
}

/** Somebody's request to forget all mentions of an author or an address. */
export interface ForgetRequest {
  readonly id: string;
  readonly at: Instant;
  readonly actor: Actor;
  readonly what: AskedToForget["what"];
  /** Keyed hash of what was asked. */
  readonly asked: Buffer;
  readonly ofOneSource: boolean;
  readonly mentions: number;
  readonly alerts: number;
  /** Null where the Listening API is not ours. */
  readonly localMentions: number | null;
  /** Null before it is done, and for requests of earlier versions. */
  readonly files: FilesOutcome | null;
}

/** What a page has to be compared with before it is stored. */
export interface Refusals {
  readonly hasTombstones: boolean;
  readonly requests: readonly Pick<ForgetRequest, "at" | "asked" | "ofOneSource">[];
}

/** Tombstones and requests; mentions and what was made of them, taken out of the tables. */
export function createForgottenStore(db: Db) {
  return {
    async refusals(projectId: string, queryId: string): Promise<Refusals> {
      const { rows } = await sql<{ hasTombstones: boolean; requests: Row[] }>`
        select exists (select from earshot.tombstones where project_id = ${projectId} and query_id = ${queryId})
            as "hasTombstones",
          (select coalesce(json_agg(json_build_object('at', extract(epoch from at) * 1000,
            'asked', encode(asked, 'hex'), 'ofOneSource', of_one_source)), '[]') from earshot.forget_requests) as requests
      `.execute(db);
      const requests = rows[0]?.requests ?? [];
      return {
        hasTombstones: rows[0]?.hasTombstones ?? false,
        requests: requests.map((row) => ({ ...row, asked: Buffer.from(row.asked, "hex") })),
      };
    },

    /** Of these names, those of authors whom somebody asked to forget since then: what others count may have them still. */
    async namesAsked(names: readonly string[], since: Instant): Promise<Set<string>> {
      const secret = await createSettingStore(db).get(FORGET_SECRET);
      if (secret === null || names.length === 0) return new Set();
      const key = Buffer.from(String(secret), "base64url");
      const byHash = new Map(
        names.map((value) => [
          askedHash(key, { what: "author", value, source: null }).toString("hex"),
          value,
        ]),
      );
      const { rows } = await sql<{ asked: string }>`
        select encode(asked, 'hex') as asked from earshot.forget_requests
        where at >= ${at(since)} and asked in (select decode(h, 'hex') from unnest(${[...byHash.keys()]}::text[]) h)
      `.execute(db);
      return new Set(rows.flatMap(({ asked }) => byHash.get(asked) ?? []));
    },

    /** Those of the mentions that have a tombstone. */
    async among(projectId: string, queryId: string, resourceIds: readonly string[]): Promise<Set<string>> {
      const byHash = new Map(resourceIds.map((id) => [hashOf(id), id]));
      const { rows } = await sql<{ resource: string }>`
        select encode(resource, 'hex') as resource from earshot.tombstones
        where project_id = ${projectId} and query_id = ${queryId}
          and resource in (select decode(h, 'hex') from unnest(${[...byHash.keys()]}::text[]) h)
      `.execute(db);
      return new Set(rows.flatMap(({ resource }) => byHash.get(resource) ?? []));
    },

    /** When a mention was deleted, of each query that has its tombstone. */
    async tombstonesOf(
      resourceId: string,
    ): Promise<{ projectId: string; queryId: string; at: Instant; reason: "source" | "request" }[]> {
      const { rows } = await sql<{
        projectId: string;
        queryId: string;
        at: Instant;
        reason: "source" | "request";
      }>`
        select project_id as "projectId", query_id as "queryId", at, reason from earshot.tombstones
        where (project_id, query_id) in (select project_id, query_id from earshot.queries)
          and resource = decode(${hashOf(resourceId)}, 'hex')
      `.execute(db);
      return rows;
    },

    async addTombstones(
      projectId: string,
      queryId: string,
      mentions: readonly { readonly resourceId: string; readonly eventAt: Instant }[],
      reason: "source" | "request",
      now: Instant,
    ): Promise<void> {
      const rows = mentions.map(({ resourceId, eventAt }) => ({ h: hashOf(resourceId), e: eventAt }));
      await sql`
        insert into earshot.tombstones (project_id, query_id, resource, event_at, at, reason)
        select distinct on (h) ${projectId}, ${queryId}, decode(h, 'hex'), to_timestamp(e / 1000), ${at(now)}, ${reason}
        from json_to_recordset(${storableJson(rows)}::json) as r(h text, e double precision) order by h
        on conflict do nothing
      `.execute(db);
    },

    /** Deletes mentions with their matches, dead letters and what people decided about them, and returns those that were stored. */
    async remove(
      projectId: string,
      queryId: string,
      resourceIds: readonly string[],
    ): Promise<RemovedMention[]> {
      const ids = [...resourceIds];
      const { rows } = await sql<RemovedMention>`
        with gone as (
          delete from earshot.mentions where project_id = ${projectId} and query_id = ${queryId}
            and resource_id = any(${ids}::text[]) returning query_id, resource_id, event_at, story, body),
        stale as (${staleCounts(projectId, sql`gone`, "AtOnce")}),
        workflow as (
          delete from earshot.mention_workflow where project_id = ${projectId} and query_id = ${queryId}
            and resource_id = any(${ids}::text[])),
        edits as (
          delete from earshot.source_edits where project_id = ${projectId} and query_id = ${queryId}
            and resource_id = any(${ids}::text[])),
        steps as (
          delete from earshot.mention_steps where project_id = ${projectId} and query_id = ${queryId}
            and resource_id = any(${ids}::text[])),
        matched as (
          delete from earshot.matches where project_id = ${projectId} and query_id = ${queryId}
            and resource_id = any(${ids}::text[]) returning resource_id, alert_id)
        select body as mention, story,
          (select coalesce(json_agg(alert_id), '[]') from matched m where m.resource_id = gone.resource_id) as "alertIds"
        from gone order by resource_id
      `.execute(db);
      await this.removeDeadLetters(projectId, queryId, ids);
      return rows;
    },

    /** Dead letters contain the mention as it was read. */
    async removeDeadLetters(
      projectId: string,
      queryId: string,
      resourceIds: readonly string[],
    ): Promise<void> {
      await sql`
        delete from earshot.dead_letters where project_id = ${projectId} and query_id = ${queryId}
          and kind = 'mention' and resource_id = any(${[...resourceIds]}::text[])
      `.execute(db);
    },

    /** The alerts of the rules that stored mentions met, by mention. */
    async alertsOf(
      projectId: string,
      queryId: string,
      resourceIds: readonly string[],
    ): Promise<ReadonlyMap<string, readonly string[]>> {
      const { rows } = await sql<{ resourceId: string; ids: string[] }>`
        select resource_id as "resourceId", json_agg(alert_id) as ids from earshot.matches
        where project_id = ${projectId} and query_id = ${queryId} and resource_id = any(${[...resourceIds]}::text[])
        group by 1
      `.execute(db);
      return new Map(rows.map(({ resourceId, ids }) => [resourceId, ids]));
    },

    /**
     * Mentions of an author (handle or name) or of an address that are stored, or are dead letters. Scans all of them, for
     * a person who asks.
     */
    async findMentions(
      { what, value, source }: { what: "author" | "url"; value: string; source: string | null },
      limit: number,
    ): Promise<{ projectId: string; mention: Mention }[]> {
      const fits =
        what === "url"
          ? sql`(body->>'url' = ${value} or body->>'repostOf' = ${value})`
          : sql`(body->>'author' in (${value}, ${`@${value}`}) or body->>'authorName' = ${value})`;
      const of = sql`${fits} and (${source}::text is null or body->>'domain' = ${source} or body->>'pageType' = ${source})`;
      const { rows } = await sql<{ projectId: string; mention: Mention }>`
        select project_id as "projectId", body as mention from (
          select project_id, query_id, resource_id, body from earshot.mentions where ${of}
          union all
          select project_id, query_id, resource_id, body::json from earshot.dead_letters
          where kind = 'mention' and resource_id is not null and ${of}) found
        order by project_id, query_id, resource_id limit ${limit}
      `.execute(db);
      return rows;
    },

    async addRequest(request: ForgetRequest): Promise<void> {
      await sql`
        insert into earshot.forget_requests (id, at, actor, what, asked, of_one_source, mentions, alerts, local_mentions)
        values (${request.id}::uuid, ${at(request.at)}, ${storableJson(request.actor)}::jsonb, ${request.what},
          ${request.asked}, ${request.ofOneSource}, ${request.mentions}, ${request.alerts}, ${request.localMentions})
      `.execute(db);
    },

    /** What was deleted leaves the files of the tables, too. Not in a transaction. */
    rewriteFiles: (): Promise<FilesOutcome> => rewriteTables(db),

    /** Its result in the end. */
    async countRequest(
      id: string,
      counts: { readonly mentions: number; readonly alerts: number; readonly files: FilesOutcome },
    ): Promise<void> {
      await sql`
        update earshot.forget_requests
        set mentions = ${counts.mentions}, alerts = ${counts.alerts}, files = ${counts.files}
        where id = ${id}::uuid
      `.execute(db);
    },

    /** Messages sent about the alerts of mention rules that these mentions met, by receiver. */
    async sentAbout(
      mentions: readonly { readonly projectId: string; readonly mention: Mention }[],
    ): Promise<{ receiver: string; messages: number }[]> {
      const keys = mentions.map(({ projectId, mention }) => ({
        p: projectId,
        q: mention.queryId,
        r: mention.resourceId,
      }));
      const { rows } = await sql<{ receiver: string; messages: number }>`
        select n.receiver, count(distinct n.id) as messages
        from json_to_recordset(${storableJson(keys)}::json) as k(p text, q text, r text)
        join earshot.matches x on x.project_id = p and x.query_id = q and x.resource_id = r
        join earshot.notifications n on n.project_id = x.project_id and n.alert_id = x.alert_id and n.state = 'sent'
        group by 1 order by 1
      `.execute(db);
      return rows;
    },

    /** Silences whose matcher has this name as a label. */
    async silencesNaming(name: string): Promise<number> {
      const { rows } = await sql<{ n: number }>`
        select count(*) as n from earshot.silences
        where exists (select from jsonb_path_query(match, '$.**') v where v = to_jsonb(${name}::text))
      `.execute(db);
      return rows[0]?.n ?? 0;
    },

    async requests(limit: number): Promise<Omit<ForgetRequest, "asked">[]> {
      const { rows } = await sql<Omit<ForgetRequest, "asked">>`
        select id, at, actor, what, of_one_source as "ofOneSource", mentions, alerts, local_mentions as "localMentions", files
        from earshot.forget_requests order by at desc, id desc limit ${limit}
      `.execute(db);
      return rows;
    },
  };
}

interface Row {
  readonly at: number;
  readonly asked: string;
  readonly ofOneSource: boolean;
}

function hashOf(resourceId: string): string {
  return createHash("sha256").update(resourceId).digest("hex");
}
