import { sql } from "kysely";
import { yieldingLoop } from "../../lib/concurrency.ts";
import type { Instant } from "../../lib/instant.ts";
import { textAsFound } from "../records/mention-text.ts";
import type { Database } from "./database.ts";
import { lockQueries } from "./queries.ts";

/** The visible version of a mention, with what its wire record does not contain. */
export interface CurrentMention {
  readonly queryId: number;
  readonly resourceId: string;
  readonly version: number;
  readonly added: Instant;
  readonly updated: Instant;
  readonly backfilled: boolean;
  readonly tagIds: readonly number[];
  readonly fullText: string | null;
  readonly twitterLikeCount: number | null;
  /** The fields of the wire record. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A mention in a query. */
export interface MentionKey {
  readonly queryId: number;
  readonly resourceId: string;
}

/** The visible versions of mentions, locked against other writers until the transaction ends. */
export async function takeCurrentMentions(
  db: Database,
  keys: readonly MentionKey[],
  moment: Instant,
): Promise<CurrentMention[]> {
  await lockQueries(
    db,
    keys.map(({ queryId }) => queryId),
  );
  return readCurrentMentions(db, keys, moment);
}

/** The visible versions of mentions, in the order of query and id; nothing is locked. */
export async function readCurrentMentions(
  db: Database,
  keys: readonly MentionKey[],
  moment: Instant,
): Promise<CurrentMention[]> {
  const at = new Date(moment);
  const { rows } = await sql<CurrentRow>`
    select query_id, resource_id, version, added, updated, backfilled, tags, full_text, exact_text,
      twitter_like_count, filled_fields, (select empty_fields from local_api.record_shape where id = shape_id) as empty_fields
    from local_api.mention where ${isOneOf(keys)}
      and visible_at <= ${at} and superseded_at > ${at} order by query_id, resource_id`.execute(db);
  return allCurrent(rows);
}

/** Every version of these mentions, visible or not, in no order. */
export async function readAllVersions(db: Database, keys: readonly MentionKey[]): Promise<CurrentMention[]> {
  const { rows } = await sql<CurrentRow>`
    select query_id, resource_id, version, added, updated, backfilled, tags, full_text, exact_text,
      twitter_like_count, filled_fields, (select empty_fields from local_api.record_shape where id = shape_id) as empty_fields
    from local_api.mention where ${isOneOf(keys)}`.execute(db);
  return allCurrent(rows);
}

function isOneOf(keys: readonly MentionKey[]) {
  return sql`(query_id, resource_id) in (select * from unnest(
    ${keys.map(({ queryId }) => queryId)}::bigint[], ${keys.map(({ resourceId }) => resourceId)}::text[]))`;
}

/** Each version is visible until the moment next to it. Versions for a later moment are deleted: the edit counts more. */
export async function supersedeMentions(
  db: Database,
  versions: readonly { readonly mention: CurrentMention; readonly at: Instant }[],
): Promise<void> {
  await sql`
    delete from local_api.mention m
    using unnest(
      ${versions.map(({ mention }) => mention.queryId)}::bigint[],
      ${versions.map(({ mention }) => mention.resourceId)}::text[],
      ${versions.map(({ at }) => new Date(at))}::timestamptz[]) as old (query_id, resource_id, at)
    where m.query_id = old.query_id and m.resource_id = old.resource_id and m.visible_at > old.at
  `.execute(db);
  await sql`
    update local_api.mention m set superseded_at = old.at
    from unnest(
      ${versions.map(({ mention }) => mention.queryId)}::bigint[],
      ${versions.map(({ mention }) => mention.resourceId)}::text[],
      ${versions.map(({ mention }) => mention.version)}::integer[],
      ${versions.map(({ at }) => new Date(at))}::timestamptz[]) as old (query_id, resource_id, version, at)
    where m.query_id = old.query_id and m.resource_id = old.resource_id and m.version = old.version
  `.execute(db);
}

interface CurrentRow {
  query_id: string;
  resource_id: string;
  version: number;
  added: Date;
  updated: Date;
  backfilled: boolean;
  tags: string[];
  full_text: string | null;
  exact_text: string | null;
  twitter_like_count: string | null;
  filled_fields: string;
  empty_fields: string;
}

function allCurrent(rows: readonly CurrentRow[]): Promise<CurrentMention[]> {
  return yieldingLoop(
    (function* () {
      const mentions: CurrentMention[] = [];
      for (const row of rows) {
        mentions.push(toCurrent(row));
        yield;
      }
      return mentions;
    })(),
  );
}

function toCurrent(row: CurrentRow): CurrentMention {
  return {
    queryId: Number(row.query_id),
    resourceId: row.resource_id,
    version: row.version,
    added: row.added.getTime(),
    updated: row.updated.getTime(),
    backfilled: row.backfilled,
    tagIds: row.tags.map(Number),
    fullText: textAsFound(row),
    twitterLikeCount: row.twitter_like_count === null ? null : Number(row.twitter_like_count),
    // A false flag is among the empty fields of the record, and must stay.
    fields: JSON.parse(row.filled_fields + row.empty_fields) as CurrentMention["fields"],
  };
}
