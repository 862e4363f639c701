import { UserError } from "../../lib/errors.ts";
import { listClients } from "../store/clients.ts";
import type { Database } from "../store/database.ts";
import { listProjects, type StoredProject } from "../store/projects.ts";
import { pick } from "./pick.ts";

/** The project that a person named; without a name the only one there is. Throws a `UserError` otherwise. */
export async function findProject(
  db: Database,
  asked: { readonly project?: string; readonly client?: string },
): Promise<StoredProject> {
  const projects = await allProjects(db, asked.client);
  if (asked.project !== undefined) return pick("project", projects, asked.project);
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
export async function allProjects(db: Database, client?: string): Promise<StoredProject[]> {
  const clients = await listClients(db);
  const asked = client === undefined ? clients : [pick("client", clients, client)];
  return (await Promise.all(asked.map(({ id }) => listProjects(db, id)))).flat();
}
