import { sql } from "kysely";
import type { Database } from "./database.ts";
import type { ListKind } from "./saved-lists.ts";

export interface SharedList {
  readonly id: number;
  readonly name: string;
  readonly shared: string;
  readonly owner: string;
  readonly entries: readonly string[];
}

/** Every list that shows in the project, those of one login alone included. For commands, not for calls. */
export async function listSharedLists(
  db: Database,
  kind: ListKind,
  projectId: number,
): Promise<SharedList[]> {
  const { rows } = await sql<{ id: string; name: string; shared: string; owner: string; entries: string[] }>`
    select l.id, l.name, l.shared, u.username as owner, l.entries
    from local_api.saved_list l join local_api.api_user u on u.id = l.user_id
    where l.kind = ${kind} and ${projectId} = any(l.shared_project_ids) order by l.id`.execute(db);
  return rows.map((row) => ({ ...row, id: Number(row.id) }));
}
