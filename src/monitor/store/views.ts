import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { at, type Db } from "./database.ts";

/** A page of the console with its parameters, under a title. */
export interface SavedView {
  readonly id: string;
  /** Of the user whose it is. */
  readonly nameKey: string;
  readonly title: string;
  readonly address: string;
  /** Everybody sees it; its user alone ends it. */
  readonly isShared: boolean;
  readonly createdAt: Instant;
}

/** More of one user are refused: nobody finds one among them. */
const MOST_OF_USER = 200;

export function createViewStore(db: Db) {
  return {
    /** False: the user has too many. */
    async add({ id, nameKey, title, address, isShared, createdAt }: SavedView): Promise<boolean> {
      const { numAffectedRows } = await sql`
        insert into earshot.views (id, name_key, title, address, is_shared, created_at)
        select ${id}::uuid, ${nameKey}, ${title}, ${address}, ${isShared}, ${at(createdAt)}
        where (select count(*) from earshot.views where name_key = ${nameKey}) < ${MOST_OF_USER}
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },

    /** The user's own, and what others share, by title. */
    async list(nameKey: string): Promise<SavedView[]> {
      const { rows } = await sql<SavedView>`
        select id, name_key as "nameKey", title, address, is_shared as "isShared", created_at as "createdAt"
        from earshot.views where name_key = ${nameKey} or is_shared
        order by name_key <> ${nameKey}, lower(title), id limit 1000
      `.execute(db);
      return rows;
    },

    async end(id: string, nameKey: string): Promise<void> {
      await sql`delete from earshot.views where id = ${id}::uuid and name_key = ${nameKey}`.execute(db);
    },
  };
}
