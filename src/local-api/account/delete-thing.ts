import { UserError } from "../../lib/errors.ts";
import type { Database } from "../store/database.ts";
import {
  deleteCategory,
  deleteClient,
  deleteProject,
  deleteQueries,
  deleteQueryGroup,
  deleteSavedList,
  deleteTag,
  deleteUser,
} from "../store/delete-things.ts";
import { listQueries } from "../store/queries.ts";
import { readQueryVolumes } from "../store/query-volumes.ts";
import { allProjects } from "./find-project.ts";
import { type Listable, type ListScope, listThings } from "./list-things.ts";
import { pick } from "./pick.ts";

/** What can be deleted, and where it is listed. */
export const DELETABLE = {
  client: "clients",
  user: "users",
  project: "projects",
  query: "queries",
  "query-group": "query-groups",
  category: "categories",
  tag: "tags",
  "site-list": "site-lists",
  "author-list": "author-lists",
  "location-list": "location-lists",
} as const satisfies Readonly<Record<string, Listable>>;
export type Deletable = keyof typeof DELETABLE;

/**
 * Deletes one thing with everything that is in it. Where mentions would go with it, only with `evenWithMentions`;
 * else a `UserError` says how many.
 */
export async function deleteThing(
  db: Database,
  kind: Deletable,
  nameOrId: string,
  options: ListScope & { readonly evenWithMentions: boolean },
): Promise<{ kind: Deletable; id: number; name: string; mentions: number }> {
  const things = await candidates(db, kind, options);
  const { id, name } = pick(kind.replaceAll("-", " "), things, nameOrId);
  const mentions = await mentionsIn(db, kind, id, name);
  if (mentions > 0 && !options.evenWithMentions)
    throw new UserError(
      `The ${kind} ${JSON.stringify(name)} has ${mentions} mentions, which would go with it.`,
      ["--yes deletes them, too"],
    );
  await db.transaction().execute((transaction) => DELETE[kind](transaction, id));
  return { kind, id, name, mentions };
}

const DELETE: Readonly<Record<Deletable, (db: Database, id: number) => Promise<void>>> = {
  client: deleteClient,
  user: deleteUser,
  project: deleteProject,
  query: (db, id) => deleteQueries(db, [id]),
  "query-group": deleteQueryGroup,
  category: deleteCategory,
  tag: deleteTag,
  "site-list": deleteSavedList,
  "author-list": deleteSavedList,
  "location-list": deleteSavedList,
};

/** Subcategories can be named, too. */
async function candidates(db: Database, kind: Deletable, scope: ListScope) {
  const things = await listThings(db, DELETABLE[kind], scope);
  if (kind !== "category") return things;
  const children = things.flatMap(({ children }) =>
    (children as readonly string[]).map((child) => {
      const [, id = "", name = ""] = /^(\d+) ([\s\S]*)$/.exec(child) ?? [];
      return { id: Number(id), name };
    }),
  );
  return [...things, ...children];
}

async function mentionsIn(db: Database, kind: Deletable, id: number, name: string): Promise<number> {
  const queryIds =
    kind === "query"
      ? [id]
      : kind === "project"
        ? (await listQueries(db, id)).map((query) => query.id)
        : kind === "client"
          ? await queriesOfClient(db, name)
          : [];
  const volumes = await readQueryVolumes(db, queryIds);
  return [...volumes.values()].reduce((sum, { mentions }) => sum + mentions, 0);
}

async function queriesOfClient(db: Database, client: string): Promise<number[]> {
  const projects = await allProjects(db, client);
  const queries = await Promise.all(projects.map(({ id }) => listQueries(db, id)));
  return queries.flat().map(({ id }) => id);
}
