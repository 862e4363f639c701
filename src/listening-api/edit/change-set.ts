import { GAZETTEER, placeFields } from "../places/gazetteer.ts";
import type { CategoryDetail } from "../records/mention-record.ts";
import { type BodyReader, quote } from "../resources/body-reader.ts";
import type { CurrentMention } from "../store/current-mentions.ts";
import type { StoredCategory } from "../store/labels.ts";
import { EDITABLE, type MentionChanges } from "./mention-changes.ts";

/** What is done with a mention, in the names of the calls; tags and subcategories by their ids. Absent: not asked for. */
export interface ChangeSet {
  readonly sentiment?: string;
  readonly status?: string;
  readonly priority?: string;
  readonly assignment?: string;
  readonly checked?: boolean;
  readonly starred?: boolean;
  /** Id of a place. */
  readonly location?: string;
  // Removed only if the mention has this value: somebody else may have set another one.
  readonly removeStatus?: string;
  readonly removePriority?: string;
  readonly removeAssignment?: string;
  readonly addTag?: readonly number[];
  readonly removeTag?: readonly number[];
  readonly addCategories?: readonly number[];
  readonly removeCategories?: readonly number[];
}

/** What a change set may name. */
export interface ChangeScope {
  readonly categories: readonly StoredCategory[];
  readonly tags: readonly { readonly id: number; readonly name: string }[];
  /** Login names of the client. */
  readonly usernames: ReadonlySet<string>;
}

const MAX_LABELS = 100;

/** Reports faults to the reader. */
export function readChangeSet(body: BodyReader, scope: ChangeScope): ChangeSet {
  const given = body.has("location") ? body.body["location"] : undefined;
  const location = typeof given === "string" && GAZETTEER.has(given) ? given : undefined;
  if (given !== undefined && location === undefined)
    body.fault(`location: ${quote(given)} is no known location; GET /locations lists them.`);
  const assignment = body.text("assignment", 320);
  if (assignment !== undefined && !scope.usernames.has(assignment))
    body.fault(`assignment: ${quote(assignment)} is no user of this client.`);
  const set = {
    sentiment: body.oneOf("sentiment", EDITABLE.sentiment),
    status: body.oneOf("status", EDITABLE.status),
    priority: body.oneOf("priority", EDITABLE.priority),
    assignment,
    checked: body.flag("checked"),
    starred: body.flag("starred"),
    location,
    removeStatus: body.oneOf("removeStatus", EDITABLE.status),
    removePriority: body.oneOf("removePriority", EDITABLE.priority),
    removeAssignment: body.text("removeAssignment", 320),
    addTag: readTags(body, "addTag", scope),
    removeTag: readTags(body, "removeTag", scope),
    addCategories: readCategories(body, "addCategories", scope),
    removeCategories: readCategories(body, "removeCategories", scope),
  };
  for (const { multiple, children } of scope.categories) {
    const added = children.filter(({ id }) => set.addCategories?.includes(id));
    if (!multiple && added.length > 1)
      body.fault(`addCategories: ${added.map(({ id }) => id).join(" and ")} exclude each other.`);
  }
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

/** What it means for this mention. What was deleted meanwhile is left out. */
export function changesOf(
  set: ChangeSet,
  { categories, tags }: Pick<ChangeScope, "categories" | "tags">,
  { fields }: Pick<CurrentMention, "fields">,
): MentionChanges {
  const { sentiment, checked, starred } = set;
  const place = set.location === undefined ? undefined : GAZETTEER.get(set.location);
  return {
    ...(sentiment === undefined ? {} : { sentiment }),
    ...(checked === undefined ? {} : { checked }),
    ...(starred === undefined ? {} : { starred }),
    ...workflow("status", set.status, set.removeStatus),
    ...workflow("priority", set.priority, set.removePriority),
    ...workflow("assignment", set.assignment, set.removeAssignment),
    addTags: found(set.addTag, tags),
    removeTags: found(set.removeTag, tags),
    addCategories: (set.addCategories ?? []).flatMap((id) => detailOf(id, categories) ?? []),
    exclusiveParents: categories.flatMap(({ id, multiple }) => (multiple ? [] : [String(id)])),
    removeCategories: set.removeCategories ?? [],
    fields: place === undefined ? {} : { ...placeFields(place) },
  };

  function workflow(name: "status" | "priority" | "assignment", set?: string, removed?: string) {
    if (set !== undefined) return { [name]: set };
    return removed !== undefined && fields[name] === removed ? { [name]: null } : {};
  }
}

function found<Thing extends { readonly id: number }>(
  ids: readonly number[] = [],
  among: readonly Thing[],
): readonly Thing[] {
  return ids.flatMap((id) => among.find((one) => one.id === id) ?? []);
}

function detailOf(id: number, categories: readonly StoredCategory[]): CategoryDetail | undefined {
  const parent = categories.find(({ children }) => children.some((child) => child.id === id));
  const child = parent?.children.find((one) => one.id === id);
  if (parent === undefined || child === undefined) return undefined;
  return { id: String(id), name: child.name, parentId: String(parent.id), parentName: parent.name };
}

function readTags(body: BodyReader, field: string, { tags }: ChangeScope): readonly number[] | undefined {
  const names = body.texts(field, { max: MAX_LABELS, maxLength: 255 });
  if (names === undefined || names.length === 0) return undefined;
  return [...new Set(names)].flatMap((name) => {
    const tag = tags.find((known) => known.name === name);
    if (tag === undefined)
      body.fault(`${field}: the project has no tag ${quote(name)}; POST …/ruletags makes it.`);
    return tag?.id ?? [];
  });
}

function readCategories(
  body: BodyReader,
  field: string,
  { categories }: ChangeScope,
): readonly number[] | undefined {
  const ids = body.integers(field);
  if (ids === undefined || ids.length === 0) return undefined;
  const known = new Set(categories.flatMap(({ children }) => children.map(({ id }) => id)));
  for (const id of ids.filter((one) => !known.has(one)))
    body.fault(`${field}: the project has no subcategory ${id}.`);
  return [...new Set(ids)].filter((id) => known.has(id));
}
