import { sql } from "kysely";
import type { Database } from "./database.ts";
import { projectsThatExist } from "./shared-projects.ts";

export const LIST_KINDS = ["site", "author", "location"] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** `public`: anybody in the projects may see and change the list. `private`: only its owner. */
export const LIST_SHARINGS = ["public", "private"] as const;
export type ListSharing = (typeof LIST_SHARINGS)[number];

export interface StoredList {
  readonly id: number;
  readonly name: string;
  readonly shared: string;
  readonly sharedProjectIds: readonly number[];
  /** Domains (or domain and path), author names, or location ids. */
  readonly entries: readonly string[];
  readonly userId: number;
  readonly userName: string;
}

interface NewList {
  readonly clientId: number;
  readonly userId: number;
  readonly name: string;
  /** Default public. */
  readonly shared?: ListSharing;
  /** Projects of the client in which the list shows. */
  readonly sharedProjectIds: readonly number[];
}

/** The lists of one kind that a user of the client sees in the project. */
export async function listSavedLists(
  db: Database,
  kind: ListKind,
  seenBy: { clientId: number; projectId: number; userId: number },
): Promise<StoredList[]> {
  const { rows } = await sql<ListRow>`${SELECT}
    where l.client_id = ${seenBy.clientId} and l.kind = ${kind}
      and ${seenBy.projectId} = any(l.shared_project_ids)
      and (l.shared = 'public' or l.user_id = ${seenBy.userId})
    order by l.id`.execute(db);
  return rows.map(toList);
}

/** Every list of a client, whoever owns it. For commands, not for calls. */
export async function listClientLists(db: Database, kind: ListKind, clientId: number): Promise<StoredList[]> {
  const { rows } = await sql<ListRow>`${SELECT}
    where l.client_id = ${clientId} and l.kind = ${kind} order by l.id`.execute(db);
  return rows.map(toList);
}

/** Makes a new list in any case: the API has no way to recognise a repeated request. */
export async function createSavedList(
  db: Database,
  kind: ListKind,
  list: NewList & { entries: readonly string[] },
): Promise<StoredList> {
  const { rows } = await sql<ListRow>`
    with l as (
      insert into local_api.saved_list (client_id, kind, name, shared, shared_project_ids, entries, user_id)
      values (${list.clientId}, ${kind}, ${list.name}, ${list.shared ?? "public"},
        ${list.sharedProjectIds}::bigint[], ${list.entries}::text[], ${list.userId})
      returning *)
    select ${COLUMNS} from l join local_api.api_user u on u.id = l.user_id`.execute(db);
  if (rows[0] === undefined) throw new Error("a list vanished while it was created");
  return toList(rows[0]);
}

/** The changeable fields of a list. Without a login its owner stays. */
export async function updateSavedList(
  db: Database,
  id: number,
  list: Pick<StoredList, "name" | "shared" | "sharedProjectIds" | "entries"> & { readonly userId?: number },
): Promise<void> {
  await sql`
    update local_api.saved_list set name = ${list.name}, shared = ${list.shared},
      shared_project_ids = ${list.sharedProjectIds}::bigint[], entries = ${list.entries}::text[],
      user_id = coalesce(${list.userId ?? null}, user_id)
    where id = ${id}`.execute(db);
}

const COLUMNS = sql`l.id, l.name, l.shared, l.entries, l.user_id, u.username,
  ${projectsThatExist(sql`l.shared_project_ids`)} as shared_project_ids`;

const SELECT = sql`
  select ${COLUMNS}
  from local_api.saved_list l join local_api.api_user u on u.id = l.user_id`;

interface ListRow {
  id: string;
  name: string;
  shared: string;
  shared_project_ids: string[];
  entries: string[];
  user_id: string;
  username: string;
}

function toList(row: ListRow): StoredList {
  return {
    id: Number(row.id),
    name: row.name,
    shared: row.shared,
    sharedProjectIds: row.shared_project_ids.map(Number),
    entries: row.entries,
    userId: Number(row.user_id),
    userName: row.username,
  };
}

interface SharedList {
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

/** Lets one transaction at a time change the lists of a client. */
export async function lockClient(db: Database, clientId: number): Promise<void> {
  await sql`select from local_api.client where id = ${clientId} for no key update`.execute(db);
}
