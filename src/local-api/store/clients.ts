import { sql } from "kysely";
import type { ClientDetails } from "./accounts.ts";
import type { Database } from "./database.ts";

export interface ListedClient {
  readonly id: number;
  readonly name: string;
  readonly tags: Readonly<Record<string, string>>;
  readonly details: ClientDetails;
}

/** Every client of these tables, without access checks. For commands, not for calls. */
export async function listClients(db: Database): Promise<ListedClient[]> {
  const { rows } = await sql<Omit<ListedClient, "id"> & { id: string }>`
    select id, name, tags, details from local_api.client order by id`.execute(db);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}

export async function updateClient(db: Database, { id, name, tags, details }: ListedClient): Promise<void> {
  await sql`
    update local_api.client set name = ${name}, tags = ${JSON.stringify(tags)}::jsonb,
      details = ${JSON.stringify(details)}::jsonb
    where id = ${id}`.execute(db);
}
