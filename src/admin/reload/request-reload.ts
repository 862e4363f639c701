import { randomUUID } from "node:crypto";
import { type ReloadRequest, versionsIn } from "#monitor";
import type { ReloadStores } from "./join-processes.ts";

/** Asks all processes to apply these files. Returns the request, to see their answers. */
export async function requestReload(stores: ReloadStores, digest: string): Promise<ReloadRequest> {
  return stores.processes.request(randomUUID(), (await versionsIn(stores))(digest));
}
