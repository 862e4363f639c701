import { classFilters, textFilters } from "./content-filters.ts";
import type { Filter } from "./define-filter.ts";
import { labelFilters, workflowFilters } from "./label-filters.ts";
import { numberFilters } from "./number-filters.ts";
import { peopleFilters } from "./people-filters.ts";
import { placeFilters } from "./place-filters.ts";
import { arrivalFilters, clockFilters } from "./time-filters.ts";

/** Every filter that calls about mentions take, besides queries, dates, time zone and `search`. All have to hold. */
export const FILTERS: readonly Filter[] = [
  ...classFilters,
  ...labelFilters,
  ...arrivalFilters,
  ...peopleFilters,
  ...placeFilters,
  ...workflowFilters,
  ...numberFilters,
  ...textFilters,
  ...clockFilters,
];
