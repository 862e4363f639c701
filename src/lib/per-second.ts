import { type Instant, SECOND } from "./instant.ts";

/** Counts what happens within a second, and begins anew with the next one. A clock that is set back begins anew, too. */
interface PerSecond {
  /** Whether `most` happened in the second of `now`. */
  isReached(now: Instant): boolean;
  /** Counts one more in the second that was last asked about. */
  count(): void;
}

export function perSecond(most: number): PerSecond {
  let second = { from: 0, counted: 0 };
  return {
    isReached(now) {
      if (now - second.from >= SECOND || now < second.from) second = { from: now, counted: 0 };
      return second.counted >= most;
    },
    count() {
      second.counted++;
    },
  };
}
