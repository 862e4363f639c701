import { sql } from "kysely";
import { DAY, type Instant } from "../../lib/instant.ts";
import { storableJson } from "../../lib/json.ts";
import type { Actor } from "../model/alert-action.ts";
import type { Silence } from "../model/silence.ts";
import { at, type Db } from "./database.ts";

export function createSilenceStore(db: Db) {
  return {
    async add(silence: Silence): Promise<void> {
      const { id, match, author, actor, comment, createdAt, startsAt, endsAt, windows } = silence;
      await sql`
        insert into earshot.silences (id, match, author, actor, comment, created_at, starts_at, ends_at, windows)
        values (${id}::uuid, ${storableJson(match)}::jsonb, ${author}, ${actor === undefined ? null : storableJson(actor)}::jsonb,
          ${comment}, ${at(createdAt)}, ${at(startsAt)}, ${at(endsAt)}, ${storableJson(windows)}::jsonb)
      `.execute(db);
    },

    /** Active and future ones, and those that ended in the last day: alerts that began and ended inside one need it. */
    async active(now: Instant): Promise<Silence[]> {
      const { rows } = await sql<StoredSilence>`
        select ${COLUMNS} from earshot.silences where ends_at > ${at(now - DAY)} order by starts_at, id
      `.execute(db);
      return rows.map(toSilence);
    },

    /** Newest first; without `past` only those that have not ended. */
    async list(now: Instant, past: boolean): Promise<Silence[]> {
      const { rows } = await sql<StoredSilence>`
        select ${COLUMNS} from earshot.silences where ${past} or ends_at > ${at(now)} order by created_at desc, id limit 500
      `.execute(db);
      return rows.map(toSilence);
    },

    /** At most two, if the first letters of an id match more than one. */
    async findByPrefix(prefix: string): Promise<Silence[]> {
      const { rows } = await sql<StoredSilence>`
        select ${COLUMNS} from earshot.silences where id::text like ${`${prefix.toLowerCase()}%`} limit 2
      `.execute(db);
      return rows.map(toSilence);
    },

    /** Ends a silence now. False if it had ended already. */
    async expire(id: string, by: string, now: Instant): Promise<boolean> {
      const { numAffectedRows } = await sql`
        update earshot.silences set ends_at = ${at(now)}, starts_at = least(starts_at, ${at(now)}), ended_by = ${by}
        where id = ${id}::uuid and ends_at > ${at(now)}
      `.execute(db);
      return Number(numAffectedRows ?? 0) > 0;
    },
  };
}

const COLUMNS = sql`id, match, author, actor, comment, created_at as "createdAt", starts_at as "startsAt", ends_at as "endsAt",
  windows, ended_by as "endedBy"`;

type StoredSilence = Omit<Silence, "actor"> & { readonly actor: Actor | null };

function toSilence({ actor, ...silence }: StoredSilence): Silence {
  return actor === null ? silence : { ...silence, actor };
}
