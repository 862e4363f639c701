import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import { compile } from "../query-language/compile.ts";
import { QueryTextError } from "../query-language/problem.ts";
import type { Database } from "./database.ts";
import { NOT_DELETED, visibleSql } from "./mention-range.ts";
import { RECEIVED_TYPE } from "./received-items.ts";

export const QUERY_TYPES = ["search string", "twitter", "facebook", "instagram"] as const;
export type QueryType = (typeof QUERY_TYPES)[number];

export interface StoredQuery {
  readonly id: number;
  readonly name: string;
  readonly type: string;
  readonly createdAt: Instant;
  readonly lastModifiedAt: Instant;
  readonly lastModifiedUsername: string;
  /** What part of the mentions that match is kept; 100: all of them. */
  readonly samplePercentage: number;
  /** The Boolean text; null where mentions come into the query by its name alone. */
  readonly text: string | null;
  readonly description: string;
  /** Codes of ISO 639-1 to which the text is limited; none: any language. */
  readonly languages: readonly string[];
  /** Page types to which the text is limited; null: any. */
  readonly contentSources: readonly string[] | null;
  /** From when on its mentions are; null: from when it was made. */
  readonly startDate: Instant | null;
  /** Ids of places to which the text is limited; none: anywhere, known or not. */
  readonly includedLocations: readonly string[];
  readonly excludedLocations: readonly string[];
  /** The name of its type that the program which made it used; null: today's. */
  readonly typeName: string | null;
}

/** All of the project but the hidden one of its feeds. */
export async function listQueries(db: Database, projectId: number): Promise<StoredQuery[]> {
  const { rows } = await sql<QueryRow>`
    select id, name, type, created_at, last_modified_at, last_modified_username, sample_percentage,
      boolean_text, description, languages, content_sources, start_date, included_locations, excluded_locations,
      type_name
    from local_api.query where project_id = ${projectId} and type <> ${RECEIVED_TYPE} order by id
  `.execute(db);
  return rows.map(toQuery);
}

/** The percentages that the queries of a project keep, by id, as `listQueries` has them: there may be thousands. */
export async function listPercentages(db: Database, projectId: number): Promise<ReadonlyMap<number, number>> {
  const { rows } = await sql<{ found: readonly (readonly [number, number])[] }>`
    select coalesce(json_agg(json_build_array(id, sample_percentage) order by id), '[]') as found
    from local_api.query where project_id = ${projectId} and type <> ${RECEIVED_TYPE}
  `.execute(db);
  return new Map(rows[0]?.found ?? []);
}

/** How often the mentions of the query were written to; null if the id is that of none, or not one id. */
export async function readRevisionOf(db: Database, queryId: unknown): Promise<string | null> {
  if (typeof queryId !== "string" || !/^\d{1,15}$/.test(queryId)) return null;
  return (await readRevisionsOf(db, [Number(queryId)])).get(Number(queryId)) ?? null;
}

/** How often the mentions of each of these queries were written to, by id. */
export async function readRevisionsOf(
  db: Database,
  queryIds: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  const { rows } = await sql<{ id: string; revision: string }>`
    select id::text as id, revision::text as revision from local_api.query where id = any(${[...queryIds]}::bigint[])
  `.execute(db);
  return new Map(rows.map(({ id, revision }) => [Number(id), revision]));
}

/** Ids of the queries in the groups, by group; a group of another project is missing from the map. */
export async function listGroupMembers(
  db: Database,
  projectId: number,
  groupIds: readonly number[],
): Promise<Map<number, number[]>> {
  const { rows } = await sql<{ id: string; members: string[] }>`
    select g.id, coalesce(array_agg(m.query_id) filter (where m.query_id is not null), '{}') as members
    from local_api.query_group g left join local_api.query_group_member m on m.query_group_id = g.id
    where g.project_id = ${projectId} and g.id = any(${groupIds}::bigint[]) group by g.id`.execute(db);
  return new Map(rows.map((row) => [Number(row.id), row.members.map(Number)]));
}

/** A query to be put into a project. */
interface NewQuery {
  readonly name: string;
  readonly type: QueryType;
  readonly samplePercentage?: number;
  /** The Boolean text, for the type `search string`: mentions that match it come into the query by themselves. */
  readonly text?: string;
}

/**
 * Creates the queries that are missing (found by name) and gives the ids of all of them by name. A text that is given
 * takes the place of the one that a query had. Throws a `QueryTextError` for a text that is not valid.
 */
export async function putQueries(
  db: Database,
  projectId: number,
  queries: readonly NewQuery[],
  by: { username: string; at: Instant },
): Promise<Map<string, number>> {
  const at = new Date(by.at);
  for (const query of queries) checkText(query);
  for (const query of queries) {
    await sql`
      insert into local_api.query
        (project_id, name, type, created_at, last_modified_at, last_modified_username,
          sample_percentage, boolean_text)
      values (${projectId}, ${query.name}, ${query.type}, ${at}, ${at}, ${by.username},
        ${query.samplePercentage ?? 100}, ${query.text ?? null})
      on conflict (project_id, name) do update set boolean_text = excluded.boolean_text,
        last_modified_at = excluded.last_modified_at, last_modified_username = excluded.last_modified_username
      where excluded.boolean_text is not null and query.boolean_text is distinct from excluded.boolean_text
    `.execute(db);
  }
  const { rows } = await sql<{ id: string; name: string }>`
    select id, name from local_api.query where project_id = ${projectId} order by id`.execute(db);
  const names = new Set(queries.map((query) => query.name));
  return new Map(rows.filter((row) => names.has(row.name)).map((row) => [row.name, Number(row.id)]));
}

function checkText({ name, type, text }: NewQuery): void {
  if (text === undefined) return;
  if (type !== "search string") throw new Error(`query ${storableJson(name)}: type ${type} takes no text`);
  const compiled = compile(text);
  if (!compiled.ok) throw new QueryTextError(name, compiled.problems);
}

/** The changeable fields of a query. */
export type QuerySettings = Pick<
  StoredQuery,
  | "name"
  | "type"
  | "text"
  | "samplePercentage"
  | "description"
  | "languages"
  | "contentSources"
  | "startDate"
  | "includedLocations"
  | "excludedLocations"
  | "typeName"
>;

/** Makes a query. Throws PostgreSQL's unique violation where the project has one of that name. */
export async function insertQuery(
  db: Database,
  projectId: number,
  query: QuerySettings,
  by: { username: string; at: Instant },
): Promise<number> {
  const at = new Date(by.at);
  const { rows } = await sql<{ id: string }>`
    insert into local_api.query (project_id, name, type, created_at, last_modified_at, last_modified_username,
      sample_percentage, boolean_text, description, languages, content_sources, start_date, included_locations, excluded_locations,
      type_name)
    values (${projectId}, ${query.name}, ${query.type}, ${at}, ${at}, ${by.username}, ${query.samplePercentage},
      ${query.text}, ${query.description}, ${query.languages}::text[], ${query.contentSources}::text[],
      ${momentOrNull(query.startDate)}, ${query.includedLocations}::text[], ${query.excludedLocations}::text[],
      ${query.typeName})
    returning id`.execute(db);
  return Number(rows[0]?.id);
}

/** In the order of their ids, as every writer does: two that lock in two orders would wait for each other for ever. */
export async function lockQueries(db: Database, ids: readonly number[]): Promise<void> {
  await sql`
    select id from local_api.query where id = any(${[...new Set(ids)]}::bigint[]) order by id for no key update
  `.execute(db);
}

export async function updateQuery(
  db: Database,
  id: number,
  query: QuerySettings,
  by: { username: string; at: Instant },
): Promise<void> {
  await sql`
    update local_api.query set name = ${query.name}, type = ${query.type}, boolean_text = ${query.text},
      sample_percentage = ${query.samplePercentage}, description = ${query.description},
      languages = ${query.languages}::text[], content_sources = ${query.contentSources}::text[],
      start_date = ${momentOrNull(query.startDate)}, included_locations = ${query.includedLocations}::text[],
      excluded_locations = ${query.excludedLocations}::text[], type_name = ${query.typeName},
      last_modified_at = ${new Date(by.at)}, last_modified_username = ${by.username}
    where id = ${id}`.execute(db);
}

function momentOrNull(at: Instant | null): Date | null {
  return at === null ? null : new Date(at);
}

interface QueryRow {
  id: string;
  name: string;
  type: string;
  created_at: Date;
  last_modified_at: Date;
  last_modified_username: string;
  sample_percentage: number;
  boolean_text: string | null;
  description: string;
  languages: string[];
  content_sources: string[] | null;
  start_date: Date | null;
  included_locations: string[];
  excluded_locations: string[];
  type_name: string | null;
}

function toQuery(row: QueryRow): StoredQuery {
  return {
    id: Number(row.id),
    name: row.name,
    type: row.type,
    createdAt: row.created_at.getTime(),
    lastModifiedAt: row.last_modified_at.getTime(),
    lastModifiedUsername: row.last_modified_username,
    samplePercentage: row.sample_percentage,
    text: row.boolean_text,
    description: row.description,
    languages: row.languages,
    contentSources: row.content_sources,
    startDate: row.start_date?.getTime() ?? null,
    includedLocations: row.included_locations,
    excludedLocations: row.excluded_locations,
    typeName: row.type_name,
  };
}

/** Whether any query of the project has a mention, or its feeds have stored one that no query has. */
export async function hasMentions(db: Database, projectId: number): Promise<boolean> {
  const { rows } = await sql`
    select from local_api.query q where q.project_id = ${projectId}
      and exists (select from local_api.mention m where m.query_id = q.id) limit 1`.execute(db);
  return rows.length > 0;
}

/** How much the service shows of each query at the moment; without one, how much is stored of each. */
export async function readQueryVolumes(
  db: Database,
  queryIds: readonly number[],
  at?: Instant,
): Promise<Map<number, number>> {
  const { rows } = await sql<{ query_id: string; mentions: string }>`
    select query_id, count(*) as mentions from local_api.mention
    where query_id = any(${queryIds}::bigint[]) and ${NOT_DELETED}
      and ${at === undefined ? sql`superseded_at = 'infinity'` : visibleSql(at)} group by query_id
  `.execute(db);
  return new Map(rows.map((row) => [Number(row.query_id), Number(row.mentions)]));
}
