import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { basename, resolve } from "node:path";
import {
  createSettingStore,
  dropSiblingDatabase,
  ensureSiblingDatabase,
  migrate,
  openDatabase,
} from "#monitor";
import { UserError, whyUnread } from "../../lib/errors.ts";
import type { ReplayPlan } from "./import-file.ts";

/** The replay's own database; created again if the last run of the file had ended. */
export async function openReplayDatabase(serverUrl: string, name: string): Promise<string> {
  const found = await ensureSiblingDatabase(serverUrl, name);
  await migrate(found.url);
  if (!found.created && (await hasEnded(found.url))) {
    await dropSiblingDatabase(serverUrl, name);
    await ensureSiblingDatabase(serverUrl, name);
    await migrate(found.url);
  }
  return found.url;
}

async function hasEnded(url: string): Promise<boolean> {
  const database = openDatabase({ url, connections: 1, onError: () => {} });
  try {
    const plan = (await createSettingStore(database.db).get("replay")) as ReplayPlan | null;
    return plan?.ended === true;
  } finally {
    await database.close();
  }
}

/** The same unchanged file with the same rules is the same replay. */
export async function replayDatabaseName(file: string, rules: string): Promise<string> {
  const found = await stat(file).catch((error: unknown) => {
    throw new UserError(`the file to replay cannot be read: ${whyUnread(error)}`);
  });
  const hash = createHash("sha256")
    .update(`${basename(file)} ${found.size} ${found.mtimeMs} ${resolve(rules)}`)
    .digest("hex");
  return `earshot_replay_${hash.slice(0, 12)}`;
}
