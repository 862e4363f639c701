import { sql } from "kysely";
import { createPause } from "../../lib/concurrency.ts";
import { storableText } from "../../lib/text.ts";
import { isInSample } from "../records/mention-id.ts";
import { exactText } from "../records/mention-text.ts";
import { packRecord, type RecordShape } from "../records/packed-record.ts";
import { announceArrivals } from "./arrivals.ts";
import { copyLines, type Database } from "./database.ts";
import { ensureMentionMonths } from "./mention-months.ts";
import { putRecordShapes } from "./mention-records.ts";
import { copyLine, MENTION_COLUMNS, mentionCells } from "./mention-row.ts";
import { type MentionVersion, textOf } from "./mention-version.ts";

/**
 * Stores the versions that are not stored yet and gives their number; of those of a sampled query only the ones that
 * its sample keeps. The revision of the queries that grew is raised in the same transaction. Throws when a query does
 * not exist.
 */
export async function insertMentions(db: Database, found: readonly MentionVersion[]): Promise<number> {
  if (found.length === 0) return 0;
  if (!db.isTransaction) return db.transaction().execute((own) => insertMentions(own, found));
  // Before the months: whoever drops old ones locks in this order, too.
  const percentages = await lockQueries(db, found);
  await ensureMentionMonths(
    db,
    found.map((version) => version.date ?? version.added),
  );
  const kept = found.filter(({ record }) =>
    isInSample(record.resourceId, percentages.get(record.queryId) ?? 100),
  );
  const versions = await missingVersions(db, kept);
  if (versions.length === 0) return 0;
  const shapes = new Map<number, RecordShape>();
  const pause = createPause();
  for (const { record } of versions) {
    const { shape } = packRecord(record);
    shapes.set(shape.id, shape);
    await pause();
  }
  await putRecordShapes(db, [...shapes.values()]);
  await copyLines(db, COPY, linesOf(versions));
  await sql`
    update local_api.query set revision = revision + 1
    where id = any(${[...new Set(versions.map(({ record }) => record.queryId))]}::bigint[])`.execute(db);
  await announceArrivals(db, versions);
  return versions.length;
}

/** Some at a time: all of them together may be hundreds of megabytes. */
async function* linesOf(versions: readonly MentionVersion[]): AsyncGenerator<string> {
  const pause = createPause();
  let lines = "";
  for (const version of versions) {
    const { shape, filledFields } = packRecord(version.record);
    const exact = exactText(textOf(version));
    lines += copyLine(
      mentionCells(version, { shape_id: shape.id, filled_fields: filledFields, exact_text: exact }),
    );
    if (lines.length > LINES_AT_ONCE) {
      yield lines;
      lines = "";
    }
    await pause();
  }
  yield lines;
}

const LINES_AT_ONCE = 64_000;
const COPY = `copy local_api.mention (${MENTION_COLUMNS.join(", ")}) from stdin`;

/**
 * What is not stored yet, each once. A version that is older than what is stored is not missing: it was taken away, when
 * the mention was deleted, or changed by its author. A unique key over months would have to hold the date, so that it is looked for by
 * hand; the lock on its query keeps every other writer away meanwhile.
 */
async function missingVersions(db: Database, versions: readonly MentionVersion[]): Promise<MentionVersion[]> {
  const given = new Map<string, MentionVersion>();
  for (const version of versions) {
    const { queryId, resourceId } = version.record;
    const key = `${queryId} ${version.version} ${storableText(resourceId)}`;
    if (!given.has(key)) given.set(key, version);
  }
  const distinct = [...given.values()];
  const { rows } = await sql<{ place: string }>`
    select given.place
    from unnest(
      ${distinct.map(({ record }) => record.queryId)}::bigint[],
      ${distinct.map(({ record }) => storableText(record.resourceId))}::text[],
      ${distinct.map(({ version }) => version)}::integer[]
    ) with ordinality as given (query_id, resource_id, version, place)
    where exists (select from local_api.mention m
      where m.query_id = given.query_id and m.resource_id = given.resource_id and m.version >= given.version)
  `.execute(db);
  const stored = new Set(rows.map(({ place }) => Number(place) - 1));
  return distinct.filter((_, place) => !stored.has(place));
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
  if (rows.length < ids.length) throw new Error(`not all of the queries ${ids.join(", ")} exist`);
  return new Map(rows.map((row) => [Number(row.id), row.sample_percentage]));
}

/** After a large write, so that the planner takes the index at once instead of when autovacuum comes by. */
export async function refreshMentionStatistics(db: Database): Promise<void> {
  await sql`analyze local_api.mention`.execute(db);
}
