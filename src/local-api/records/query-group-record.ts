import type { StoredQueryGroup } from "../store/query-groups.ts";

/** An extension: the spec knows query groups only by their ids. */
export function queryGroupRecord({ id, name, shared, sharedProjectIds, queries, user }: StoredQueryGroup) {
  return {
    id,
    name,
    shared,
    sharedProjectIds,
    queries,
    users: user === null ? [] : [user],
    userId: user?.id ?? null,
    userName: user?.username ?? null,
  };
}
