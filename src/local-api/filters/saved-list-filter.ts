import { defineFilter, type Filter, type SavedListKind } from "./define-filter.ts";
import type { MentionCondition } from "./mention-condition.ts";

/** Ids of saved lists of the project; all their entries together are what is looked for. */
export function savedListFilter(
  kind: SavedListKind,
  toCondition: (entries: readonly string[]) => MentionCondition,
): (name: string) => Filter {
  return (name) =>
    defineFilter({
      name,
      async read(parameters, scope) {
        const ids = parameters.integers(name);
        if (ids.length === 0) return undefined;
        const lists = await scope.savedLists(kind);
        for (const id of ids.filter((id) => !lists.has(id)))
          parameters.fault(`${name}: ${id} is no ${kind} list of this project.`);
        return toCondition(ids.flatMap((id) => lists.get(id) ?? []));
      },
    });
}
