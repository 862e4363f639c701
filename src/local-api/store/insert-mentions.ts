import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { exactText } from "../records/exact-text.ts";
import { isInSample } from "../records/is-in-sample.ts";
import { mentionId } from "../records/mention-id.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { packRecord } from "../records/packed-record.ts";
import type { Database } from "./database.ts";
import { putRecordShapes } from "./record-shapes.ts";

/** One version of a mention on its way into the store. The wire record carries what is not named here. */
export interface MentionVersion {
  /** From 1; later versions of the same mention have a higher number and the same `added`. */
  readonly version: number;
  readonly record: MentionRecord;
  readonly date: Instant | null;
  readonly added: Instant;
  readonly updated: Instant;
  /** From this moment on the API shows it … */
  readonly visibleAt: Instant;
  /** … until this one, when the next version takes over. */
  readonly supersededAt: Instant | null;
  /** Found by looking back rather than when it was published. */
  readonly backfilled?: boolean;
  readonly fullText: string | null;
  /** Ids for the `tag` filter; the wire record carries its tags as they are shown. */
  readonly tagIds?: readonly number[];
}

/**
 * Stores the versions that are not stored yet and gives their number; of those of a sampled query only the ones that
 * its sample keeps. The revision of the queries that grew is raised
 * in the same transaction.
 */
export async function insertMentions(db: Database, found: readonly MentionVersion[]): Promise<number> {
  if (found.length === 0) return 0;
  if (!db.isTransaction) return db.transaction().execute((own) => insertMentions(own, found));
  const percentages = await lockQueries(db, found);
  const versions = found.filter(({ record }) =>
    isInSample(record.resourceId, percentages.get(record.queryId) ?? 100),
  );
  const packed = versions.map((version) => packRecord(version.record));
  await putRecordShapes(
    db,
    packed.map((record) => record.shape),
  );
  const { rows } = await sql<{ query_id: string; inserted: string }>`
    with stored as (
      insert into local_api.mention (query_id, resource_id, version, id, date, added, updated, visible_at,
        superseded_at, impact, sentiment, page_type, language, author, backfilled, categories, tags, shape_id,
        said, full_text, exact_text)
      select query_id, resource_id, version, id, date, added, updated, visible_at, superseded_at, impact,
        sentiment, page_type, language, author, backfilled, categories::bigint[], tags::bigint[], shape_id,
        said, full_text, exact_text
      from unnest(
        ${column(versions, (v) => v.record.queryId)}::bigint[],
        ${column(versions, (v) => v.record.resourceId)}::text[],
        ${column(versions, (v) => v.version)}::integer[],
        ${column(versions, (v) => mentionId(v.added, v.record.resourceId))}::bigint[],
        ${column(versions, (v) => new Date(v.date ?? v.added))}::timestamptz[],
        ${column(versions, (v) => new Date(v.added))}::timestamptz[],
        ${column(versions, (v) => new Date(v.updated))}::timestamptz[],
        ${column(versions, (v) => new Date(v.visibleAt))}::timestamptz[],
        ${column(versions, (v) => (v.supersededAt === null ? "infinity" : new Date(v.supersededAt)))}::timestamptz[],
        ${column(versions, (v) => v.record.impact ?? -1)}::integer[],
        ${column(versions, (v) => v.record.sentiment)}::text[],
        ${column(versions, (v) => v.record.pageType)}::text[],
        ${column(versions, (v) => v.record.language)}::text[],
        ${column(versions, (v) => withoutNul(v.record.author))}::text[],
        ${column(versions, (v) => v.backfilled === true)}::boolean[],
        ${column(versions, (v) => `{${v.record.categories.join(",")}}`)}::text[],
        ${column(versions, (v) => `{${(v.tagIds ?? []).join(",")}}`)}::text[],
        ${packed.map((record) => record.shape.id)}::bigint[],
        ${packed.map((record) => record.said)}::text[],
        ${column(versions, (v) => withoutNul(v.fullText))}::text[],
        ${column(versions, (v) => exactText(v.fullText))}::text[]
      ) as given (query_id, resource_id, version, id, date, added, updated, visible_at, superseded_at, impact,
        sentiment, page_type, language, author, backfilled, categories, tags, shape_id, said, full_text, exact_text)
      on conflict (query_id, resource_id, version) do nothing
      returning query_id
    ), grown as (
      select query_id, count(*) as inserted from stored group by query_id
    )
    update local_api.query q set revision = q.revision + 1 from grown where q.id = grown.query_id
    returning q.id as query_id, grown.inserted`.execute(db);
  return rows.reduce((sum, row) => sum + Number(row.inserted), 0);
}

/**
 * In the order of their ids, so that two writers to the same queries wait for each other and never both. Gives the
 * sample percentages.
 */
async function lockQueries(db: Database, versions: readonly MentionVersion[]): Promise<Map<number, number>> {
  const ids = [...new Set(versions.map((version) => version.record.queryId))];
  const { rows } = await sql<{ id: string; sample_percentage: number }>`
    select id, sample_percentage from local_api.query where id = any(${ids}::bigint[])
    order by id for no key update`.execute(db);
  return new Map(rows.map((row) => [Number(row.id), row.sample_percentage]));
}

/** PostgreSQL keeps no NUL in text. Inside the record it is an escape sequence and arrives as it was found. */
function withoutNul(text: string | null): string | null {
  return text?.replaceAll("\0", "\uFFFD") ?? null;
}

function column<Value>(versions: readonly MentionVersion[], of: (version: MentionVersion) => Value): Value[] {
  return versions.map(of);
}
