import { invalidRequest } from "../http/api-error.ts";
import type { UnknownParameters } from "../parameters/parameter-reader.ts";
import { GAZETTEER, placeFields } from "../places/gazetteer.ts";
import { type BodyReader, createBodyReader, quote } from "../resources/body-reader.ts";
import type { CurrentMention, MentionKey } from "../store/current-mentions.ts";
import type { StoredCategory } from "../store/labels.ts";
import { EDITABLE, type MentionChanges } from "./mention-changes.ts";

/** The requested changes of one mention. Some depend on its present values. */
export interface MentionEdit extends MentionKey {
  changesOf(mention: Pick<CurrentMention, "fields">): MentionChanges;
}

interface EditScope {
  readonly queryIds: ReadonlySet<number>;
  readonly categories: readonly StoredCategory[];
  readonly tags: readonly { readonly id: number; readonly name: string }[];
  /** Login names of the client. */
  readonly usernames: ReadonlySet<string>;
}

/** More in one call fail at the live service. */
const MAX_EDITS = 1_000;
const MAX_LABELS = 100;

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
  const edits = items.flatMap((item: unknown, index) => {
    try {
      return [readMentionEdit(createBodyReader(item, unknown), scope)];
    } catch (error) {
      faults.push(...faultsOf(error).map((fault) => `[${index}].${fault}`));
      return [];
    }
  });
  if (faults.length > 0) throw invalidRequest(...faults.slice(0, 100));
  return edits;
}

function faultsOf(error: unknown): readonly string[] {
  const body = typeof error === "object" && error !== null && "body" in error ? error.body : undefined;
  if (typeof body !== "object" || body === null || !("errors" in body)) throw error;
  return (body.errors as readonly { message: string }[]).map(({ message }) => message);
}

export function readMentionEdit(body: BodyReader, scope: EditScope): MentionEdit {
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
    exclusiveParents: scope.categories.flatMap(({ id, multiple }) => (multiple ? [] : [String(id)])),
    removeCategories: readCategories(body, "removeCategories", scope).map(({ id }) => Number(id)),
  };
  for (const parent of labels.exclusiveParents) {
    const given = labels.addCategories.filter(({ parentId }) => parentId === parent);
    if (given.length > 1)
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
  const names = body.texts(field, { max: MAX_LABELS, maxLength: 255 }) ?? [];
  return names.flatMap((name) => {
    const tag = tags.find((known) => known.name === name);
    if (tag === undefined)
      body.fault(`${field}: the project has no tag ${quote(name)}; POST …/ruletags makes it.`);
    return tag ?? [];
  });
}

function readCategories(body: BodyReader, field: string, { categories }: EditScope) {
  const ids = body.integers(field) ?? [];
  return ids.flatMap((id) => {
    const parent = categories.find(({ children }) => children.some((child) => child.id === id));
    const child = parent?.children.find((one) => one.id === id);
    if (parent === undefined || child === undefined) {
      body.fault(`${field}: the project has no subcategory ${id}.`);
      return [];
    }
    return [{ id: String(id), name: child.name, parentId: String(parent.id), parentName: parent.name }];
  });
}
