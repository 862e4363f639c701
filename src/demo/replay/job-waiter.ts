/** Lets a driver wait for the jobs of this process. */
export interface JobWaiter {
  readonly done: () => void;
  count(): number;
  /** Resolves when so many jobs have ended in all, or after a while: a job may have been another worker's. */
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
    reach: async (wanted) => {
      const late = AbortSignal.timeout(PATIENCE_MS);
      while (count < wanted && !late.aborted) {
        await new Promise<void>((resolve) => {
          wake = resolve;
          late.addEventListener("abort", () => resolve(), { once: true });
        });
      }
    },
  };
}

const PATIENCE_MS = 500;
