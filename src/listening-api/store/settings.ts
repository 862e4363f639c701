import { randomBytes } from "node:crypto";
import { sql } from "kysely";
import { z } from "zod";
import type { JsonValue } from "../../lib/json.ts";
import { storableJson } from "../../lib/json.ts";
import { createDatabase, type Database, type DatabasePool } from "./database.ts";

/** The setting, or `first` where there is none yet: of several processes that ask at once, all get the same. */
export async function settingOr(db: Database, name: string, first: JsonValue): Promise<unknown> {
  await sql`
    insert into local_api.setting (name, value) values (${name}, ${storableJson(first)}::jsonb)
    on conflict (name) do nothing`.execute(db);
  return readSetting(db, name);
}

export async function putSetting(db: Database, name: string, value: JsonValue): Promise<void> {
  await sql`
    insert into local_api.setting (name, value) values (${name}, ${storableJson(value)}::jsonb)
    on conflict (name) do update set value = excluded.value`.execute(db);
}

/** Undefined where there is none. */
export async function readSetting(db: Database, name: string): Promise<unknown> {
  const { rows } = await sql<{ value: unknown }>`
    select value from local_api.setting where name = ${name}`.execute(db);
  return rows[0]?.value;
}

/** What signs the cursors: the same in all processes on these tables, now and after every restart. */
export async function signingSecret(pool: DatabasePool): Promise<string> {
  const invented = randomBytes(32).toString("base64url");
  return z.string().parse(await settingOr(createDatabase(pool), "signing-secret", invented));
}
