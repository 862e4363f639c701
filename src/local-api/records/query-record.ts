import type { StoredQuery } from "../store/queries.ts";
import { wireTime } from "./wire-time.ts";

export function queryRecord(query: StoredQuery) {
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
