import {
  defineFilter,
  equalsFilter,
  type Filter,
  flagFilter,
  idsFilter,
  vocabularyFilter,
  withTwin,
} from "./define-filter.ts";

/**
 * Categories and tags by id; repeated, any of the ids matches. The id of a parent category means all its children. An
 * id that the project does not list is no fault: mentions may have categories that were deleted.
 */
export const labelFilters: readonly Filter[] = [
  ...withTwin(categoryFilter, "category"),
  ...withTwin(categoryFilter, "parentCategory"),
  ...withTwin(idsFilter("tags"), "tag"),
  ...withTwin(anyTagFilter, "anyTag"),
];

function categoryFilter(name: string): Filter {
  return defineFilter({
    name,
    async read(parameters, scope) {
      const ids = parameters.integers(name);
      if (ids.length === 0) return undefined;
      const parents = (await scope.categories()).filter((parent) => ids.includes(parent.id));
      const children = parents.flatMap((parent) => parent.children.map((child) => child.id));
      return {
        kind: "any",
        of: [
          { kind: "overlaps", field: "categories", ids: [...new Set([...ids, ...children])] },
          { kind: "overlaps", field: "parentCategories", ids },
        ],
      };
    },
  });
}

/** Ids as for `tag`, or true and false: whether there is a tag at all. No description says which is meant. */
function anyTagFilter(name: string): Filter {
  const hasTags = flagFilter((value) => ({ kind: "tagged", value }))(name);
  const byId = idsFilter("tags")(name);
  return defineFilter({
    name,
    read(parameters, scope) {
      const isFlag = parameters.texts(name).some((text) => /^(true|false)$/i.test(text));
      return (isFlag ? hasTags : byId).read(parameters, scope);
    },
  });
}

/** The workflow of a mention: its assignee, its status, and when it was assigned. */
export const workflowFilters: readonly Filter[] = [
  ...withTwin(equalsFilter("assignment"), "assigned"),
  ...withTwin(vocabularyFilter("status", ["open", "pending", "closed"]), "status"),
  ...withTwin(vocabularyFilter("priority", ["high", "medium", "low"]), "priority"),
  flagFilter((value) => ({ kind: "is", field: "checked", value }))("checked"),
  flagFilter((value) => ({ kind: "is", field: "starred", value }))("starred"),
  assignmentFilter("sinceAssignmentUpdated", "after"),
  assignmentFilter("untilAssignmentUpdated", "before"),
];

function assignmentFilter(name: string, kind: "after" | "before"): Filter {
  return defineFilter({
    name,
    read(parameters, scope) {
      const at = parameters.moment(name, scope.timezone);
      return at === undefined ? undefined : { kind, field: "lastAssignmentDate", at };
    },
  });
}
