import { monitorEventLoopDelay } from "node:perf_hooks";
import { monotonicMs } from "./clock.ts";
import { SECOND } from "./instant.ts";

/** How late the event loop of this process answered. */
export interface LoopDelay {
  /** Of all rounds of the loop: one long pause between many short rounds counts little. */
  readonly meanMs: number;
  /** Of the longest round. */
  readonly maxMs: number;
}

interface Sample {
  readonly rounds: number;
  readonly lateMs: number;
  readonly maxMs: number;
}

/** How often the loop is asked whether it is late. */
const EVERY_MS = 50;
/** Seconds that are kept. */
const KEPT = 60;

/** A process has one loop. */
let samples: Sample[] | null = null;

/** How late the loop was during the last seconds, at most a minute. Measuring begins with the first call. */
export function loopDelay(seconds: number): LoopDelay {
  samples ??= begin();
  const recent = samples.slice(-seconds);
  const rounds = recent.reduce((sum, one) => sum + one.rounds, 0);
  const lateMs = recent.reduce((sum, one) => sum + one.lateMs, 0);
  return {
    meanMs: rounds === 0 ? 0 : lateMs / rounds,
    maxMs: recent.reduce((most, one) => Math.max(most, one.maxMs), 0),
  };
}

function begin(): Sample[] {
  const kept: Sample[] = [];
  const histogram = monitorEventLoopDelay({ resolution: EVERY_MS });
  histogram.enable();
  let dueAt = monotonicMs() + SECOND;
  const take = (): void => {
    const lateMs = Math.max(0, monotonicMs() - dueAt);
    dueAt = monotonicMs() + SECOND;
    const { count: rounds, mean, max } = histogram;
    histogram.reset();
    // After one long round nothing may have been measured: then this very timer was late.
    const sample =
      rounds === 0
        ? { rounds: 1, lateMs, maxMs: lateMs }
        : { rounds, lateMs: rounds * beyond(mean), maxMs: Math.max(lateMs, beyond(max)) };
    kept.push(sample);
    if (kept.length > KEPT) kept.shift();
  };
  setInterval(take, SECOND).unref();
  return kept;
}

/** Of a measured interval in nanoseconds, what is more than was wanted. */
function beyond(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e6 - EVERY_MS);
}
