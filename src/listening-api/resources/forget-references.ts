import type { ChangeSet } from "../records/change-set.ts";
import { type Change, recordChanges } from "../store/changes.ts";
import { deleteRule, updateRule } from "../store/rules.ts";
import {
  deleteSignalGroup,
  listSignalGroups,
  type StoredSignalGroup,
  saveSignalGroup,
} from "../store/signal-groups.ts";
import type { ResourceScope } from "./resource.ts";
import { type ListedRule, listedRules, rules } from "./rules.ts";
import { signalGroups } from "./signal-groups.ts";

/** What is about to be deleted. */
interface DeletedIds {
  readonly queryIds?: readonly number[];
  readonly tagIds?: readonly number[];
  /** Categories and subcategories. */
  readonly categoryIds?: readonly number[];
}

/**
 * Takes what is deleted out of rules and signal groups. A rule goes with the last of its queries, or when nothing is
 * left for it to do; a signal group goes with the last of its queries. Noted like any other change.
 */
export async function forgetReferences(scope: ResourceScope, gone: DeletedIds): Promise<void> {
  const { db, project, caller, at } = scope;
  const { client, user } = caller;
  const by = { clientId: client.id, userId: user.id, username: user.username, projectId: project.id };
  const changes: Change[] = [];
  for (const rule of await listedRules(scope)) {
    const left = ruleWithout(rule, gone);
    if (left === rule) continue;
    const note = { ...by, kind: rules.noun, thingId: String(rule.id), before: rules.record(rule) };
    if (left === undefined) {
      await deleteRule(db, rule.id);
      changes.push({ ...note, action: "delete", after: null });
    } else {
      await updateRule(db, rule.id, left, { username: user.username, at });
      changes.push({ ...note, action: "update", after: rules.record(left) });
    }
  }
  for (const group of await listSignalGroups(db, project.id)) {
    const left = groupWithout(group, gone);
    if (left === group) continue;
    const note = {
      ...by,
      kind: signalGroups.noun,
      thingId: String(group.id),
      before: signalGroups.record(group),
    };
    if (left === undefined) await deleteSignalGroup(db, group.id);
    else await saveSignalGroup(db, project.id, left, group.id);
    changes.push(
      left === undefined
        ? { ...note, action: "delete", after: null }
        : { ...note, action: "update", after: signalGroups.record(left) },
    );
  }
  await recordChanges(db, changes);
}

/** The same object: it names nothing of it. Undefined: nothing is left of it. */
function ruleWithout(rule: ListedRule, gone: DeletedIds): ListedRule | undefined {
  const queryIds = rule.queryIds && without(rule.queryIds, gone.queryIds);
  const labels = {
    addTag: rule.action.addTag && without(rule.action.addTag, gone.tagIds),
    removeTag: rule.action.removeTag && without(rule.action.removeTag, gone.tagIds),
    addCategories: rule.action.addCategories && without(rule.action.addCategories, gone.categoryIds),
    removeCategories: rule.action.removeCategories && without(rule.action.removeCategories, gone.categoryIds),
  };
  const isSame =
    queryIds === rule.queryIds &&
    Object.entries(labels).every(([name, ids]) => ids === rule.action[name as keyof typeof labels]);
  if (isSame) return rule;
  const action: ChangeSet = Object.fromEntries(
    Object.entries({ ...rule.action, ...labels }).filter(
      ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
    ),
  );
  if (queryIds?.length === 0 || Object.keys(action).length === 0) return undefined;
  const queries = rule.queries.filter(({ id }) => !gone.queryIds?.includes(id));
  return { ...rule, queryIds, action, queries };
}

function groupWithout(group: StoredSignalGroup, gone: DeletedIds): StoredSignalGroup | undefined {
  const left = {
    queryIds: without(group.queryIds, gone.queryIds),
    includeTagIds: without(group.includeTagIds, gone.tagIds),
    excludeTagIds: without(group.excludeTagIds, gone.tagIds),
    includeCategoryIds: without(group.includeCategoryIds, gone.categoryIds),
    excludeCategoryIds: without(group.excludeCategoryIds, gone.categoryIds),
  };
  if (Object.entries(left).every(([name, ids]) => ids === group[name as keyof typeof left])) return group;
  return left.queryIds.length === 0 ? undefined : { ...group, ...left };
}

/** The same list where none of them is in it. */
function without(ids: readonly number[], gone: readonly number[] = []): readonly number[] {
  return ids.some((id) => gone.includes(id)) ? ids.filter((id) => !gone.includes(id)) : ids;
}
