import { groupBy } from "../../lib/group-by.ts";
import { invalidRequest } from "../http/api-error.ts";
import type { UnknownParameters } from "../parameters/parameter-reader.ts";
import { GAZETTEER, placeFields } from "../places/gazetteer.ts";
import type { CategoryDetail } from "../records/mention-record.ts";
import { type BodyReader, createBodyReader, quote } from "../resources/body-reader.ts";
import type { CurrentMention, MentionKey } from "../store/current-mentions.ts";
import type { StoredCategory } from "../store/labels.ts";
import { EDITABLE, type MentionChanges } from "./mention-changes.ts";

/** The requested changes of one mention. Some depend on its present values. */
export interface MentionEdit extends MentionKey {
  changesOf(mention: Pick<CurrentMention, "fields">): MentionChanges;
}

interface Tag {
  readonly id: number;
  readonly name: string;
}

/** What edits may name, by how they name it: a call has 200,000 names at most, and a project thousands of labels. */
interface EditScope {
  readonly queryIds: ReadonlySet<number>;
  /** Subcategories. */
  readonly categories: ReadonlyMap<number, CategoryDetail>;
  /** Parents of which a mention has one subcategory at most. */
  readonly exclusiveParents: ReadonlySet<string>;
  readonly tags: ReadonlyMap<string, Tag>;
  /** Login names of the client. */
  readonly usernames: ReadonlySet<string>;
}

export function editScope(project: {
  readonly queryIds: readonly number[];
  readonly categories: readonly StoredCategory[];
  readonly tags: readonly Tag[];
  readonly usernames: readonly string[];
}): EditScope {
  const details = project.categories.flatMap((parent) =>
    parent.children.map(({ id, name }) => ({
      ...{ id: String(id), name },
      ...{ parentId: String(parent.id), parentName: parent.name },
    })),
  );
  return {
    queryIds: new Set(project.queryIds),
    categories: new Map(details.map((detail) => [Number(detail.id), detail])),
    exclusiveParents: new Set(
      project.categories.flatMap(({ id, multiple }) => (multiple ? [] : [String(id)])),
    ),
    tags: new Map(project.tags.map((tag) => [tag.name, tag])),
    usernames: new Set(project.usernames),
  };
}

/** More in one call fail at the live service. */
const MAX_EDITS = 1_000;
const MAX_TAGS = 100;
/** As many as a category may have children. */
const MAX_CATEGORIES = 1_000;
const MOST_FAULTS = 100;

/**
 * Reads `[{queryId, resourceId, sentiment, addTag, …}]`, or one such object. Throws one 400 that names every fault by
 * its position in the list.
 */
export function readMentionEdits(
  given: unknown,
  scope: EditScope,
  unknown: UnknownParameters,
): readonly MentionEdit[] {
  const items = Array.isArray(given) ? given : [given];
  if (items.length > MAX_EDITS)
    throw invalidRequest(`body: expected at most ${MAX_EDITS} mentions in one call, got ${items.length}.`);
  const faults: string[] = [];
  const edits: MentionEdit[] = [];
  for (const [index, item] of items.entries()) {
    if (faults.length >= MOST_FAULTS) break;
    try {
      edits.push(readEdit(createBodyReader(item, unknown), scope));
    } catch (error) {
      for (const fault of faultsOf(error)) faults.push(`[${index}].${fault}`);
    }
  }
  if (faults.length > 0) throw invalidRequest(...faults.slice(0, MOST_FAULTS));
  return edits;
}

function faultsOf(error: unknown): readonly string[] {
  const body = typeof error === "object" && error !== null && "body" in error ? error.body : undefined;
  if (typeof body !== "object" || body === null || !("errors" in body)) throw error;
  return (body.errors as readonly { message: string }[]).map(({ message }) => message);
}

function readEdit(body: BodyReader, scope: EditScope): MentionEdit {
  const { queryId } = body.body;
  if (!scope.queryIds.has(Number(queryId)))
    body.fault(`queryId: ${quote(queryId)} is no query of this project.`);
  const resourceId = body.text("resourceId", 100);
  if (resourceId === undefined) body.fault("resourceId: required, that of the mention's record.");
  const { location } = body.body;
  const place = typeof location === "string" ? GAZETTEER.get(location) : undefined;
  if (body.has("location") && place === undefined)
    body.fault(`location: ${quote(location)} is no known location; GET /locations lists them.`);
  const assignment = body.text("assignment", 320);
  if (assignment !== undefined && !scope.usernames.has(assignment))
    body.fault(`assignment: ${quote(assignment)} is no user of this client.`);
  const priority = body.oneOf("priority", EDITABLE.priority);
  const status = body.oneOf("status", EDITABLE.status);
  const sentiment = body.oneOf("sentiment", EDITABLE.sentiment);
  const checked = body.flag("checked");
  const starred = body.flag("starred");
  const removed = {
    priority: body.oneOf("removePriority", EDITABLE.priority),
    status: body.oneOf("removeStatus", EDITABLE.status),
    assignment: body.text("removeAssignment", 320),
  };
  const labels = {
    addTags: readTags(body, "addTag", scope),
    removeTags: readTags(body, "removeTag", scope),
    addCategories: readCategories(body, "addCategories", scope),
    exclusiveParents: scope.exclusiveParents,
    removeCategories: readCategories(body, "removeCategories", scope).map(({ id }) => Number(id)),
  };
  for (const [parent, given] of groupBy(labels.addCategories, ({ parentId }) => parentId)) {
    if (given.length > 1 && labels.exclusiveParents.has(parent))
      body.fault(`addCategories: ${given.map(({ id }) => id).join(" and ")} exclude each other.`);
  }
  body.accept("queryId", "date");
  body.finish("a mention that is changed");
  return {
    queryId: Number(queryId),
    resourceId: resourceId ?? "",
    changesOf({ fields }) {
      const changes = {
        ...(sentiment === undefined ? {} : { sentiment }),
        ...(checked === undefined ? {} : { checked }),
        ...(starred === undefined ? {} : { starred }),
        ...workflow("priority", priority),
        ...workflow("status", status),
        ...workflow("assignment", assignment),
      };
      return { ...changes, ...labels, fields: place === undefined ? {} : { ...placeFields(place) } };

      /** Removed only if it still has this value: somebody else may have set another one. */
      function workflow(name: keyof typeof removed, set: string | undefined): Record<string, string | null> {
        if (set !== undefined) return { [name]: set };
        return removed[name] !== undefined && fields[name] === removed[name] ? { [name]: null } : {};
      }
    },
  };
}

function readTags(body: BodyReader, field: string, { tags }: EditScope) {
  const names = body.texts(field, { max: MAX_TAGS, maxLength: 255 }) ?? [];
  return names.flatMap((name) => {
    const tag = tags.get(name);
    if (tag === undefined)
      body.fault(`${field}: the project has no tag ${quote(name)}; POST …/ruletags makes it.`);
    return tag ?? [];
  });
}

function readCategories(body: BodyReader, field: string, { categories }: EditScope) {
  const ids = body.integers(field, MAX_CATEGORIES) ?? [];
  return ids.flatMap((id) => {
    const category = categories.get(id);
    if (category === undefined) body.fault(`${field}: the project has no subcategory ${id}.`);
    return category ?? [];
  });
}
