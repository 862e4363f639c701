import { sql } from "kysely";
import type { Instant } from "../../lib/instant.ts";
import { ALL_PROJECTS } from "../model/digest.ts";
import { PEOPLE } from "../model/people.ts";
import type { ViewMail } from "../model/view-mail.ts";
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

/** A view in the list of a user. */
export interface ListedView extends SavedView {
  /** The zone in which the user gets it every Monday; null: they do not. */
  readonly mailedIn: string | null;
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
    async list(nameKey: string): Promise<ListedView[]> {
      const { rows } = await sql<ListedView>`
        select v.id, v.name_key as "nameKey", v.title, v.address, v.is_shared as "isShared", v.created_at as "createdAt",
          case when not exists (select from earshot.unsubscribed u
            where u.digest_name = ${EDITIONS} and u.receiver = ${PEOPLE}) then m.timezone end as "mailedIn"
        from earshot.views v left join earshot.view_mails m on m.view_id = v.id and m.name_key = ${nameKey}
        where v.name_key = ${nameKey} or v.is_shared
        order by v.name_key <> ${nameKey}, lower(v.title), v.id limit 1000
      `.execute(db);
      return rows;
    },

    async end(id: string, nameKey: string): Promise<void> {
      await sql`delete from earshot.views where id = ${id}::uuid and name_key = ${nameKey}`.execute(db);
    },

    /** From now on the user gets a view that they may see every Monday. */
    async mail(id: string, nameKey: string, timezone: string, now: Instant): Promise<void> {
      await sql`
        with wanted as (
          insert into earshot.view_mails as m (view_id, name_key, timezone, since)
          select id, ${nameKey}, ${timezone}, ${at(now)} from earshot.views
          where id = ${id}::uuid and (name_key = ${nameKey} or is_shared)
          on conflict (view_id, name_key) do update set timezone = excluded.timezone, since = excluded.since)
        delete from earshot.unsubscribed where receiver = ${PEOPLE} and digest_name = (
          select ${EDITIONS} from earshot.views v cross join (select ${nameKey}::text as name_key) m where v.id = ${id}::uuid)
      `.execute(db);
    },

    async mailNoMore(id: string, nameKey: string): Promise<void> {
      await sql`
        delete from earshot.view_mails where view_id = ${id}::uuid and name_key = ${nameKey}
      `.execute(db);
    },

    /** What is sent every Monday, to users who are there and have an address. */
    async mails(): Promise<ViewMail[]> {
      const { rows } = await sql<ViewMail>`
        select ${EDITIONS} as name, m.name_key as "nameKey", v.title, v.address, m.timezone, m.since,
          (select json_build_object('key', d.local_date, 'dueAt', extract(epoch from d.due_at) * 1000)
            from earshot.digests d where d.project_id = ${ALL_PROJECTS} and d.name = ${EDITIONS}
            order by d.local_date desc limit 1) as last
        from earshot.view_mails m join earshot.views v on v.id = m.view_id and (v.is_shared or v.name_key = m.name_key)
        join earshot.users u on u.name_key = m.name_key and u.ended_at is null and u.email is not null
        order by m.view_id, m.name_key
      `.execute(db);
      return rows;
    },
  };
}

/**
 * The name of the editions that a user gets of a view, of rows `v` and `m`. People meet it on the page that unsubscribes,
 * and in logs; the end of an id is random.
 */
const EDITIONS = sql`(v.title || ' for ' || m.name_key || ' #' || right(v.id::text, 8))`;
