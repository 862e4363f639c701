import { setTimeout as delay } from "node:timers/promises";
import type { Earshot } from "#monitor";
import { type Clock, type ManualClock, monotonicMs } from "../../lib/clock.ts";
import { type Instant, MINUTE, SECOND } from "../../lib/instant.ts";
import type { JobWaiter } from "./job-waiter.ts";

/** A replay to run to its end. */
interface Drive {
  readonly clock: Clock;
  readonly earshot: Earshot;
  readonly waiter: JobWaiter;
  readonly end: Instant;
  readonly keepTime: (now: Instant) => Promise<void>;
  readonly signal: AbortSignal;
}

/** Stops the clock while anything is due, then moves it on by one poll interval. */
export async function runStepwise(run: Drive & { readonly clock: ManualClock }): Promise<void> {
  for (let at = run.clock.now(); ; at = Math.min(at + STEP_MS, run.end)) {
    run.clock.set(at);
    await settle(run);
    await run.keepTime(at);
    if (at >= run.end) return finish(run);
  }
}

/**
 * Alerts depend on when mentions arrived, not on when they were polled, so the step only limits the delay of messages.
 */
export const STEP_MS = 30 * MINUTE;

/** The clock runs by itself; the sweeps find due work. */
export async function runByClock(run: Drive): Promise<void> {
  while (run.clock.now() < run.end) {
    await run.keepTime(run.clock.now());
    await delay(200, undefined, { signal: run.signal });
  }
  await finish(run);
}

/** The last poll may be before the end: polls everything once more and judges it. */
async function finish(run: Drive): Promise<void> {
  await run.earshot.stores.polls.hurry(run.clock.now());
  await settle(run);
  await run.keepTime(run.end);
}

/** If no job ends for this long, more waiting does not help. */
const STUCK_MS = 90 * SECOND;

/**
 * Waits until the tables twice in a row show no due work and no lease. Once is not enough: a poll that ends between two
 * of the queries is not due in the first and has no lease in the second, and its closed windows are in neither.
 */
async function settle({ earshot, waiter, signal }: Drive): Promise<void> {
  let progress = { count: waiter.count(), at: monotonicMs() };
  for (let quiet = 0; quiet < 2; ) {
    signal.throwIfAborted();
    const seen = waiter.count();
    if (seen !== progress.count) progress = { count: seen, at: monotonicMs() };
    if (monotonicMs() - progress.at > STUCK_MS)
      throw new Error("there is work that fails again and again; the log says why");
    const { polls: duePolls, windows, decisions, deliveries, edits, digests } = await earshot.sweep();
    const due = duePolls + windows + decisions + deliveries + edits + digests;
    const busy = await earshot.stores.dueWork.unsettled();
    quiet = due + busy === 0 ? quiet + 1 : 0;
    if (due > 0) await waiter.reach(seen + due);
    else if (busy > 0) await waiter.reach(waiter.count() + 1);
  }
}
