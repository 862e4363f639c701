import type { LocalApiContext } from "../local-api-context.ts";
import type { RequestScope } from "../mentions/mentions-request.ts";
import type { Caller } from "../store/callers.ts";
import { listCategories } from "../store/categories.ts";
import type { StoredProject } from "../store/projects.ts";
import { listGroupMembers, type StoredQuery } from "../store/queries.ts";
import { listSavedLists } from "../store/saved-lists.ts";

/** The project and the caller, as needed to read a request about mentions. */
export function requestScopeOf(
  { db, searches }: LocalApiContext,
  caller: Caller,
  project: StoredProject,
  queries: readonly StoredQuery[],
): RequestScope {
  return {
    projectId: project.id,
    timezone: project.timezone,
    queries: new Set(queries.map((query) => query.id)),
    categories: () => listCategories(db, project.id),
    search: searches.find,
    groupMembers: (groupIds) => listGroupMembers(db, project.id, groupIds),
    async savedLists(kind) {
      const seenBy = { clientId: caller.client.id, projectId: project.id, userId: caller.user.id };
      const lists = await listSavedLists(db, kind, seenBy);
      return new Map(lists.map((list) => [list.id, list.entries]));
    },
  };
}
