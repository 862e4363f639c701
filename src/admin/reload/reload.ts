import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../../lib/clock.ts";
import type { Closing } from "../../lib/closing.ts";
import { SECOND } from "../../lib/instant.ts";
import type { HangUps } from "./hang-ups.ts";
import { nextReload } from "./next-reload.ts";
import { createReloads, type ReloadingParts } from "./reloads.ts";

/** How often a process says that it lives, and looks whether it is asked to reload. */
const REPORT_MS = SECOND;

/**
 * Reports every second which version this process runs, and loads its files on SIGHUP and on `earshot reload`, or
 * refuses them whole, with all faults. `closing` ends it.
 */
export async function followReloads(parts: ReloadingParts, closing: Closing): Promise<void> {
  const { hangUps } = parts;
  const ending = new AbortController();
  const { signal } = ending;
  const reloads = await createReloads(parts, signal);
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      const request = await reloads.report();
      await reloads.act(nextReload(reloads.state(), { hangUps: hangUps.count(), request }, monotonicMs()));
      // While a reload runs, a signal changes nothing: a thousand of them are not a thousand reports.
      await untilNextRound(reloads.state().isReloading ? null : hangUps, signal);
    }
    await reloads.end();
  };
  const following = follow();
  closing.add(() => {
    ending.abort(new Error("the process stops"));
    return following;
  });
}

/** A second, or until the next signal. */
async function untilNextRound(hangUps: HangUps | null, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const waiting = new AbortController();
  const stop = () => waiting.abort();
  signal.addEventListener("abort", stop, { once: true });
  await Promise.race([
    delay(REPORT_MS, undefined, { signal: waiting.signal, ref: false }).catch(() => {}),
    ...(hangUps === null ? [] : [hangUps.next(waiting.signal).catch(() => {})]),
  ]);
  signal.removeEventListener("abort", stop);
  waiting.abort();
}
