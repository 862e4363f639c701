import { categories } from "./categories.ts";
import { queries } from "./queries.ts";
import { queryGroups } from "./query-groups.ts";
import type { Resource } from "./resource.ts";
import { savedLists } from "./saved-lists.ts";
import { tags } from "./tags.ts";

/** Everything of a project that has an id and a name. A line here makes all of its calls. */
export const RESOURCES: readonly Resource[] = [queries, queryGroups, ...tags, ...categories, ...savedLists];
