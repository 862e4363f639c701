import { arrivalFilters } from "./arrival-filters.ts";
import { classFilters } from "./class-filters.ts";
import type { Filter } from "./define-filter.ts";
import { labelFilters } from "./label-filters.ts";
import { peopleFilters } from "./people-filters.ts";

/** Every filter that calls about mentions take. */
export const FILTERS: readonly Filter[] = [
  ...classFilters,
  ...labelFilters,
  ...arrivalFilters,
  ...peopleFilters,
];
