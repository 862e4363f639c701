import { sql } from "kysely";
import { storableJson } from "../../lib/json.ts";
import type { Db } from "./database.ts";

/** Small facts of the installation: the demo's clock, the address of the page. */
export function createSettingStore(db: Db) {
  return {
    async get(key: string): Promise<unknown> {
      const { rows } = await sql<{
        value: unknown;
      }>`select value from earshot.settings where key = ${key}`.execute(db);
      return rows[0]?.value ?? null;
    },

    /** The stored value, or this one if there is none: the first of several processes wins. */
    async getOrPut(key: string, value: unknown): Promise<unknown> {
      const { rows } = await sql<{ value: unknown }>`
        insert into earshot.settings (key, value) values (${key}, ${storableJson(value)}::jsonb)
        on conflict (key) do update set value = earshot.settings.value returning value
      `.execute(db);
      return rows[0]?.value ?? value;
    },

    /** Those whose keys begin so, by the rest of the key. */
    async under(start: string): Promise<ReadonlyMap<string, unknown>> {
      const { rows } = await sql<{ key: string; value: unknown }>`
        select key, value from earshot.settings where starts_with(key, ${start})
      `.execute(db);
      return new Map(rows.map(({ key, value }) => [key.slice(start.length), value]));
    },

    async remove(key: string): Promise<void> {
      await sql`delete from earshot.settings where key = ${key}`.execute(db);
    },

    async put(key: string, value: unknown): Promise<void> {
      await sql`
        insert into earshot.settings (key, value) values (${key}, ${storableJson(value)}::jsonb)
        on conflict (key) do update set value = excluded.value
      `.execute(db);
    },
  };
}
