import { randomUUID } from "node:crypto";
import { type ReloadRequest, versionsIn } from "#monitor";
import { describeError } from "../../lib/errors.ts";
import type { ReloadStores } from "./join-processes.ts";
import { loadFiles } from "./load-files.ts";

/** Asks all processes to apply these files. Returns the request, to see their answers. */
export async function requestReload(stores: ReloadStores, digest: string): Promise<ReloadRequest> {
  return stores.processes.request(randomUUID(), (await versionsIn(stores))(digest));
}

/** After a rule was saved on the console: as `earshot reload` does, but without waiting for the processes. */
export async function reloadSaved(
  file: string,
  env: NodeJS.ProcessEnv,
  stores: ReloadStores,
): Promise<string> {
  try {
    const { digest } = await loadFiles(file, env, { triesTemplates: true });
    await requestReload(stores, digest);
    return "Every process applies it within some seconds. Coverage shows which version each of them runs.";
  } catch (error) {
    return `It is not in use yet: ${describeError(error)}. earshot check shows the faults; then run earshot reload.`;
  }
}
