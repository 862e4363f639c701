import { type RawBuilder, sql } from "kysely";
import { createPause } from "../../lib/concurrency.ts";
import type { Instant } from "../../lib/instant.ts";
import type { MentionCondition } from "../filters/mention-condition.ts";
import type { CompiledQuery } from "../query-language/compile.ts";
import { createQueryIndex } from "../query-language/query-index.ts";
import { searchableMention } from "../query-language/search-text.ts";
import type { MentionRecord } from "../records/mention-record.ts";
import { textAsFound } from "../records/mention-text.ts";
import type { MentionKey } from "./current-mentions.ts";
import { type Database, rowsAtATime } from "./database.ts";
import { conditionSql, NOT_DELETED, visibleSql } from "./mention-range.ts";
import { MENTION_COLUMNS, mentionCells } from "./mention-row.ts";
import type { MentionVersion } from "./mention-version.ts";
import { narrowing, searchPlan, wordsSql } from "./mention-words.ts";
import { RECEIVED_TYPE } from "./received-items.ts";

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
  const pause = createPause();
  const places: number[] = [];
  for (const [place, { record, fullText }] of versions.entries()) {
    await pause();
    if (queryIds !== undefined && !queryIds.includes(record.queryId)) continue;
    if (search?.matches(searchableMention(record, fullText)) ?? true) places.push(place);
  }
  if (conditions.length === 0 || places.length === 0) return places;
  const { rows: met } = await sql<{ place: string }>`
    select given.place from ${await lentRows(versions, places)}
    where ${sql.join(conditions.map(conditionSql), sql` and `)}`.execute(db);
  return met.flatMap(({ place }) => places[Number(place) - 1] ?? []);
}

/** Conditions of so many rules go into one statement. */
const RULES_AT_ONCE = 200;

/** Which of the rules, by their place, each of the versions meets. As `matchingVersions`, for any number of rules. */
export async function rulesMet(
  db: Database,
  versions: readonly MentionVersion[],
  rules: readonly ReadyRule[],
): Promise<readonly ReadonlySet<number>[]> {
  const searching = rules.flatMap(({ search }, id) => (search === undefined ? [] : [{ id, query: search }]));
  const index = createQueryIndex(searching);
  const pause = createPause();
  const candidates: (readonly number[])[] = [];
  for (const { record, fullText } of versions) {
    await pause();
    const found = new Set(searching.length === 0 ? [] : index.matching(searchableMention(record, fullText)));
    candidates.push(
      rules.flatMap(({ queryIds, search }, rule) => {
        const isAsked = queryIds === undefined || queryIds.includes(record.queryId);
        return isAsked && (search === undefined || found.has(rule)) ? [rule] : [];
      }),
    );
  }
  const met = candidates.map((some) => new Set(some.filter((rule) => rules[rule]?.conditions.length === 0)));
  const conditional = [...new Set(candidates.flat())].filter((rule) => rules[rule]?.conditions.length !== 0);
  for (let from = 0; from < conditional.length; from += RULES_AT_ONCE) {
    const chunk = new Set(conditional.slice(from, from + RULES_AT_ONCE));
    const places = versions.flatMap((_, place) =>
      candidates[place]?.some((rule) => chunk.has(rule)) ? [place] : [],
    );
    const columns = [...chunk].map(
      (rule) =>
        sql`case when ${sql.join(rules[rule]?.conditions.map(conditionSql) ?? [], sql` and `)}
          then ${rule}::integer end`,
    );
    const { rows } = await sql<{ place: string; met: number[] }>`
      select given.place, array_remove(array[${sql.join(columns)}], null) as met
      from ${await lentRows(versions, places)}`.execute(db);
    for (const row of rows) {
      const place = places[Number(row.place) - 1] ?? 0;
      for (const rule of row.met) if (candidates[place]?.includes(rule)) met[place]?.add(rule);
    }
  }
  return met;
}

/** Versions that need not be stored, as rows of PostgreSQL. */
async function lentRows(
  versions: readonly MentionVersion[],
  places: readonly number[],
): Promise<RawBuilder<unknown>> {
  const pause = createPause();
  const rows: string[] = [];
  for (const place of places) {
    await pause();
    const version = versions[place];
    if (version === undefined) throw new Error("a version vanished while its rules were judged");
    const cells = mentionCells(version, { shape_id: 0, filled_fields: "", exact_text: null });
    rows.push(
      JSON.stringify(Object.fromEntries(MENTION_COLUMNS.map((column, index) => [column, cells[index]]))),
    );
  }
  return sql`json_array_elements(${`[${rows.join(",")}]`}::json) with ordinality as given (fields, place),
    lateral json_populate_record(null::local_api.mention, given.fields) as mention`;
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

/** Every query of the project, with the hidden one of its feeds. */
export async function queriesHoldingMentions(
  db: Database,
  projectId: number,
): Promise<readonly { readonly id: number; readonly isHidden: boolean }[]> {
  const { rows } = await sql<{ id: string; hidden: boolean }>`
    select id, type = ${RECEIVED_TYPE} as hidden from local_api.query where project_id = ${projectId} order by id
  `.execute(db);
  return rows.map(({ id, hidden }) => ({ id: Number(id), isHidden: hidden }));
}

/** The keys of the next mentions of a query that are shown, in the order of their ids. */
export async function nextKeys(
  db: Database,
  which: { readonly queryId: number; readonly after: string; readonly at: Instant },
  limit: number,
): Promise<readonly MentionKey[]> {
  const { queryId, after, at } = which;
  const { rows } = await sql<{ resource_id: string }>`
    select resource_id from local_api.mention
    where query_id = ${queryId} and resource_id > ${after} and ${visibleSql(at)}
    order by resource_id limit ${limit}`.execute(db);
  return rows.map(({ resource_id: resourceId }) => ({ queryId, resourceId }));
}

/** Those of the mentions that meet the conditions of a rule at that moment, to be searched. Tombstones meet none. */
export async function meetingConditions(
  db: Database,
  keys: readonly MentionKey[],
  conditions: readonly MentionCondition[],
  at: Instant,
): Promise<readonly LabelCandidate[]> {
  const { rows } = await sql<Row>`
    select query_id, resource_id, full_text, exact_text,
      filled_fields || (select empty_fields from local_api.record_shape where id = shape_id) as record
    from local_api.mention
    where (query_id, resource_id) in (select * from unnest(
        ${keys.map(({ queryId }) => queryId)}::bigint[], ${keys.map(({ resourceId }) => resourceId)}::text[]))
      and resource_type is distinct from 'deleted'
      and ${sql.join([visibleSql(at), ...conditions.map(conditionSql)], sql` and `)}`.execute(db);
  return rows.map(toCandidate);
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
