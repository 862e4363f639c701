import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import type { Database } from "./database.ts";

export interface StoredProject {
  readonly id: number;
  readonly clientId: number;
  readonly clientName: string;
  readonly name: string;
  readonly description: string;
  readonly timezone: string;
  readonly defaultLanguage: string;
  /** Null: that of the client. */
  readonly dataPolicy: string | null;
  /** No committed write to its mentions has a later moment, see `write-order.ts`. */
  readonly writtenAt: Instant;
}

/** What is set of a project. */
type ProjectSettings = Omit<StoredProject, "id" | "clientName" | "writtenAt">;

export async function listProjects(db: Database, clientId: number): Promise<StoredProject[]> {
  const { rows } = await sql<ProjectRow>`${SELECT} where p.client_id = ${clientId} order by p.id`.execute(db);
  return rows.map(toProject);
}

/** Only inside the given client: the project of another client is as good as none. */
export async function findProject(
  db: Database,
  clientId: number,
  projectId: number,
): Promise<StoredProject | undefined> {
  const { rows } = await sql<ProjectRow>`
    ${SELECT} where p.client_id = ${clientId} and p.id = ${projectId}`.execute(db);
  return rows[0] && toProject(rows[0]);
}

/** For parts besides the calls. Throws if there is none. */
export async function findProjectById(db: Database, id: number): Promise<StoredProject> {
  const { rows } = await sql<ProjectRow>`${SELECT} where p.id = ${id}`.execute(db);
  if (rows[0] === undefined) throw new Error(`there is no project ${id}`);
  return toProject(rows[0]);
}

/** Creates the project or updates the one of that name in the client, whose data policy stays when none is given. */
export async function putProject(db: Database, project: ProjectSettings): Promise<number> {
  const { rows } = await sql<{ id: string }>`
    insert into local_api.project (client_id, name, description, timezone, default_language, data_policy)
    values (${project.clientId}, ${project.name}, ${project.description}, ${project.timezone},
      ${project.defaultLanguage}, ${project.dataPolicy})
    on conflict (client_id, name) do update set description = excluded.description,
      timezone = excluded.timezone, default_language = excluded.default_language,
      data_policy = coalesce(excluded.data_policy, project.data_policy)
    returning id`.execute(db);
  return Number(rows[0]?.id);
}

export async function updateProject(
  db: Database,
  project: Omit<ProjectSettings, "clientId"> & { readonly id: number },
): Promise<void> {
  await sql`
    update local_api.project set name = ${project.name}, description = ${project.description},
      timezone = ${project.timezone}, default_language = ${project.defaultLanguage},
      data_policy = ${project.dataPolicy}
    where id = ${project.id}`.execute(db);
}

const SELECT = sql`
  select p.id, p.client_id, c.name as client_name, p.name, p.description, p.timezone, p.default_language,
    p.data_policy, p.written_at
  from local_api.project p join local_api.client c on c.id = p.client_id`;

interface ProjectRow {
  id: string;
  client_id: string;
  client_name: string;
  name: string;
  description: string;
  timezone: string;
  default_language: string;
  data_policy: string | null;
  written_at: Date;
}

function toProject(row: ProjectRow): StoredProject {
  return {
    id: Number(row.id),
    clientId: Number(row.client_id),
    clientName: row.client_name,
    name: row.name,
    description: row.description,
    timezone: row.timezone,
    defaultLanguage: row.default_language,
    dataPolicy: row.data_policy,
    writtenAt: row.written_at.getTime(),
  };
}
