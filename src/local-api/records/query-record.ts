import type { StoredQuery } from "../store/queries.ts";
import { PAGE_TYPES } from "./page-types.ts";
import { todaysQueryType } from "./query-types.ts";
import { wireTime } from "./wire-time.ts";

/**
 * The query as the list of queries shows it, whose shape the spec leaves open: what it looks for, where and from when
 * on, and how much of what matches it keeps. Its type has the name that the program which made it used, or today's.
 * `includedTerms`, `samplePercent` and `languageAgnostic` are what older programs read.
 */
export function queryRecord(query: StoredQuery) {
  return {
    ...querySummaryRecord(query),
    type: query.typeName ?? todaysQueryType(query.type),
    description: query.description,
    booleanQuery: query.text,
    includedTerms: query.text,
    languages: query.languages,
    languageAgnostic: query.languages.length === 0,
    contentSources: query.contentSources ?? PAGE_TYPES,
    startDate: wireTime(query.startDate ?? query.createdAt),
    sampled: query.samplePercentage < 100,
    samplePercentage: query.samplePercentage,
    samplePercent: query.samplePercentage,
  };
}

/** As the spec has it, with the documented name of the type. */
export function querySummaryRecord(query: StoredQuery) {
  return {
    id: query.id,
    name: query.name,
    type: query.type,
    creationDate: wireTime(query.createdAt),
    lastModificationDate: wireTime(query.lastModifiedAt),
    lastModifiedUsername: query.lastModifiedUsername,
    lockedQuery: false,
    lockedByUsername: null,
    createdByWizard: false,
  };
}
