import { closestWord } from "../../lib/closest-word.ts";
import { UserError } from "../../lib/errors.ts";
import type { Instant } from "../../lib/instant.ts";
import { emptyMentions, tombstoneMentions } from "../arrive/tombstone-mentions.ts";
import { type EditedMention, type EditMoment, editMention } from "../edit/edit-mention.ts";
import { EDITABLE, FIXED_FIELDS, type MentionChanges } from "../edit/mention-changes.ts";
import type { StoredCategory } from "../records/labels.ts";
import { type CategoryDetail, mentionRecord } from "../records/mention-record.ts";
import { type ListedUser, listClients, listUsers } from "../store/account-lists.ts";
import type { Database } from "../store/database.ts";
import { listCategories, listTags, putTag } from "../store/labels.ts";
import { revokeTokens } from "../store/logins.ts";
import { listQueries } from "../store/queries.ts";
import { findHolders } from "../store/received-items.ts";
import { beginWriting } from "../store/write-order.ts";
import { findProject, pick } from "./find-named.ts";

/** An edit as people write it: names instead of ids, `none` instead of null. */
export interface NamedEdit {
  /** Default: the only one. */
  readonly project?: string;
  readonly client?: string;
  readonly resourceId: string;
  /** Without one: every query of the project that has the mention. */
  readonly query?: string;
  readonly sentiment?: string;
  readonly status?: string;
  readonly priority?: string;
  readonly assignment?: string;
  readonly checked?: boolean;
  readonly starred?: boolean;
  /** Subcategories. */
  readonly addCategories: readonly string[];
  readonly removeCategories: readonly string[];
  /** Made where the project has none of that name. */
  readonly addTags: readonly string[];
  readonly removeTags: readonly string[];
  /** `field=JSON` for any other field of the record. */
  readonly fields: readonly string[];
}

/** Throws a `UserError` that says which names and values there are. */
export async function editNamed(db: Database, edit: NamedEdit, when: EditMoment): Promise<EditedMention[]> {
  const project = await findProject(db, edit);
  const queries = await listQueries(db, project.id);
  const chosen = edit.query === undefined ? queries : [pick("query", queries, edit.query)];
  const changes = await changesOf(db, project.id, edit);
  const queryIds = chosen.map(({ id }) => id);
  return editMention(db, { projectId: project.id, queryIds, resourceId: edit.resourceId }, changes, when);
}

/**
 * Deletes mentions of one query, or everywhere in the project, what feeds know of them included. A record without content
 * stays, from which programs that poll learn of it. Gives how many there were.
 */
export async function deleteNamed(
  db: Database,
  which: Pick<NamedEdit, "project" | "client" | "query"> & { readonly resourceIds: readonly string[] },
  now: () => Instant,
): Promise<number> {
  const { id: projectId } = await findProject(db, which);
  const { query, resourceIds } = which;
  const chosen = query === undefined ? undefined : pick("query", await listQueries(db, projectId), query);
  const deleted = await db.transaction().execute(async (own) => {
    const at = await beginWriting(own, [projectId], now);
    if (chosen === undefined) return tombstoneMentions(own, projectId, resourceIds, { at, reason: REASON });
    return emptyMentions(own, await findHolders(own, [chosen.id], resourceIds), at);
  });
  if (deleted === 0)
    throw new UserError("There is no such mention.", ["a mention is named by its resourceId"]);
  return deleted;
}

const REASON = "deleted by hand";

async function changesOf(db: Database, projectId: number, edit: NamedEdit): Promise<MentionChanges> {
  const { sentiment, status, priority, assignment, checked, starred } = edit;
  const categories = await listCategories(db, projectId);
  const details = subcategories(categories);
  const named = (name: string) => pick("category", details, name);
  const tags = await listTags(db, projectId);
  const changes: MentionChanges = {
    ...(sentiment === undefined ? {} : { sentiment: allowedValue("sentiment", sentiment) ?? "" }),
    ...(status === undefined ? {} : { status: valueOrNone("status", status) }),
    ...(priority === undefined ? {} : { priority: valueOrNone("priority", priority) }),
    ...(assignment === undefined ? {} : { assignment: assignment === NONE ? null : assignment }),
    ...(checked === undefined ? {} : { checked }),
    ...(starred === undefined ? {} : { starred }),
    addCategories: edit.addCategories.map((name) => named(name).detail),
    exclusiveParents: new Set(categories.flatMap(({ id, multiple }) => (multiple ? [] : [String(id)]))),
    removeCategories: edit.removeCategories.map((name) => named(name).id),
    addTags: await Promise.all(
      edit.addTags.map(async (name) => ({ id: await putTag(db, projectId, name), name })),
    ),
    removeTags: edit.removeTags.map((name) => pick("tag", tags, name)),
    fields: Object.fromEntries(edit.fields.map(fieldOf)),
  };
  const { exclusiveParents: _, ...asked } = changes;
  if (
    Object.values(asked).every((change) => typeof change === "object" && change !== null && isEmpty(change))
  )
    throw new UserError("Nothing was to be changed.", ["earshot local-api edit --help shows what can be"]);
  return changes;
}

const NONE = "none";

function valueOrNone(name: "status" | "priority", value: string): string | null {
  return value === NONE ? null : allowedValue(name, value);
}

function allowedValue(name: keyof typeof EDITABLE, value: string): string {
  const allowed: readonly string[] = EDITABLE[name];
  if (allowed.includes(value)) return value;
  throw new UserError(`--${name} ${value}: expected one of ${allowed.join(", ")}.`);
}

function subcategories(
  categories: readonly StoredCategory[],
): { id: number; name: string; detail: CategoryDetail }[] {
  return categories.flatMap((parent) =>
    parent.children.map(({ id, name }) => ({
      id,
      name,
      detail: { id: String(id), name, parentId: String(parent.id), parentName: parent.name },
    })),
  );
}

const FIELDS = Object.keys(
  mentionRecord({ resourceId: "", queryId: 0, queryName: "", added: "", updated: "" }),
);

function fieldOf(text: string): [string, unknown] {
  const [, name = "", json = ""] = /^([^=]+)=([\s\S]*)$/.exec(text) ?? [];
  const meant = closestWord(name, FIELDS);
  if (!FIELDS.includes(name))
    throw new UserError(
      `--set ${text}: expected FIELD=JSON with a field of the record${meant === undefined ? "" : `, perhaps ${meant}`}.`,
    );
  if (FIXED_FIELDS.includes(name)) throw new UserError(`--set ${text}: ${name} does not change.`);
  try {
    return [name, JSON.parse(json)];
  } catch {
    // A word without quotation marks is meant as text.
    return [name, json];
  }
}

function isEmpty(change: object): boolean {
  return Object.keys(change).length === 0;
}

/** Revokes the tokens of a login, of a client, or of the login in the client. Returns their number. */
export async function revoke(
  db: Database,
  names: { user?: string | undefined; client?: string | undefined },
): Promise<number> {
  const user = names.user === undefined ? undefined : await userNamed(db, names.user);
  const client = names.client === undefined ? undefined : pick("client", await listClients(db), names.client);
  if (user !== undefined)
    return revokeTokens(db, { userId: user.id, ...(client === undefined ? {} : { clientId: client.id }) });
  if (client !== undefined) return revokeTokens(db, { clientId: client.id });
  throw new UserError("Whose tokens?", ["name a login, or a client with --client"]);
}

async function userNamed(db: Database, name: string): Promise<ListedUser> {
  return pick("user", await listUsers(db), name);
}
