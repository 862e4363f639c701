import { searchableMention } from "../query-language/search-text.ts";
import type { MentionVersion } from "../store/mention-version.ts";
import type { MatchedQuery, ProjectQueries } from "./project-queries.ts";

/** Copies the mention into every query of the project that it matches, and ignores the query that it names. */
export function assignQueries(version: MentionVersion, queries: ProjectQueries): MentionVersion[] {
  if (queries.isEmpty) return [];
  const mention = searchableMention(version.record, version.fullText);
  return queries.matching(mention).map((query) => inQuery(version, query));
}

/** The mention in the query that it names, with the words for which it matches if that query has a text. */
export function withMatchPositions(version: MentionVersion, queries: ProjectQueries): MentionVersion {
  const { queryId, queryName } = version.record;
  if (!queries.has(queryId)) return version;
  const mention = searchableMention(version.record, version.fullText);
  const positions = queries.positions(queryId, mention);
  return positions.length === 0 ? version : inQuery(version, { id: queryId, name: queryName, positions });
}

function inQuery(version: MentionVersion, { id, name, positions }: MatchedQuery): MentionVersion {
  return {
    ...version,
    record: { ...version.record, queryId: id, queryName: name, matchPositions: positions },
  };
}
