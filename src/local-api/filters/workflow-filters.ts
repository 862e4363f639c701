import { defineFilter, type Filter, withTwin } from "./define-filter.ts";
import { equalsFilter, flagFilter, vocabularyFilter } from "./value-filters.ts";

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
