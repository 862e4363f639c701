import { groupBy } from "../../lib/group-by.ts";
import { type BodyReader, quote } from "../parameters/body-reader.ts";
import { GAZETTEER, placeFields } from "../places/gazetteer.ts";
import type { ChangeSet } from "../records/change-set.ts";
import type { StoredCategory } from "../records/labels.ts";
import type { CategoryDetail } from "../records/mention-record.ts";
import type { CurrentMention } from "../store/current-mentions.ts";
import { EDITABLE, type MentionChanges } from "./mention-changes.ts";

interface Tag {
  readonly id: number;
  readonly name: string;
}

/** What a change set may name, by how it names it: a call has 200,000 names at most, and a project thousands of labels. */
export interface ChangeScope {
  /** Subcategories. */
  readonly categories: ReadonlyMap<number, CategoryDetail>;
  /** Parents of which a mention has one subcategory at most. */
  readonly exclusiveParents: ReadonlySet<string>;
  readonly tags: ReadonlyMap<number, Tag>;
  readonly tagsByName: ReadonlyMap<string, Tag>;
  /** Login names of the client. */
  readonly usernames: ReadonlySet<string>;
}

export function changeScope(
  labels: { readonly categories: readonly StoredCategory[]; readonly tags: readonly Tag[] },
  usernames: Iterable<string> = [],
): ChangeScope {
  const details = labels.categories.flatMap((parent) =>
    parent.children.map(({ id, name }) => ({
      ...{ id: String(id), name },
      ...{ parentId: String(parent.id), parentName: parent.name },
    })),
  );
  const exclusive = labels.categories.filter(({ multiple }) => !multiple);
  return {
    categories: new Map(details.map((detail) => [Number(detail.id), detail])),
    exclusiveParents: new Set(exclusive.map(({ id }) => String(id))),
    tags: new Map(labels.tags.map((tag) => [tag.id, tag])),
    tagsByName: new Map(labels.tags.map((tag) => [tag.name, tag])),
    usernames: new Set(usernames),
  };
}

const MAX_TAGS = 100;
/** As many as a category may have children. */
const MAX_CATEGORIES = 1_000;

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
  const added = (set.addCategories ?? []).flatMap((id) => scope.categories.get(id) ?? []);
  for (const [parent, given] of groupBy(added, ({ parentId }) => parentId))
    if (given.length > 1 && scope.exclusiveParents.has(parent))
      body.fault(`addCategories: ${given.map(({ id }) => id).join(" and ")} exclude each other.`);
  return Object.fromEntries(Object.entries(set).filter(([, value]) => value !== undefined));
}

/** What it means for this mention. What was deleted meanwhile is left out. */
export function changesOf(
  set: ChangeSet,
  { categories, exclusiveParents, tags }: ChangeScope,
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
    addCategories: found(set.addCategories, categories),
    exclusiveParents,
    removeCategories: set.removeCategories ?? [],
    fields: place === undefined ? {} : { ...placeFields(place) },
  };

  function workflow(name: "status" | "priority" | "assignment", set?: string, removed?: string) {
    if (set !== undefined) return { [name]: set };
    return removed !== undefined && fields[name] === removed ? { [name]: null } : {};
  }
}

function found<Thing>(ids: readonly number[] = [], among: ReadonlyMap<number, Thing>): readonly Thing[] {
  return ids.flatMap((id) => among.get(id) ?? []);
}

function readTags(
  body: BodyReader,
  field: string,
  { tagsByName }: ChangeScope,
): readonly number[] | undefined {
  const names = body.texts(field, { max: MAX_TAGS, maxLength: 255 });
  if (names === undefined || names.length === 0) return undefined;
  return [...new Set(names)].flatMap((name) => {
    const tag = tagsByName.get(name);
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
  const ids = body.integers(field, MAX_CATEGORIES);
  if (ids === undefined || ids.length === 0) return undefined;
  for (const id of ids)
    if (!categories.has(id)) body.fault(`${field}: the project has no subcategory ${id}.`);
  return [...new Set(ids)].filter((id) => categories.has(id));
}
