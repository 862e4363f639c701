import { UserError } from "../../lib/errors.ts";
import { findOwner, findUser, type StoredUser } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import type { StoredProject } from "../store/projects.ts";
import { listQueries } from "../store/queries.ts";
import { putQueryGroup } from "../store/query-groups.ts";
import { putAuthorList, putLocationList, putSiteList } from "../store/saved-lists.ts";
import { pick } from "./pick.ts";

/** A group of existing queries. Created, or extended. */
export async function createQueryGroup(
  db: Database,
  project: StoredProject,
  group: { name: string; queries: readonly string[]; user?: string },
): Promise<{ id: number; name: string; queries: readonly string[] }> {
  const known = await listQueries(db, project.id);
  const chosen = group.queries.map((query) => pick("query", known, query));
  const owner = await ownerOf(db, project, group.user);
  const id = await putQueryGroup(db, {
    projectId: project.id,
    name: group.name,
    queryIds: chosen.map((query) => query.id),
    userId: owner.id,
  });
  return { id, name: group.name, queries: chosen.map(({ name }) => name) };
}

/** A saved list that shows in the project; one of that name is replaced. */
export async function createList(
  db: Database,
  project: StoredProject,
  list: { kind: "site" | "author" | "location"; name: string; entries: readonly string[]; user?: string },
): Promise<{ id: number; name: string; entries: readonly string[] }> {
  const owner = await ownerOf(db, project, list.user);
  const { name, entries } = list;
  const common = { clientId: project.clientId, userId: owner.id, name, sharedProjectIds: [project.id] };
  const id =
    list.kind === "site"
      ? await putSiteList(db, { ...common, domains: entries })
      : list.kind === "author"
        ? await putAuthorList(db, { ...common, authors: entries })
        : await putLocationList(db, { ...common, locationIds: entries });
  return { id, name, entries };
}

/** The login that is named, or the first one of the client. */
async function ownerOf(db: Database, project: StoredProject, username?: string): Promise<StoredUser> {
  const name = username ?? (await findOwner(db, project.clientId));
  const user = await findUser(db, name);
  if (user !== undefined) return user;
  throw new UserError(
    username === undefined
      ? `The client ${JSON.stringify(project.clientName)} has no login that could own it.`
      : `There is no login ${JSON.stringify(username)}.`,
    [`make one: earshot local-api create user NAME --client ${JSON.stringify(project.clientName)}`],
  );
}
