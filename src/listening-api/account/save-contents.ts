import type { Instant } from "../../lib/instant.ts";
import type { LabelRule } from "../records/labels.ts";
import { categories } from "../resources/categories.ts";
import { queries } from "../resources/queries.ts";
import { queryGroups } from "../resources/query-groups.ts";
import type { NamedThing, Resource, ResourceScope } from "../resources/resource.ts";
import { rules } from "../resources/rules.ts";
import { signalGroups } from "../resources/signal-groups.ts";
import { tags } from "../resources/tags.ts";
import { findOwner, findUser } from "../store/accounts.ts";
import type { Caller } from "../store/callers.ts";
import { type Change, recordChanges } from "../store/changes.ts";
import type { Database } from "../store/database.ts";
import { putDateRanges } from "../store/date-ranges.ts";
import { type CategorySettings, listCategories, listTags } from "../store/labels.ts";
import { findProjectById, listProjects } from "../store/projects.ts";
import {
  hasMentions,
  insertQuery,
  listQueries,
  type QuerySettings,
  type QueryType,
  type StoredQuery,
} from "../store/queries.ts";
import { saveQueryGroup } from "../store/query-groups.ts";
import { lockWriting } from "../store/write-order.ts";
import type { Kind } from "./account-schema.ts";
import { idsByName, partsOf, type Step } from "./plan-account.ts";
import { type ProjectNames, ruleOf, signalOf } from "./rule-fields.ts";

interface Scope extends ResourceScope {
  /** Of the client, by name. */
  readonly projects: ReadonlyMap<string, number>;
  /** Before this apply. */
  hasMentions(): Promise<boolean>;
}

/** How one kind of thing of a project is saved. Gives its id. */
type Save = (scope: Scope, step: Step, current: NamedThing | undefined) => Promise<number>;

/** In the order in which they need each other; deleted in the opposite order. */
const CONTENTS: readonly {
  readonly kind: Kind;
  readonly resource: Resource | undefined;
  readonly save: Save;
}[] = [
  { kind: "query", resource: queries, save: saveQuery },
  { kind: "query group", resource: queryGroups, save: saveGroup },
  { kind: "category", resource: categories[0], save: saveCategory },
  { kind: "tag", resource: tags[0], save: saveTag },
  { kind: "rule", resource: rules, save: saveRule },
  { kind: "signal group", resource: signalGroups, save: saveSignals },
];

/** Saves what is in a project as the calls of the API would, and notes each change as they do. */
export async function saveContents(
  db: Database,
  { client, project }: { client: Step; project: Step },
  { clientId, projectId, at }: { clientId: number; projectId: number; at: Instant },
): Promise<void> {
  const changed = project.parts.filter(isChanged);
  if (changed.length === 0) return;
  await lockWriting(db, [projectId]);
  const projects = await listProjects(db, clientId);
  let answer: Promise<boolean> | undefined;
  const scope: Scope = {
    db,
    project: await findProjectById(db, projectId),
    caller: callerOf(clientId),
    at,
    projects: idsByName(projects, partsOf(client, "project")),
    projectIds: new Set(projects.map(({ id }) => id)),
    hasMentions: () => {
      answer ??= hasMentions(db, projectId);
      return answer;
    },
  };
  const notes: Change[] = [];
  for (const { kind, resource, save } of CONTENTS) {
    const steps = changed.filter((step) => step.kind === kind && step.action !== "delete");
    if (steps.length === 0 || resource === undefined) continue;
    const before = await thingsById(resource, scope);
    const saved: number[] = [];
    for (const step of steps) saved.push(await save(scope, step, before.get(step.stored?.id ?? 0)));
    const after = await thingsById(resource, scope);
    for (const id of saved) notes.push(note(scope, resource, before.get(id), after.get(id)));
  }
  for (const { kind, resource } of [...CONTENTS].reverse()) {
    const steps = changed.filter((step) => step.kind === kind && step.action === "delete");
    if (steps.length === 0 || resource === undefined) continue;
    const before = await thingsById(resource, scope);
    for (const { stored } of steps) {
      const thing = before.get(stored?.id ?? 0);
      if (thing === undefined) continue;
      await resource.remove(scope, thing);
      notes.push(note(scope, resource, thing, undefined));
    }
  }
  await recordChanges(db, notes);
}

/** A category changes with its subcategories. */
function isChanged({ action, parts }: Step): boolean {
  return ["add", "change", "delete"].includes(action) || parts.some(isChanged);
}

async function thingsById(resource: Resource, scope: ResourceScope): Promise<Map<number, NamedThing>> {
  return new Map((await resource.list(scope)).map((thing) => [thing.id, thing]));
}

function note(
  { caller, project }: ResourceScope,
  { noun: kind, record }: Resource,
  before: NamedThing | undefined,
  after: NamedThing | undefined,
): Change {
  return {
    clientId: caller.client.id,
    userId: caller.user.id,
    username: caller.user.username,
    projectId: project.id,
    action: before === undefined ? "create" : after === undefined ? "delete" : "update",
    kind,
    thingId: String(before?.id ?? after?.id),
    before: before === undefined ? null : record(before),
    after: after === undefined ? null : record(after),
  };
}

/** Nobody is logged in: the list of changes names the command. */
function callerOf(clientId: number): Caller {
  const user = { id: 0, username: "earshot", passwordHash: "", firstName: "", lastName: "", createdAt: 0 };
  const client = { id: clientId, name: "", tags: {}, details: {}, createdAt: 0 };
  return { user: { ...user, tokenLifetimeSeconds: undefined, rateLimit: undefined }, client, role: "Admin" };
}

async function saveQuery(scope: Scope, step: Step, current: NamedThing | undefined): Promise<number> {
  const { name, fields } = step;
  const { db, project, caller, at } = scope;
  const stored = current as StoredQuery | undefined;
  const type = fields["type"] as QueryType;
  const start = fields["startDate"];
  const settings: QuerySettings = {
    name,
    type,
    typeName: stored?.type === type ? stored.typeName : null,
    text: type === "search string" ? (fields["text"] as string | null) : null,
    samplePercentage: Number(fields["sample"]),
    description: String(fields["description"]),
    languages: fields["languages"] as string[],
    contentSources: fields["contentSources"] as string[] | null,
    startDate: typeof start === "string" ? Date.parse(start) : null,
    ...((fields["locationFilter"] as LocationFilter | null) ?? {
      includedLocations: [],
      excludedLocations: [],
    }),
  };
  // Thousands of new queries need not search a project without mentions.
  const isAlone = current === undefined && !(await scope.hasMentions());
  const id = isAlone
    ? await insertQuery(db, project.id, settings, { username: caller.user.username, at })
    : await saveThing(queries, scope, settings, current);
  const ranges = (fields["dateRanges"] as readonly DateRange[]).map(
    ({ name: called, startDate, endDate }) => ({
      name: called,
      from: Date.parse(startDate),
      to: Date.parse(endDate),
    }),
  );
  await putDateRanges(db, id, ranges);
  return id;
}

type LocationFilter = Pick<QuerySettings, "includedLocations" | "excludedLocations">;
type DateRange = { readonly name: string; readonly startDate: string; readonly endDate: string };

async function saveGroup(scope: Scope, { name, fields, stored, changes }: Step): Promise<number> {
  const { db, project, caller } = scope;
  const ids = (names: readonly string[], idOf: ReadonlyMap<string, number>) => [
    ...new Set(names.map((one) => idOf.get(one) ?? 0)),
  ];
  const shown = fields["projects"] as string[] | null;
  const owner = fields["owner"] ?? (await findOwner(db, caller.client.id));
  const userId = (await findUser(db, String(owner)))?.id ?? null;
  const isNewOwner = userId !== null && changes.some((change) => change.name === "owner");
  return saveQueryGroup(
    db,
    { projectId: project.id, userId, id: stored?.id, ...(isNewOwner ? { ownerId: userId } : {}) },
    {
      name,
      queryIds: ids(fields["queries"] as string[], idsByName(await listQueries(db, project.id), [])),
      shared: String(fields["shared"]),
      sharedProjectIds: shown === null ? [project.id] : ids(shown, scope.projects),
    },
  );
}

async function saveCategory(
  scope: ResourceScope,
  step: Step,
  current: NamedThing | undefined,
): Promise<number> {
  const listed = step.parts.filter(({ action }) => action !== "delete");
  const covered = new Set(step.parts.map(({ stored }) => stored));
  const others = (step.stored?.parts.subcategory ?? []).filter((stored) => !covered.has(stored));
  const children = [
    ...listed.map(({ name, fields, stored }) => ({ name, fields, id: stored?.id })),
    ...others,
  ];
  const settings: CategorySettings = {
    name: step.name,
    multiple: step.fields["multiple"] === true,
    children: children.map(({ name, fields, id }) => ({ name, rules: fields["rules"] as LabelRule[], id })),
  };
  return saveThing(categories[0], scope, settings, current);
}

function saveTag(
  scope: ResourceScope,
  { name, fields }: Step,
  current: NamedThing | undefined,
): Promise<number> {
  return saveThing(tags[0], scope, { name, rules: fields["rules"] }, current);
}

async function saveRule(
  scope: ResourceScope,
  { name, fields, stated }: Step,
  current: NamedThing | undefined,
): Promise<number> {
  const settings = ruleOf(name, fields, await namesIn(scope));
  return saveThing(rules, scope, { ...settings, ...kept(current, stated, { queries: "queryIds" }) }, current);
}

async function saveSignals(
  scope: ResourceScope,
  { name, fields, stated }: Step,
  current: NamedThing | undefined,
): Promise<number> {
  const settings = signalOf(name, fields, await namesIn(scope));
  const names = {
    includeTags: "includeTagIds",
    excludeTags: "excludeTagIds",
    includeCategories: "includeCategoryIds",
    excludeCategories: "excludeCategoryIds",
  };
  return saveThing(signalGroups, scope, { ...settings, ...kept(current, stated, names) }, current);
}

/** What the file does not state stays by its ids: the names that were read may have changed in this apply. */
function kept(
  current: NamedThing | undefined,
  stated: Step["stated"],
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  if (current === undefined) return {};
  const unstated = Object.entries(names).filter(([field]) => stated[field] === undefined);
  return Object.fromEntries(unstated.map(([, own]) => [own, Reflect.get(current, own)]));
}

async function namesIn({ db, project }: ResourceScope): Promise<ProjectNames> {
  return {
    queries: await listQueries(db, project.id),
    tags: await listTags(db, project.id),
    categories: await listCategories(db, project.id),
  };
}

async function saveThing(
  resource: Resource | undefined,
  scope: ResourceScope,
  settings: unknown,
  current: NamedThing | undefined,
): Promise<number> {
  if (resource === undefined) throw new Error("a kind of thing has no resource");
  if (current !== undefined) {
    await resource.update(scope, current, settings);
    return current.id;
  }
  const made = await resource.create(scope, settings);
  return typeof made === "number" ? made : made.id;
}
