import { setMaxListeners } from "node:events";

/** Something that is replaced while work goes on. */
export interface Swap<Value> {
  /** The newest one: for work that begins now. */
  readonly current: Value;
  /** Does a piece of work wholly with the newest one. `late` aborts if that was replaced and the work takes long. */
  use<Outcome>(work: (value: Value, late: AbortSignal) => Promise<Outcome>): Promise<Outcome>;
  /** From now on, work begins with `next`. Resolves when no work uses the one before, or `graceMs` + 2 s later. */
  replace(next: Value, graceMs: number): Promise<void>;
}

/** How long aborted work may take to end. */
const ABORTED_MS = 2_000;

/** One value for each piece of work from its beginning to its end, so that no work sees a part of two. */
export function createSwap<Value>(first: Value): Swap<Value> {
  const hold = (value: Value) => {
    const late = new AbortController();
    // Each running job waits for it.
    setMaxListeners(0, late.signal);
    return { value, running: 0, late, onIdle: () => {} };
  };
  let held = hold(first);
  return {
    get current() {
      return held.value;
    },
    use: async (work) => {
      const mine = held;
      mine.running += 1;
      try {
        return await work(mine.value, mine.late.signal);
      } finally {
        mine.running -= 1;
        if (mine.running === 0) mine.onIdle();
      }
    },
    replace: async (next, graceMs) => {
      const old = held;
      held = hold(next);
      if (old.running === 0) return;
      await new Promise<void>((resolve) => {
        const timers = [
          setTimeout(() => old.late.abort(new Error("the configuration was reloaded")), graceMs),
          setTimeout(() => end(), graceMs + ABORTED_MS),
        ];
        const end = (): void => {
          for (const timer of timers) clearTimeout(timer);
          resolve();
        };
        old.onIdle = end;
      });
    },
  };
}
