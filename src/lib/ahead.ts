/**
 * The items of `source`, each already worked on when it is asked for: while the caller is busy with one, the next is
 * fetched and given to `work`. One item is ahead, never more. A failure belongs to whoever asks for that item.
 */
export async function* ahead<Item, Result>(
  source: AsyncIterable<Item>,
  work: (item: Item) => Result,
): AsyncGenerator<Result, void, undefined> {
  const items = source[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<Result, void>> => {
    const item = await items.next();
    return item.done === true ? { done: true, value: undefined } : { done: false, value: work(item.value) };
  };
  try {
    let result = await next();
    while (result.done !== true) {
      const following = next();
      following.catch(() => undefined);
      yield result.value;
      result = await following;
    }
  } finally {
    await items.return?.();
  }
}
