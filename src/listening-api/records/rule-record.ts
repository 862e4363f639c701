import type { Instant } from "../../lib/instant.ts";
import type { ChangeSet } from "./change-set.ts";
import { wireTime } from "./wire.ts";

interface ShownRule {
  readonly id: number;
  readonly name: string;
  readonly enabled: boolean;
  readonly queryIds: readonly number[] | null;
  readonly filter: object;
  readonly action: ChangeSet;
  readonly createdAt: Instant;
  readonly creator: string;
  readonly lastModifiedAt: Instant;
  readonly modifier: string;
  readonly project: { readonly id: number; readonly name: string };
  readonly queries: readonly { readonly id: number; readonly name: string }[];
  readonly tagNames: ReadonlyMap<number, string>;
}

/** As documented; of filters and actions only those that the rule has. Tags go by their names, as in an edit. */
export function ruleRecord(rule: ShownRule) {
  const { addTag, removeTag, ...action } = rule.action;
  const names = (ids: readonly number[]) => ids.flatMap((id) => rule.tagNames.get(id) ?? []);
  const [query] = rule.queries;
  return {
    id: rule.id,
    projectId: rule.project.id,
    name: rule.name,
    filter: { queryId: rule.queryIds, ...rule.filter },
    scope: rule.queryIds === null ? "project" : "query",
    enabled: rule.enabled,
    ruleAction: {
      ...(addTag === undefined ? {} : { addTag: names(addTag) }),
      ...(removeTag === undefined ? {} : { removeTag: names(removeTag) }),
      ...action,
    },
    queryName: query?.name ?? null,
    projectName: rule.project.name,
    categoryId: null,
    queryIds: null,
    queries: rule.queries.map((one) => ({ ...one, sharedWithProjectIds: [] })),
    creationDate: wireTime(rule.createdAt),
    lastUpdated: wireTime(rule.lastModifiedAt),
    creator: rule.creator,
    modifier: rule.modifier,
  };
}
