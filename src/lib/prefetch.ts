/** Work that yields one result after another, one of them ahead of its use. */
export interface Prefetch<Result> {
  /** Starts the next piece of work now; otherwise `take` starts it. One is ahead, never more. */
  begin(): void;
  /** The next result. A failure ahead is thrown here. */
  take(): Promise<Result>;
}

/** A consumer that is busy with one result, and knows a moment at which the processor is idle, calls `begin`. */
export function prefetch<Result>(work: () => Promise<Result>): Prefetch<Result> {
  let coming: Promise<Result> | null = null;
  const start = (): Promise<Result> => {
    if (coming === null) {
      coming = work();
      // Nobody may ever take it.
      coming.catch(() => undefined);
    }
    return coming;
  };
  return {
    begin: start,
    take: async () => {
      try {
        return await start();
      } finally {
        coming = null;
      }
    },
  };
}
