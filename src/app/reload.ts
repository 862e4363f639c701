import { systemClock } from "../lib/clock.ts";
import type { Stores } from "../store/stores.ts";

/** When a person last asked all processes to reload their configuration. */
export const RELOAD_SETTING = "reload";

/** Processes check this every two seconds, on any machine. */
export async function askForReload(stores: Pick<Stores, "settings">): Promise<void> {
  await stores.settings.put(RELOAD_SETTING, systemClock.now());
}
