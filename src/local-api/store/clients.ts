import { sql } from "kysely";
import type { Database } from "./database.ts";

export interface ListedClient {
  readonly id: number;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly users: number;
  readonly projects: number;
}

/** Every client of these tables, without access checks. For commands, not for calls. */
export async function listClients(db: Database): Promise<ListedClient[]> {
  const { rows } = await sql<ClientRow>`
    select c.id, c.name, c.tags,
      (select count(*) from local_api.membership m where m.client_id = c.id) as users,
      (select count(*) from local_api.project p where p.client_id = c.id) as projects
    from local_api.client c order by c.id`.execute(db);
  return rows.map((row) => ({
    id: Number(row.id),
    name: row.name,
    tags: row.tags,
    users: Number(row.users),
    projects: Number(row.projects),
  }));
}

interface ClientRow {
  id: string;
  name: string;
  tags: Record<string, string>;
  users: string;
  projects: string;
}
