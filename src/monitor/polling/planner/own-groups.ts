/** A group that this installation keeps in the account. */
export interface OwnGroup {
  readonly groupId: string;
  readonly queryIds: readonly string[];
}

/** One call that changes the account. */
export type GroupChange =
  | { readonly outcome: "Create"; readonly queryIds: readonly string[] }
  | { readonly outcome: "Update"; readonly groupId: string; readonly queryIds: readonly string[] }
  | { readonly outcome: "Delete"; readonly groupId: string };

/**
 * What is to be changed until the own groups of a project name exactly the wanted queries, each once. A query stays in
 * its group, so that a new one changes one group only. Deletions come first: they free what a server may limit.
 */
export function planOwnGroups(
  wanted: readonly string[],
  groups: readonly OwnGroup[],
): readonly GroupChange[] {
  const open = new Set(wanted);
  const kept = groups.map(({ groupId, queryIds }) => ({
    groupId,
    before: queryIds,
    queryIds: queryIds.slice(0, MOST_MEMBERS).filter((id) => open.delete(id)),
  }));
  const rest = [...open];
  for (const group of kept) {
    if (group.queryIds.length === 0) continue;
    group.queryIds.push(...rest.splice(0, MOST_MEMBERS - group.queryIds.length));
  }
  const deleted = kept.filter(({ queryIds }) => queryIds.length === 0);
  const updated = kept.filter(
    ({ before, queryIds }) =>
      queryIds.length > 0 &&
      (before.length !== queryIds.length || queryIds.some((id, nth) => id !== before[nth])),
  );
  const created: GroupChange[] = [];
  while (rest.length > 0) created.push({ outcome: "Create", queryIds: rest.splice(0, MOST_MEMBERS) });
  return [
    ...deleted.map(({ groupId }): GroupChange => ({ outcome: "Delete", groupId })),
    ...updated.map(({ groupId, queryIds }): GroupChange => ({ outcome: "Update", groupId, queryIds })),
    ...created,
  ];
}

/**
 * Large groups need few calls to keep; small ones are given up more seldom because one of their members has become so
 * busy that it is polled by itself.
 */
const MOST_MEMBERS = 500;
