import { sql } from "kysely";
import { exactText } from "../records/exact-text.ts";
import { isInSample } from "../records/is-in-sample.ts";
import { packRecord } from "../records/packed-record.ts";
import type { Database } from "./database.ts";
import { textOf } from "./mention-facts.ts";
import { ensureMentionMonths } from "./mention-months.ts";
import { MENTION_COLUMNS, mentionRow } from "./mention-row.ts";
import type { MentionVersion } from "./mention-version.ts";
import { putRecordShapes } from "./record-shapes.ts";

/**
 * Stores the versions that are not stored yet and gives their number; of those of a sampled query only the ones that
 * its sample keeps. The revision of the queries that grew is raised in the same transaction. Throws when a query does
 * not exist.
 */
export async function insertMentions(db: Database, found: readonly MentionVersion[]): Promise<number> {
  if (found.length === 0) return 0;
  if (!db.isTransaction) return db.transaction().execute((own) => insertMentions(own, found));
  await ensureMentionMonths(
    db,
    found.map((version) => version.date ?? version.added),
  );
  const percentages = await lockQueries(db, found);
  const versions = found.filter(({ record }) =>
    isInSample(record.resourceId, percentages.get(record.queryId) ?? 100),
  );
  const packed = versions.map((version) => packRecord(version.record));
  await putRecordShapes(
    db,
    packed.map((record) => record.shape),
  );
  const given = versions.map((version, index) =>
    mentionRow(version, {
      shape_id: packed[index]?.shape.id ?? 0,
      said: packed[index]?.said ?? "",
      exact_text: exactText(textOf(version)),
    }),
  );
  // What is stored already is looked for by hand: a unique key over months would have to hold the date. The lock on
  // its query keeps every other writer away meanwhile.
  const { rows } = await sql<{ query_id: string; inserted: string }>`
    with stored as (
      insert into local_api.mention (${COLUMNS})
      select distinct on (query_id, resource_id, version) ${COLUMNS}
      from json_populate_recordset(null::local_api.mention, ${`[${given.join(",")}]`}::json) as given
      where not exists (select from local_api.mention m
        where m.query_id = given.query_id and m.resource_id = given.resource_id and m.version = given.version)
      returning query_id
    ), grown as (
      select query_id, count(*) as inserted from stored group by query_id
    )
    update local_api.query q set revision = q.revision + 1 from grown where q.id = grown.query_id
    returning q.id as query_id, grown.inserted`.execute(db);
  return rows.reduce((sum, row) => sum + Number(row.inserted), 0);
}

const COLUMNS = sql.join(MENTION_COLUMNS.map((name) => sql.ref(name)));

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
