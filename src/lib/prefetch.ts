/** Items that are processed before they are requested. Iterate once. */
export interface Prefetched<Result> extends AsyncIterable<Result> {
  /** Starts the next item now; otherwise its request starts it. One item is ahead, never more. */
  begin(): void;
}

/**
 * Passes each item of a source to `work`. A consumer that is busy with one item, and knows a moment at which the
 * processor is idle, calls `begin`. A failure is thrown to the consumer that requests that item. Leaving early aborts
 * the source's signal, so that nothing waits for an item that is no longer needed.
 */
export function prefetch<Item, Result>(
  open: (signal: AbortSignal) => AsyncIterable<Item>,
  work: (item: Item) => Result,
  signal: AbortSignal,
): Prefetched<Result> {
  const left = new AbortController();
  const items = open(AbortSignal.any([signal, left.signal]))[Symbol.asyncIterator]();
  let begun: Promise<IteratorResult<Result, void>> | null = null;

  async function next(): Promise<IteratorResult<Result, void>> {
    const item = await items.next();
    return item.done === true ? { done: true, value: undefined } : { done: false, value: work(item.value) };
  }

  return {
    begin() {
      begun ??= next();
      begun.catch(() => undefined);
    },
    async *[Symbol.asyncIterator]() {
      try {
        for (;;) {
          const result = await (begun ?? next());
          begun = null;
          if (result.done === true) return;
          yield result.value;
        }
      } finally {
        left.abort();
        await items.return?.();
      }
    },
  };
}
