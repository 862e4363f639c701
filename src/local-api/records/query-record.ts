import type { StoredQuery } from "../store/queries.ts";
import { wireTime } from "./wire-time.ts";

/**
 * The query as the list of queries shows it, whose shape the spec leaves open: what it
 * looks for and how much of what matches it keeps, too.
 */
export function queryRecord(query: StoredQuery) {
  return {
    ...querySummaryRecord(query),
    booleanQuery: query.text,
    sampled: query.samplePercentage < 100,
    samplePercentage: query.samplePercentage,
  };
}

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
