/** Items that are worked on before they are asked for. To be walked once. */
export interface Prefetched<Result> extends AsyncIterable<Result> {
  /** Begins with the next item now; else that is done when it is asked for. One item is ahead, never more. */
  begin(): void;
}

/**
 * The items of a source, each given to `work`. Who is busy with one and knows a moment at which the processor is idle
 * calls `begin`. A failure belongs to whoever asks for that item. Leaving early aborts the signal of the source, so
 * that nobody waits for an item that nobody wants.
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
