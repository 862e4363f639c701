import { existsSync } from "node:fs";
import {
  createSettingStore,
  ensureSiblingDatabase,
  findSiblingDatabase,
  migrate,
  openDatabase,
} from "#monitor";
import { UserError } from "../../lib/errors.ts";

/** The demo's own database on the server of `url`, created if missing. Demo data never enters a real monitor. */
export async function openDemoDatabase(url: string): Promise<string> {
  return (await ensureSiblingDatabase(url, demoName(url))).url;
}

/** The database for commands: the demo's if there is no configuration and a demo has run. */
export async function databaseForCommands(url: string, configFile: string): Promise<string> {
  if (existsSync(configFile)) return url;
  return (await findSiblingDatabase(url, demoName(url))) ?? url;
}

/** Rejects with a UserError if this database holds a demo, as older versions of Earshot stored it. */
export async function refuseDemoData(url: string): Promise<void> {
  await migrate(url);
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    if ((await createSettingStore(database.db).get("demo")) === null) return;
    throw new UserError("this database holds invented mentions and alerts of a demo", [
      "to start clean, give another one: EARSHOT_HOME for the embedded PostgreSQL (or remove its folder), or DATABASE_URL",
    ]);
  } finally {
    await database.close();
  }
}

function demoName(url: string): string {
  return `${decodeURIComponent(new URL(url).pathname.slice(1)) || "earshot"}_demo`;
}
