import { systemClock } from "../lib/clock.ts";
import type { Stores } from "../store/stores.ts";

/** When somebody last asked all processes to take up their configuration anew. */
export const RELOAD_SETTING = "reload";

/** Processes look for it every two seconds, on whatever machine they run. */
export async function askForReload(stores: Pick<Stores, "settings">): Promise<void> {
  await stores.settings.put(RELOAD_SETTING, systemClock.now());
}
