import { sql } from "kysely";
import type { FoundMention, MentionCondition } from "../filters/mention-condition.ts";
import type { CompiledQuery } from "../query-language/compile.ts";
import type { Expression } from "../query-language/expression.ts";
import type { KnownFields } from "../query-language/fields/field.ts";
import { partsOf } from "../query-language/parts-of.ts";
import { searchableMention } from "../query-language/searchable-mention.ts";
import { textAsFound } from "../records/exact-text.ts";
import type { Database } from "./database.ts";
import { type MentionRange, rangeSql } from "./mention-range.ts";
import { readRevision } from "./mention-totals.ts";
import { requiredSql } from "./mention-words.ts";
import { createRecordShapes, type RecordShapes } from "./record-shapes.ts";

export interface MentionSearches {
  /**
   * What a Boolean text finds in a range, as a condition that every statement can use. PostgreSQL picks what has the
   * words that the text requires, the matcher judges each of these: the answer is exact.
   */
  find(query: CompiledQuery, range: MentionRange): Promise<MentionCondition>;
}

/** Mentions looked at between two breaths of the server. */
const AT_A_TIME = 1_000;
/** Found mentions that are remembered, over all searches: about 100 MB. */
const REMEMBERED = 1_000_000;

type Found = Extract<MentionCondition, { kind: "found" }>;

/**
 * Every page of a walk asks the same search, and its total too. So what was found is remembered until one of the
 * queries gets mentions or changes. All versions of mentions are looked at, whenever they are shown: the moment of
 * looking plays no part.
 */
export function createMentionSearches(db: Database): MentionSearches {
  const shapes = createRecordShapes(db);
  const remembered = new Map<string, Promise<Found>>();
  const sizes = new Map<string, number>();

  function forgetOldest(): void {
    let total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
    for (const [key, size] of sizes) {
      if (total <= REMEMBERED) break;
      total -= size;
      sizes.delete(key);
      remembered.delete(key);
    }
  }

  return {
    async find(query, range) {
      const revision = await readRevision(db, range.queryIds);
      const key = JSON.stringify([query.text, range, revision]);
      const known = remembered.get(key);
      if (known !== undefined) return known;
      const search = findAll({ db, shapes }, query, range).then((mentions): Found => {
        return { kind: "found", text: query.text, revision, mentions };
      });
      remembered.set(key, search);
      search.then(
        ({ mentions }) => {
          sizes.set(key, mentions.length + 100);
          forgetOldest();
        },
        () => remembered.delete(key),
      );
      return search;
    },
  };
}

async function findAll(
  { db, shapes }: { db: Database; shapes: RecordShapes },
  query: CompiledQuery,
  range: MentionRange,
): Promise<FoundMention[]> {
  const found: FoundMention[] = [];
  const needsRecord = hasFields(query.expression);
  let after: FoundMention | undefined;
  do {
    const rows = await readCandidates(db, { query, range, after, needsRecord });
    const silences = needsRecord
      ? await shapes.read(new Set(rows.map((row) => Number(row.shape_id))))
      : new Map<number, string>();
    for (const row of rows) if (query.matches(searchable(row, silences))) found.push(keyOf(row));
    const last = rows.at(-1);
    after = last === undefined || rows.length < AT_A_TIME ? undefined : keyOf(last);
  } while (after !== undefined);
  return found;
}

interface Candidate {
  query_id: string;
  resource_id: string;
  version: number;
  title: string | null;
  full_text: string | null;
  exact_text: string | null;
  said: string | null;
  shape_id: string;
}

/** In the order of the key, some at a time: no search holds the texts of a whole range. */
async function readCandidates(
  db: Database,
  {
    query,
    range,
    after,
    needsRecord,
  }: { query: CompiledQuery; range: MentionRange; after: FoundMention | undefined; needsRecord: boolean },
): Promise<Candidate[]> {
  const isAhead =
    after === undefined
      ? sql`true`
      : sql`(query_id, resource_id, version) > (${after.queryId}, ${after.resourceId}, ${after.version})`;
  const { rows } = await sql<Candidate>`
    select query_id, resource_id, version, title, full_text, exact_text, shape_id,
      ${needsRecord ? sql`said` : sql`null`} as said
    from local_api.mention
    where query_id = any(${range.queryIds}::bigint[]) and ${rangeSql(range)} and ${requiredSql(query.required)}
      and ${isAhead}
    order by query_id, resource_id, version limit ${AT_A_TIME}`.execute(db);
  return rows;
}

/** A flag that is false is among what the record is silent about. */
function searchable(row: Candidate, silences: ReadonlyMap<number, string>) {
  const silence = silences.get(Number(row.shape_id)) ?? "}";
  const known: KnownFields = row.said === null ? { title: row.title } : JSON.parse(row.said + silence);
  return searchableMention(known, textAsFound(row));
}

function keyOf(row: Candidate): FoundMention {
  return { queryId: Number(row.query_id), resourceId: row.resource_id, version: row.version };
}

/** Whether anything but title and text is asked about. Not by recursion: a query may be nested deeply. */
function hasFields(expression: Expression): boolean {
  const open: Expression[] = [expression];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next.kind === "field") return true;
    for (const part of partsOf(next)) open.push(part);
  }
  return false;
}
