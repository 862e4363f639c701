import { expect, test } from "vitest";
import { prefetch } from "../../src/lib/concurrency.ts";

function counting(log: string[] = [], failsAt = 0): () => Promise<number> {
  let made = 0;
  return async () => {
    made += 1;
    log.push(`made ${made}`);
    if (made === failsAt) throw new Error(`no ${made}`);
    return made * 10;
  };
}

test("the next result is worked on when the caller says so, and no further one", async () => {
  const log: string[] = [];
  const results = prefetch(counting(log));
  expect(await results.take()).toBe(10);
  expect(log).toEqual(["made 1"]);
  results.begin();
  results.begin();
  expect(log).toEqual(["made 1", "made 2"]);
  expect(await results.take()).toBe(20);
  expect(await results.take()).toBe(30);
  expect(log).toEqual(["made 1", "made 2", "made 3"]);
});

test("who begins while a result is waited for begins no further one", async () => {
  const log: string[] = [];
  const results = prefetch(counting(log));
  const taken = results.take();
  results.begin();
  expect(await taken).toBe(10);
  expect(log).toEqual(["made 1"]);
});

test("a failure ahead is thrown to whoever takes that result, after those before it", async () => {
  const results = prefetch(counting([], 2));
  expect(await results.take()).toBe(10);
  results.begin();
  await new Promise(setImmediate);
  await expect(results.take()).rejects.toThrow("no 2");
});

test("a failure ahead that nobody takes is nobody's", async () => {
  const results = prefetch(counting([], 1));
  results.begin();
  await new Promise(setImmediate);
});
