import { GAZETTEER, placeFields } from "../places/gazetteer.ts";
import { type CompiledQuery, compile } from "../query-language/compile.ts";
import { type MatchPosition, resultOf } from "../query-language/evaluate.ts";
import type { KnownFields } from "../query-language/fields/define-field.ts";
import { createQueryIndex } from "../query-language/query-index.ts";
import { type Searchable, searchableMention } from "../query-language/search-text.ts";
import type { Database } from "../store/database.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import { listQueries, type StoredQuery } from "../store/queries.ts";
import { readArrivalTerms } from "../store/received-items.ts";

/** Copies the mention into every query of the project that it matches, and ignores the query that it names. */
export function assignQueries(version: MentionVersion, queries: ProjectQueries): MentionVersion[] {
  if (queries.isEmpty) return [];
  const mention = searchableMention(version.record, version.fullText);
  return queries.candidates(mention).flatMap((id) => {
    const query = resultOf(queries.match(id, mention));
    return query === null ? [] : [inQuery(version, query)];
  });
}

/** The mention in the query that it names, with the words for which it matches if that query has a text. */
export function withMatchPositions(version: MentionVersion, queries: ProjectQueries): MentionVersion {
  const { queryId, queryName } = version.record;
  if (!queries.has(queryId)) return version;
  const mention = searchableMention(version.record, version.fullText);
  const positions = queries.positions(queryId, mention);
  return positions.length === 0 ? version : inQuery(version, { id: queryId, name: queryName, positions });
}

export function inQuery(version: MentionVersion, { id, name, positions }: MatchedQuery): MentionVersion {
  return {
    ...version,
    record: { ...version.record, queryId: id, queryName: name, matchPositions: positions },
  };
}

/** The queries of a project with a Boolean text, as they were when read. */
export interface ProjectQueries {
  readonly isEmpty: boolean;
  /** Whether it is one of them. */
  has(queryId: number): boolean;
  /** False: no query matches a mention with these words, whatever else is known of it. Cheap, for long streams. */
  mayMatch(mention: Searchable): boolean;
  /** The queries that may match the mention, in the order of their ids: those to ask one by one. */
  candidates(mention: Searchable): readonly number[];
  /** The query, if it matches the mention, and why. Step by step: a long query takes long. */
  match(queryId: number, mention: Searchable): Generator<void, MatchedQuery | null>;
  /** Why the mention is in the query, as far as the query has a text and the mention matches it. */
  positions(queryId: number, mention: Searchable): readonly MatchPosition[];
}

interface MatchedQuery {
  readonly id: number;
  readonly name: string;
  readonly positions: readonly MatchPosition[];
}

/** Reads the texts of a project and compiles them for a stream of mentions. */
export async function readProjectQueries(db: Database, projectId: number): Promise<ProjectQueries> {
  return compileQueries(await listQueries(db, projectId));
}

export function compileQueries(
  all: readonly (Pick<StoredQuery, "id" | "name" | "text"> & QueryLimits)[],
): ProjectQueries {
  const queries = new Map<number, { name: string; query: CompiledQuery; stored: QueryLimits }>();
  for (const stored of all) {
    const compiled = stored.text === null ? undefined : compile(stored.text);
    // Texts are checked before they are stored: a text that an earlier release accepted and this one refuses matches
    // nothing.
    if (compiled?.ok) queries.set(stored.id, { name: stored.name, query: compiled.query, stored });
  }
  const index = createQueryIndex([...queries].map(([id, { query }]) => ({ id, query })));
  return {
    isEmpty: queries.size === 0,
    has: (queryId) => queries.has(queryId),
    mayMatch: (mention) => index.candidates(mention).length > 0,
    candidates: index.candidates,
    *match(id, mention) {
      const found = queries.get(id);
      if (found === undefined || !isOfQuery(mention.known, found.stored)) return null;
      const positions = yield* found.query.matchInSteps(mention);
      return positions === null ? null : { id, name: found.name, positions };
    },
    positions: (queryId, mention) => queries.get(queryId)?.query.positions(mention) ?? [],
  };
}

/** The queries of a project, compiled once for as long as they stay the same. */
export type QueryCache = Map<number, { readonly revision: string; readonly queries: ProjectQueries }>;

/** The queries as they are now, and compiled anew only when one has changed. `known`: their revision, if it was just read. */
export async function queriesOf(
  db: Database,
  projectId: number,
  cache: QueryCache,
  known?: string,
): Promise<ProjectQueries> {
  const revision = known ?? (await readArrivalTerms(db, projectId)).revision;
  const cached = cache.get(projectId);
  if (cached?.revision === revision) return cached.queries;
  const queries = await readProjectQueries(db, projectId);
  cache.set(projectId, { revision, queries });
  return queries;
}

/**
 * Languages, sources and places limit what the text finds. A mention of unknown language or source counts for any; one
 * of an unknown place lies in no place, so that it is in none that is included, and in none that is excluded.
 */
export function isOfQuery(known: KnownFields, query: QueryLimits): boolean {
  const { language, pageType } = known;
  const { languages, contentSources, includedLocations, excludedLocations } = query;
  if (languages.length > 0 && language != null && !languages.includes(language)) return false;
  if (contentSources !== null && pageType != null && !contentSources.includes(pageType)) return false;
  if (includedLocations.length > 0 && !includedLocations.some((id) => liesIn(known, id))) return false;
  return !excludedLocations.some((id) => liesIn(known, id));
}

type QueryLimits = Pick<
  StoredQuery,
  "languages" | "contentSources" | "includedLocations" | "excludedLocations"
>;

/** By the code of the place, as edits write it into records. */
function liesIn(known: KnownFields, id: string): boolean {
  const place = GAZETTEER.get(id);
  if (place === undefined) return false;
  const field = `${place.type}Code` as const;
  return known[field] != null && known[field].toUpperCase() === placeFields(place)[field];
}
