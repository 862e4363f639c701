import { defineFilter, excludingTwin, type Filter } from "./define-filter.ts";

/**
 * `category`, `tag` and their `x…` twins; repeated, any of the ids will do. The id of a parent category stands for
 * all its children. An id that the project does not list is no fault: mentions may carry categories that are gone.
 */
export const labelFilters: readonly Filter[] = [
  categoryFilter("category"),
  excludingTwin("xcategory", categoryFilter),
  tagFilter("tag"),
  excludingTwin("xtag", tagFilter),
];

function categoryFilter(name: string): Filter {
  return defineFilter({
    name,
    async read(parameters, scope) {
      const ids = parameters.integers(name);
      if (ids.length === 0) return undefined;
      const parents = (await scope.categories()).filter((parent) => ids.includes(parent.id));
      const children = parents.flatMap((parent) => parent.children.map((child) => child.id));
      return { kind: "overlaps", column: "categories", ids: [...new Set([...ids, ...children])] };
    },
  });
}

function tagFilter(name: string): Filter {
  return defineFilter({
    name,
    read(parameters) {
      const ids = parameters.integers(name);
      return ids.length === 0 ? undefined : { kind: "overlaps", column: "tags", ids };
    },
  });
}
