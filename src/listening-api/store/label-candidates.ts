import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import type { CompiledQuery } from "../query-language/compile.ts";
import { searchableMention } from "../query-language/search-text.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { textAsFound } from "../records/mention-text.ts";
import type { MentionKey } from "./current-mentions.ts";
import { type Database, rowsAtATime } from "./database.ts";
import { conditionSql, NOT_DELETED, visibleSql } from "./mention-range.ts";
import { MENTION_COLUMNS, mentionCells } from "./mention-row.ts";
import type { MentionVersion } from "./mention-version.ts";
import { narrowing, searchPlan, wordsSql } from "./mention-words.ts";

/** A rule that is ready: mentions of the queries that meet all conditions and the search get the label. */
export interface ReadyRule {
  /** Undefined: of any query of the project. */
  readonly queryIds: readonly number[] | undefined;
  readonly conditions: readonly MentionCondition[];
  readonly search: CompiledQuery | undefined;
}

/** Which of the versions, by their place, meet a rule. They need not be stored: PostgreSQL is lent them as rows. */
export async function matchingVersions(
  db: Database,
  versions: readonly MentionVersion[],
  { queryIds, conditions, search }: ReadyRule,
): Promise<readonly number[]> {
  const places = versions.flatMap(({ record, fullText }, place) => {
    const isAsked = queryIds === undefined || queryIds.includes(record.queryId);
    return isAsked && (search?.matches(searchableMention(record, fullText)) ?? true) ? [place] : [];
  });
  if (conditions.length === 0 || places.length === 0) return places;
  const rows = places.map((place) => {
    const version = versions[place];
    if (version === undefined) throw new Error("a version vanished while it was labelled");
    const cells = mentionCells(version, { shape_id: 0, filled_fields: "", exact_text: null });
    return Object.fromEntries(MENTION_COLUMNS.map((column, index) => [column, cells[index]]));
  });
  const { rows: met } = await sql<{ place: string }>`
    select given.place from json_array_elements(${JSON.stringify(rows)}::json) with ordinality as given (fields, place),
      lateral json_populate_record(null::local_api.mention, given.fields) as mention
    where ${sql.join(conditions.map(conditionSql), sql` and `)}`.execute(db);
  return met.flatMap(({ place }) => places[Number(place) - 1] ?? []);
}

interface LabelCandidate extends MentionKey {
  readonly record: MentionRecord;
  readonly fullText: string | null;
}

/** Inside a transaction: shown mentions of the project that meet the conditions of a rule, may meet its search, and lack the label. */
export async function* mentionsToLabel(
  db: Database,
  which: { projectId: number; kind: "tag" | "category"; labelId: number; at: Instant; rule: ReadyRule },
  atATime: number,
): AsyncGenerator<readonly LabelCandidate[]> {
  const { queryIds, conditions, search } = which.rule;
  const narrow = search === undefined ? null : narrowing(searchPlan(search.expression));
  const labels = sql.ref(which.kind === "tag" ? "tags" : "categories");
  const among = queryIds === undefined ? sql`true` : sql`query_id = any(${queryIds}::bigint[])`;
  const select = sql<Row>`
    select query_id, resource_id, full_text, exact_text,
      filled_fields || (select empty_fields from local_api.record_shape where id = shape_id) as record
    from local_api.mention m
    where query_id in (select id from local_api.query where project_id = ${which.projectId}) and ${among}
      and ${visibleSql(which.at)} and ${NOT_DELETED} and not (${which.labelId}::bigint = any(${labels}))
      and ${narrow === null ? sql`true` : wordsSql(narrow)}
      and ${sql.join([sql`true`, ...conditions.map(conditionSql)], sql` and `)}`;
  for await (const rows of rowsAtATime(db, select, atATime)) yield rows.map(toCandidate);
}

interface Row {
  query_id: string;
  resource_id: string;
  full_text: string | null;
  exact_text: string | null;
  record: string;
}

function toCandidate(row: Row): LabelCandidate {
  return {
    queryId: Number(row.query_id),
    resourceId: row.resource_id,
    record: JSON.parse(row.record) as MentionRecord,
    fullText: textAsFound(row),
  };
}
