import { expect, test } from "vitest";
import { prefetch } from "../../src/lib/prefetch.ts";

async function* counting(log: string[], end: number): AsyncGenerator<number> {
  try {
    for (let i = 1; i <= end; i++) {
      log.push(`made ${i}`);
      yield i;
    }
  } finally {
    log.push("closed");
  }
}

function walked<Result>(source: AsyncIterable<number>, work: (item: number) => Result) {
  return prefetch(() => source, work, new AbortController().signal);
}

test("the next item is worked on when the caller says so, and no further one", async () => {
  const log: string[] = [];
  const worked = walked(counting(log, 4), (item) => {
    log.push(`worked on ${item}`);
    return item * 10;
  });
  const read: number[] = [];
  for await (const item of worked) {
    read.push(item);
    if (read.length === 1) expect(log).toEqual(["made 1", "worked on 1"]);
    worked.begin();
    worked.begin();
    await new Promise(setImmediate);
    if (read.length === 1) expect(log).toEqual(["made 1", "worked on 1", "made 2", "worked on 2"]);
  }
  expect(read).toEqual([10, 20, 30, 40]);
  expect(log.at(-1)).toBe("closed");
});

test("who never says so gets every item all the same", async () => {
  const read: number[] = [];
  for await (const item of walked(counting([], 3), (item) => item)) read.push(item);
  expect(read).toEqual([1, 2, 3]);
});

test("a failure ahead is told to whoever asks for that item, after those before it", async () => {
  const read: number[] = [];
  const failing = walked(counting([], 3), (item) => {
    if (item === 2) throw new Error("no 2");
    return item;
  });
  await expect(
    (async () => {
      for await (const item of failing) {
        read.push(item);
        failing.begin();
        await new Promise(setImmediate);
      }
    })(),
  ).rejects.toThrow("no 2");
  expect(read).toEqual([1]);
});

test("who leaves early closes the source, and its failure ahead is nobody's", async () => {
  const log: string[] = [];
  const failing = walked(counting(log, 3), (item) => {
    if (item === 2) throw new Error("unheard");
    return item;
  });
  for await (const item of failing) {
    expect(item).toBe(1);
    failing.begin();
    break;
  }
  expect(log.at(-1)).toBe("closed");
});

test("who leaves early does not wait for the item that is under way", async () => {
  async function* slow(signal: AbortSignal): AsyncGenerator<number> {
    yield 1;
    await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("aborted"))));
  }
  const read: number[] = [];
  const items = prefetch(slow, (item) => item, new AbortController().signal);
  for await (const item of items) {
    read.push(item);
    items.begin();
    break;
  }
  expect(read).toEqual([1]);
});
