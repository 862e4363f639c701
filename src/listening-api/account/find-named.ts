import { closestWord } from "../../lib/closest-word.ts";
import { UserError } from "../../lib/errors.ts";
import { listClients } from "../store/account-lists.ts";
import type { Database } from "../store/database.ts";
import { listProjects, type StoredProject } from "../store/projects.ts";

/** The one that a person means by a name or an id. Throws a `UserError` that says which there are. */
export function pick<Thing extends { readonly id: number; readonly name: string }>(
  what: string,
  things: readonly Thing[],
  nameOrId: string,
): Thing {
  const exact = things.filter(({ name }) => name === nameOrId);
  const alike = things.filter(({ name }) => name.toLowerCase() === nameOrId.toLowerCase());
  const byId = things.filter(({ id }) => String(id) === nameOrId);
  for (const found of [exact, byId, alike]) {
    if (found.length > 1)
      throw new UserError(`There are ${found.length} of ${what} ${JSON.stringify(nameOrId)}.`, [
        `say which by its id: ${found.map(({ id }) => id).join(", ")}`,
      ]);
    if (found[0] !== undefined) return found[0];
  }
  throw new UserError(`There is no ${what} ${JSON.stringify(nameOrId)}.`, hints(things, nameOrId));
}

const NAMED = 20;

function hints(things: readonly { readonly id: number; readonly name: string }[], word: string): string[] {
  if (things.length === 0) return ["there is none yet: earshot local-api apply --help shows how to make one"];
  const names = things.map(({ name }) => name);
  const meant = closestWord(word, names);
  const known = things.slice(0, NAMED).map(({ id, name }) => `${id} ${name}`);
  const more = things.length > NAMED ? ` and ${things.length - NAMED} more` : "";
  return [
    ...(meant === undefined ? [] : [`perhaps ${JSON.stringify(meant)}`]),
    `there is: ${known.join(", ")}${more}`,
  ];
}

/** The project that a person named; without a name the only one there is. Throws a `UserError` otherwise. */
export async function findProject(
  db: Database,
  names: { readonly project?: string; readonly client?: string },
): Promise<StoredProject> {
  const projects = await allProjects(db, names.client);
  if (names.project !== undefined) return pick("project", projects, names.project);
  const [only, ...others] = projects;
  if (only !== undefined && others.length === 0) return only;
  throw new UserError(
    only === undefined ? "There is no project yet." : "There are several projects: which one?",
    only === undefined
      ? ["earshot local-api apply --help shows how to make one"]
      : [`--project with one of ${projects.map(({ id, name }) => `${id} ${name}`).join(", ")}`],
  );
}

/** Every project of these tables, or those of one client. */
async function allProjects(db: Database, client?: string): Promise<StoredProject[]> {
  const clients = await listClients(db);
  const owners = client === undefined ? clients : [pick("client", clients, client)];
  return (await Promise.all(owners.map(({ id }) => listProjects(db, id)))).flat();
}
