import { sql } from "kysely";
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
        insert into earshot.settings (key, value) values (${key}, ${JSON.stringify(value)}::jsonb)
        on conflict (key) do update set value = earshot.settings.value returning value
      `.execute(db);
      return rows[0]?.value ?? value;
    },

    async put(key: string, value: unknown): Promise<void> {
      await sql`
        insert into earshot.settings (key, value) values (${key}, ${JSON.stringify(value)}::jsonb)
        on conflict (key) do update set value = excluded.value
      `.execute(db);
    },
  };
}
