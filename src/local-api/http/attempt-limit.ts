import { MINUTE } from "../../lib/instant.ts";

/** Failed logins of one login name that are answered before it has to wait. */
const FAILURES_ALLOWED = 10;
const WINDOW_MS = MINUTE;
/** Names remembered; a flood of invented names pushes out the oldest. */
const NAMES_REMEMBERED = 10_000;

export interface AttemptLimit {
  isExhausted(name: string): boolean;
  failed(name: string): void;
}

/** Slows down guessing. Counts per process in real time: `monotonicMs`, not the domain's clock. */
export function createAttemptLimit(monotonicMs: () => number): AttemptLimit {
  const failures = new Map<string, number[]>();

  function recent(name: string): number[] {
    const since = monotonicMs() - WINDOW_MS;
    return (failures.get(name) ?? []).filter((at) => at > since);
  }

  return {
    isExhausted: (name) => recent(name).length >= FAILURES_ALLOWED,
    failed(name) {
      const times = [...recent(name), monotonicMs()];
      failures.delete(name);
      failures.set(name, times);
      const oldest = failures.keys().next();
      if (failures.size > NAMES_REMEMBERED && !oldest.done) failures.delete(oldest.value);
    },
  };
}
