import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { MentionCondition } from "../filters/mention-condition.ts";
import type { CompiledQuery } from "../query-language/compile.ts";
import { type Expression, partsOf } from "../query-language/expression.ts";
import type { KnownFields } from "../query-language/fields/define-field.ts";
import { searchableMention } from "../query-language/search-text.ts";
import { textAsFound } from "../records/mention-text.ts";
import { type Database, rowsAtATime } from "./database.ts";
import { type MentionRange, rangeSql } from "./mention-range.ts";
import { createRecordShapes, type RecordShapes } from "./mention-records.ts";
import { readRevision } from "./mention-totals.ts";
import { CUT, narrowing, PLACES_LOST, searchPlan, wordsSql } from "./mention-words.ts";

export interface MentionSearches {
  /** What a Boolean text finds in a range, as a condition that every statement can use: exactly what the matcher finds. */
  find(query: CompiledQuery, range: MentionRange): Promise<MentionCondition>;
}

/** Mentions read before the server handles other requests again. */
const AT_A_TIME = 1_000;
/** Unused results are deleted after this; outdated ones, because mentions came, sooner. */
const FORGOTTEN_AFTER = "30 minutes";
const OUTDATED_AFTER = "5 minutes";

type FoundCondition = Extract<MentionCondition, { kind: "found" }>;

/**
 * If the index on words decides, the search is a condition on them, and a page costs no more than usual. Else the index
 * narrows the range, the matcher checks the rest, and a table stores what it found: every page of the same search uses
 * it, and its total too. It is used until one of the queries gets mentions or changes. All versions of mentions are
 * checked, so the moment of the request does not count.
 */
export function createMentionSearches(db: Database): MentionSearches {
  const shapes = createRecordShapes(db);
  /** So that simultaneous requests search once. */
  const underWay = new Map<string, Promise<FoundCondition>>();

  return {
    async find(query, range) {
      const plan = searchPlan(query.expression);
      const lost = plan.needsPlaces ? PLACES_LOST : CUT;
      if (plan.strict !== null && !(await hasWords(db, range, lost)))
        return { kind: "words", text: query.text, tsquery: plan.strict };
      const revision = await readRevision(db, range.queryIds);
      const key = createHash("sha256")
        .update(JSON.stringify([query.text, range]))
        .digest();
      const known = await findSearch(db, key, revision);
      if (known !== undefined) return { kind: "found", text: query.text, revision, searchId: known };
      const name = `${key.toString("hex")} ${revision}`;
      const search =
        underWay.get(name) ??
        look({ db, shapes }, { query, range, key, revision }).finally(() => underWay.delete(name));
      underWay.set(name, search);
      return search;
    },
  };
}

async function hasWords(
  db: Database,
  { queryIds, from, to }: MentionRange,
  tsquery: string,
): Promise<boolean> {
  const { rows } = await sql`
    select from local_api.mention where query_id = any(${queryIds}::bigint[])
      and date >= ${new Date(from)} and date < ${new Date(to)} and ${wordsSql(tsquery)} limit 1`.execute(db);
  return rows.length > 0;
}

async function findSearch(db: Database, key: Buffer, revision: string): Promise<number | undefined> {
  const { rows } = await sql<{ id: string }>`
    update local_api.search set used_at = clock_timestamp()
    where id = (select max(id) from local_api.search where key = ${key} and revision = ${revision})
    returning id`.execute(db);
  return rows[0] && Number(rows[0].id);
}

interface SearchRequest {
  readonly query: CompiledQuery;
  readonly range: MentionRange;
  readonly key: Buffer;
  readonly revision: string;
}

/** The search can be seen once all that it found can. */
async function look(
  { db, shapes }: { db: Database; shapes: RecordShapes },
  request: SearchRequest,
): Promise<FoundCondition> {
  const { query, range, key, revision } = request;
  const needsRecord = hasFields(query.expression);
  // Not in the transaction: others that forget the same ones would wait until all texts are read.
  await forget(db, key);
  const searchId = await db.transaction().execute(async (transaction) => {
    const { rows: made } = await sql<{ id: string }>`
      insert into local_api.search (key, revision) values (${key}, ${revision}) returning id
    `.execute(transaction);
    const id = Number(made[0]?.id);
    for await (const rows of readCandidates(transaction, { query, range, needsRecord })) {
      const emptyFields = needsRecord
        ? await shapes.read(new Set(rows.map((row) => Number(row.shape_id))))
        : new Map<number, string>();
      await keepHits(
        transaction,
        id,
        rows.filter((row) => query.matches(searchable(row, emptyFields))).map(keyOf),
      );
    }
    return id;
  });
  return { kind: "found", text: query.text, revision, searchId };
}

/**
 * Of the key there are outdated results only, or there would be no need for another one. A request that is being answered may
 * still need one.
 */
async function forget(db: Database, key: Buffer): Promise<void> {
  await sql`
    with gone as (
      delete from local_api.search where used_at < clock_timestamp() - ${FORGOTTEN_AFTER}::interval
        or (key = ${key} and used_at < clock_timestamp() - ${OUTDATED_AFTER}::interval)
      returning id)
    delete from local_api.search_hit where search_id in (select id from gone)`.execute(db);
}

interface MentionKey {
  readonly queryId: number;
  readonly resourceId: string;
  readonly version: number;
}

async function keepHits(db: Database, searchId: number, hits: readonly MentionKey[]): Promise<void> {
  if (hits.length === 0) return;
  await sql`
    insert into local_api.search_hit (search_id, query_id, resource_id, version)
    select ${searchId}, * from unnest(${hits.map((hit) => hit.queryId)}::bigint[],
      ${hits.map((hit) => hit.resourceId)}::text[], ${hits.map((hit) => hit.version)}::integer[])
  `.execute(db);
}

interface Candidate {
  query_id: string;
  resource_id: string;
  version: number;
  title: string | null;
  full_text: string | null;
  exact_text: string | null;
  filled_fields: string | null;
  shape_id: string;
}

/** Inside a transaction. One statement, some rows at a time: no search holds the texts of a whole range. */
function readCandidates(
  db: Database,
  { query, range, needsRecord }: { query: CompiledQuery; range: MentionRange; needsRecord: boolean },
): AsyncGenerator<readonly Candidate[]> {
  const narrow = narrowing(searchPlan(query.expression));
  const select = sql<Candidate>`
    select query_id, resource_id, version, title, full_text, exact_text, shape_id,
      ${needsRecord ? sql`filled_fields` : sql`null`} as filled_fields
    from local_api.mention
    where query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)}
      and ${narrow === null ? sql`true` : wordsSql(narrow)}`;
  return rowsAtATime(db, select, AT_A_TIME);
}

/** A flag that is false is among the empty fields of the record. */
function searchable(row: Candidate, emptyFields: ReadonlyMap<number, string>) {
  const end = emptyFields.get(Number(row.shape_id)) ?? "}";
  const known: KnownFields =
    row.filled_fields === null ? { title: row.title } : JSON.parse(row.filled_fields + end);
  return searchableMention(known, textAsFound(row));
}

function keyOf(row: Candidate): MentionKey {
  return { queryId: Number(row.query_id), resourceId: row.resource_id, version: row.version };
}

/** Whether it asks about anything but title and text. Not by recursion: a query may be nested deeply. */
function hasFields(expression: Expression): boolean {
  const open: Expression[] = [expression];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === "field") return true;
    for (const part of partsOf(next)) open.push(part);
  }
  return false;
}
