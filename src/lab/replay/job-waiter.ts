/** Lets a driver wait for the jobs of this process. */
export interface JobWaiter {
  readonly done: () => void;
  count(): number;
  /** Resolves when this many jobs have ended in total, or after a while, because another worker may do a job. */
  reach(count: number): Promise<void>;
}

export function createJobWaiter(): JobWaiter {
  let count = 0;
  let wake: (() => void) | undefined;
  return {
    done: () => {
      count += 1;
      wake?.();
    },
    count: () => count,
    reach: async (target) => {
      const late = AbortSignal.timeout(PATIENCE_MS);
      while (count < target && !late.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          late.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
  };
}

const PATIENCE_MS = 500;
