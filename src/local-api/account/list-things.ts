import { type Instant, toIso } from "../../lib/instant.ts";
import { listCategories } from "../store/categories.ts";
import { listChanges } from "../store/changes.ts";
import { listClients } from "../store/clients.ts";
import type { Database } from "../store/database.ts";
import { listQueries } from "../store/queries.ts";
import { listQueryGroups } from "../store/query-groups.ts";
import { readQueryVolumes } from "../store/query-volumes.ts";
import { type ListKind, listSharedLists } from "../store/shared-lists.ts";
import { listTags } from "../store/tags.ts";
import { listUsers } from "../store/users.ts";
import { allProjects, findProject } from "./find-project.ts";

/** What can be listed. */
export const LISTABLE = [
  "clients",
  "users",
  "projects",
  "queries",
  "query-groups",
  "categories",
  "tags",
  "site-lists",
  "author-lists",
  "location-lists",
  "changes",
] as const;
export type Listable = (typeof LISTABLE)[number];

const MAX_CHANGES = 1_000;

export interface ListScope {
  readonly project?: string;
  readonly client?: string;
}

/** Rows with an id and a name each, ready to be shown. */
export async function listThings(
  db: Database,
  what: Listable,
  scope: ListScope,
  /** Mentions of queries are counted as the service shows them then; without it, as they are stored. */
  at?: Instant,
): Promise<readonly (Readonly<Record<string, unknown>> & { readonly id: number; readonly name: string })[]> {
  switch (what) {
    case "clients":
      return (await listClients(db)).map((client) => ({ ...client }));
    case "users":
      return (await listUsers(db)).map(({ id, name, memberships, tokens }) => ({
        id,
        name,
        clients: memberships.map(({ client, role }) => `${client} (${role})`),
        tokens,
      }));
    case "projects":
      return (await allProjects(db, scope.client)).map(({ id, name, clientName, timezone }) => ({
        id,
        name,
        client: clientName,
        timezone,
      }));
    case "queries":
      return queryRows(db, (await findProject(db, scope)).id, at);
    case "query-groups":
      return (await listQueryGroups(db, (await findProject(db, scope)).id)).map(({ id, name, queries }) => ({
        id,
        name,
        queries: queries.map((query) => query.name),
      }));
    case "categories":
      return (await listCategories(db, (await findProject(db, scope)).id)).map(({ id, name, children }) => ({
        id,
        name,
        children: children.map((child) => `${child.id} ${child.name}`),
      }));
    case "tags":
      return (await listTags(db, (await findProject(db, scope)).id)).map((tag) => ({ ...tag }));
    case "site-lists":
      return listRows(db, "site", scope);
    case "author-lists":
      return listRows(db, "author", scope);
    case "location-lists":
      return listRows(db, "location", scope);
    case "changes":
      return changeRows(db, (await findProject(db, scope)).id);
  }
}

/** What was written by calls, the latest first. */
async function changeRows(db: Database, projectId: number) {
  const changes = await listChanges(db, projectId, MAX_CHANGES);
  return changes.map(({ id, at, username, action, kind, thingId, before, after }) => ({
    id,
    at: toIso(at),
    user: username,
    action,
    kind,
    name: nameOf(after) ?? nameOf(before) ?? thingId,
    changed: changedFields(before, after),
  }));
}

function nameOf(record: object | null): string | undefined {
  const name: unknown = record === null ? undefined : Reflect.get(record, "name");
  return typeof name === "string" ? name : undefined;
}

function changedFields(before: object | null, after: object | null): readonly string[] {
  if (before === null || after === null) return [];
  const old = new Map(Object.entries(before));
  return Object.entries(after).flatMap(([name, value]) =>
    JSON.stringify(old.get(name)) === JSON.stringify(value) ? [] : [name],
  );
}

async function queryRows(db: Database, projectId: number, at: Instant | undefined) {
  const queries = await listQueries(db, projectId);
  const volumes = await readQueryVolumes(
    db,
    queries.map(({ id }) => id),
    at,
  );
  return queries.map(({ id, name, type }) => {
    const volume = volumes.get(id);
    const newest = volume?.newestAt;
    return {
      id,
      name,
      type,
      mentions: volume?.mentions ?? 0,
      newest: newest === null || newest === undefined ? null : toIso(newest),
    };
  });
}

async function listRows(db: Database, kind: ListKind, scope: ListScope) {
  const project = await findProject(db, scope);
  return (await listSharedLists(db, kind, project.id)).map(({ id, name, shared, owner, entries }) => ({
    id,
    name,
    shared,
    owner,
    entries,
  }));
}
