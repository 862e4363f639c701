import { defineFilter, type Filter } from "./define-filter.ts";

/** `sinceAdded`, `sinceUpdated` (strictly after the moment) and `sourceType=new` (no backfilled mentions). */
export const arrivalFilters: readonly Filter[] = [
  sinceFilter("sinceAdded", "added"),
  sinceFilter("sinceUpdated", "updated"),
  defineFilter({
    name: "sourceType",
    read(parameters) {
      const value = parameters.oneOf("sourceType", ["new"]);
      return value && { kind: "is", field: "backfilled", value: false };
    },
  }),
];

function sinceFilter(name: string, field: "added" | "updated"): Filter {
  return defineFilter({
    name,
    read(parameters, scope) {
      const at = parameters.moment(name, scope.timezone);
      return at === undefined ? undefined : { kind: "after", field, at };
    },
  });
}
