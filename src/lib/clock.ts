import type { Instant } from "./instant.ts";

/**
 * Where "now" comes from. The domain (windows, quiet hours, digests, life cycles) asks its clock, which runs at the
 * wall's pace, at a multiple of it in a demo or replay, or only when it is moved. Leases, timeouts and vendor back-off
 * are not domain time: they use the database's `now()` or timers.
 */
export interface Clock {
  now(): Instant;
  /** Domain milliseconds for each real millisecond: 1 for the wall. 0 means that only `advance` moves the clock. */
  readonly speed: number;
}

/** The only place in Earshot that reads the machine's clock. */
export const systemClock: Clock = { now: () => Date.now(), speed: 1 };

/** A clock that shows `startAt` when it is made and runs `speed` times as fast as `base`. */
export function createScaledClock(options: { startAt: Instant; speed: number; base?: Clock }): Clock {
  const base = options.base ?? systemClock;
  const origin = base.now();
  return {
    now: () => Math.floor(options.startAt + (base.now() - origin) * options.speed),
    speed: options.speed,
  };
}

export interface ManualClock extends Clock {
  set(at: Instant): void;
  advance(byMs: number): void;
}

/** A clock that only moves on request: for tests, and replays at full speed. */
export function createManualClock(startAt: Instant): ManualClock {
  let at = startAt;
  return {
    speed: 0,
    now: () => at,
    set: (to) => {
      at = to;
    },
    advance: (byMs) => {
      at += byMs;
    },
  };
}

/** Milliseconds from an arbitrary origin, for measuring how long something took. */
export function monotonicMs(): number {
  return performance.now();
}
