import { closestWord } from "../../lib/closest-word.ts";
import type { Issue } from "../../lib/errors.ts";
import type { JsonValue } from "../../lib/json.ts";
import type { ChangeSet } from "../records/change-set.ts";
import type { StoredCategory, StoredTag } from "../records/labels.ts";
import type { RuleSettings } from "../store/rules.ts";
import type { SignalGroupSettings } from "../store/signal-groups.ts";
import type { Fields } from "./account-schema.ts";

/** What rules and signal groups name in a file, and what they name by id in the tables. */
export interface ProjectNames {
  readonly queries: readonly { readonly id: number; readonly name: string }[];
  readonly tags: readonly Pick<StoredTag, "id" | "name">[];
  readonly categories: readonly Pick<StoredCategory, "id" | "name" | "children">[];
}

/** `[Topics, Price]`: a subcategory of a category; `[Topics]`: all of it. A list, since any text may be a name. */
type Labels = readonly (readonly string[])[];

export function ruleFields({ enabled, queryIds, filter, action }: RuleSettings, known: ProjectNames): Fields {
  const { addTag, removeTag, addCategories, removeCategories, ...rest } = action;
  return {
    enabled,
    queries: queryIds && namesOf(queryIds, known.queries),
    filter: { ...filter },
    action: {
      ...(addTag && { addTag: namesOf(addTag, known.tags) }),
      ...(removeTag && { removeTag: namesOf(removeTag, known.tags) }),
      ...(addCategories && { addCategories: labelsOf(addCategories, known) }),
      ...(removeCategories && { removeCategories: labelsOf(removeCategories, known) }),
      ...rest,
    } as JsonValue,
  };
}

export function ruleOf(name: string, fields: Fields, known: ProjectNames): RuleSettings {
  const { addTag, removeTag, addCategories, removeCategories, ...rest } = fields["action"] as Action;
  const queries = fields["queries"] as readonly string[] | null;
  const action: ChangeSet = {
    ...(addTag && { addTag: idsOf(addTag, known.tags) }),
    ...(removeTag && { removeTag: idsOf(removeTag, known.tags) }),
    ...(addCategories && { addCategories: labelIds(addCategories, known) }),
    ...(removeCategories && { removeCategories: labelIds(removeCategories, known) }),
    ...rest,
  };
  return {
    name,
    enabled: fields["enabled"] === true,
    queryIds: queries && idsOf(queries, known.queries).sort((a, b) => a - b),
    filter: fields["filter"] as RuleSettings["filter"],
    action,
  };
}

type Action = Omit<ChangeSet, "addTag" | "removeTag" | "addCategories" | "removeCategories"> & {
  readonly addTag?: readonly string[];
  readonly removeTag?: readonly string[];
  readonly addCategories?: Labels;
  readonly removeCategories?: Labels;
};

export function signalFields(group: SignalGroupSettings, known: ProjectNames): Fields {
  return {
    queries: namesOf(group.queryIds, known.queries),
    includeTags: namesOf(group.includeTagIds, known.tags),
    excludeTags: namesOf(group.excludeTagIds, known.tags),
    includeCategories: labelsOf(group.includeCategoryIds, known),
    excludeCategories: labelsOf(group.excludeCategoryIds, known),
    subscribers: group.subscribers.map((one) => ({ ...one })),
  };
}

export function signalOf(name: string, fields: Fields, known: ProjectNames): SignalGroupSettings {
  const tags = (field: string) => idsOf(fields[field] as string[], known.tags);
  const categories = (field: string) => labelIds(fields[field] as Labels, known);
  return {
    name,
    queryIds: idsOf(fields["queries"] as string[], known.queries),
    includeTagIds: tags("includeTags"),
    excludeTagIds: tags("excludeTags"),
    includeCategoryIds: categories("includeCategories"),
    excludeCategoryIds: categories("excludeCategories"),
    subscribers: fields["subscribers"] as SignalGroupSettings["subscribers"],
  };
}

/** Names of a rule or a signal group that nothing has, or will have. */
export function findUnknownNames(
  fields: Fields,
  path: Issue["path"],
  known: {
    readonly queries: readonly string[];
    readonly tags: readonly string[];
    /** Subcategories by category. */
    readonly categories: ReadonlyMap<string, readonly string[]>;
    readonly logins: readonly string[];
  },
): Issue[] {
  const issues: Issue[] = [];
  const check = (what: string, given: readonly string[], names: readonly string[], at: Issue["path"]) => {
    for (const [index, name] of given.entries()) {
      if (names.includes(name)) continue;
      const suggestion = closestWord(name, names);
      issues.push({
        path: [...path, ...at, index],
        message: `there is no ${what} ${quoted(name)}`,
        suggestion,
      });
    }
  };
  const checkLabels = (labels: Labels, at: Issue["path"]) => {
    for (const [index, [parent = "", child]] of labels.entries()) {
      const own = known.categories.get(parent);
      const isKnown = own !== undefined && (child === undefined || own.includes(child));
      if (isKnown) continue;
      const what = own === undefined ? `category ${quoted(parent)}` : `${quoted(child)} in ${quoted(parent)}`;
      const suggestion =
        own === undefined ? closestWord(parent, [...known.categories.keys()]) : closestWord(child ?? "", own);
      issues.push({
        path: [...path, ...at, index, own === undefined ? 0 : 1],
        message: `there is no ${what}`,
        suggestion,
      });
    }
  };
  const action = (fields["action"] ?? {}) as Action;
  check("query", (fields["queries"] as string[] | null) ?? [], known.queries, ["queries"]);
  for (const field of ["addTag", "removeTag"] as const)
    check("tag", action[field] ?? [], known.tags, ["action", field]);
  for (const field of ["addCategories", "removeCategories"] as const)
    checkLabels(action[field] ?? [], ["action", field]);
  for (const field of ["includeTags", "excludeTags"])
    check("tag", (fields[field] ?? []) as string[], known.tags, [field]);
  for (const field of ["includeCategories", "excludeCategories"])
    checkLabels((fields[field] ?? []) as Labels, [field]);
  if (action.assignment !== undefined && !known.logins.includes(action.assignment))
    issues.push({
      path: [...path, "action", "assignment"],
      message: `there is no login ${quoted(action.assignment)}`,
    });
  return issues;
}

interface NamedThing {
  readonly id: number;
  readonly name: string;
}

function namesOf(ids: readonly number[], among: readonly NamedThing[]): string[] {
  return ids.flatMap((id) => among.find((one) => one.id === id)?.name ?? []);
}

function idsOf(names: readonly string[], among: readonly NamedThing[]): number[] {
  return [...new Set(names.flatMap((name) => among.find((one) => one.name === name)?.id ?? []))];
}

function labelsOf(ids: readonly number[], { categories }: ProjectNames): string[][] {
  return ids.flatMap((id) => {
    const parent = categories.find((one) => one.id === id || one.children.some((child) => child.id === id));
    const child = parent?.children.find((one) => one.id === id);
    return parent === undefined ? [] : [child === undefined ? [parent.name] : [parent.name, child.name]];
  });
}

function labelIds(labels: Labels, { categories }: ProjectNames): number[] {
  const ids = labels.flatMap(([parent, child]) => {
    const category = categories.find(({ name }) => name === parent);
    if (child === undefined) return category?.id ?? [];
    return category?.children.find(({ name }) => name === child)?.id ?? [];
  });
  return [...new Set(ids)];
}

function quoted(name: string | undefined): string {
  return JSON.stringify(name ?? "");
}
