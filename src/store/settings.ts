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

    async put(key: string, value: unknown): Promise<void> {
      await sql`
        insert into earshot.settings (key, value) values (${key}, ${JSON.stringify(value)}::jsonb)
        on conflict (key) do update set value = excluded.value
      `.execute(db);
    },
  };
}
