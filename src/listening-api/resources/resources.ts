import { categories } from "./categories.ts";
import { dateRanges } from "./date-ranges.ts";
import { queries } from "./queries.ts";
import { queryGroups } from "./query-groups.ts";
import type { Resource } from "./resource.ts";
import { rules } from "./rules.ts";
import { savedLists } from "./saved-lists.ts";
import { signalGroups } from "./signal-groups.ts";
import { tags } from "./tags.ts";

/** Everything of a project that has an id and a name. A line here makes all of its calls. */
export const RESOURCES: readonly Resource[] = [
  queries,
  dateRanges,
  queryGroups,
  ...tags,
  ...categories,
  rules,
  signalGroups,
  ...savedLists,
];
