import { afterEach, expect, test } from "vitest";
import { createWorkerPool, type WorkerLimits, type WorkerPool } from "../../src/lib/worker-pool.ts";
import type { OddTasks } from "./fixtures/odd-thread.ts";

const pools: WorkerPool<OddTasks>[] = [];
afterEach(async () => {
  for (const pool of pools.splice(0)) await pool.close();
});

function open(limits: WorkerLimits = {}): WorkerPool<OddTasks> {
  const pool = createWorkerPool<OddTasks>("test/lib/fixtures/odd-thread", { threads: 1, ...limits });
  pools.push(pool);
  return pool;
}

test("a task runs in a thread of its own, and the next one in the same", async () => {
  const pool = open();
  const first = await pool.run("thread", undefined);
  expect(first).toEqual({ outcome: "Done", result: expect.any(Number) });
  expect(first).not.toEqual({ outcome: "Done", result: 0 });
  expect(await pool.run("thread", undefined)).toEqual(first);
});

test("bytes go to the thread without a copy", async () => {
  const bytes = new Uint8Array(5_000_000);
  const outcome = await open().run("length", bytes, { transfer: [bytes.buffer] });
  expect(outcome).toEqual({ outcome: "Done", result: 5_000_000 });
  expect(bytes.length).toBe(0);
});

test("a thread has nothing of the environment", async () => {
  expect(await open().run("environment", undefined)).toEqual({ outcome: "Done", result: 0 });
});

test.each([
  ["spin", { processorMs: 100 }, { outcome: "TooLate" }],
  ["hang", { clockMs: 100 }, { outcome: "TooLate" }],
  ["eat", {}, { outcome: "OutOfMemory" }],
  ["fail", {}, { outcome: "Failed", message: "a bad document" }],
  ["throwLater", {}, { outcome: "Failed", message: "Error: outside of the task" }],
  ["exit", {}, { outcome: "Failed", message: "its thread has ended" }],
] as const)("a task that does what %s does ends alone", async (name, options, outcome) => {
  const pool = open({ memoryMb: 64 });
  const [ended, next] = await Promise.all([
    pool.run(name, undefined as never, options),
    pool.run("length", new Uint8Array(3)),
  ]);
  expect(ended).toEqual(outcome);
  expect(next).toEqual({ outcome: "Done", result: 3 });
});

test("waiting for a thread takes nothing of the time of a task", async () => {
  const pool = open();
  const all = await Promise.all([
    pool.run("hang", undefined, { clockMs: 1_000 }),
    pool.run("spin", undefined, { processorMs: 500 }),
    pool.run("length", new Uint8Array(3), { processorMs: 100 }),
  ]);
  expect(all.map(({ outcome }) => outcome)).toEqual(["TooLate", "TooLate", "Done"]);
});

test("more tasks than may wait are refused", async () => {
  const pool = open({ waiting: 1 });
  const all = ["hang", "hang", "hang"].map(() => pool.run("hang", undefined, { clockMs: 100 }));
  const outcomes = (await Promise.all(all)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(["TooLate", "TooLate", "Busy"]);
});

test("a task that nobody waits for any more is ended", async () => {
  const pool = open();
  const stop = new AbortController();
  const [running, waiting] = ["hang", "hang"].map(() =>
    pool.run("hang", undefined, { signal: stop.signal }).catch((error: unknown) => error),
  );
  const next = pool.run("length", new Uint8Array(3));
  stop.abort("stop");
  expect(await Promise.all([running, waiting])).toEqual(["stop", "stop"]);
  expect(await next).toEqual({ outcome: "Done", result: 3 });
});

test("closing ends what runs and what waits", async () => {
  const pool = open();
  const all = ["hang", "hang"].map(() => pool.run("hang", undefined));
  await pool.close();
  const stopped = { outcome: "Failed", message: "Earshot is stopping" };
  expect(await Promise.all(all)).toEqual([stopped, stopped]);
});

test("an idle thread ends, and a new one is started for the next task", async () => {
  const pool = open({ idleMs: 0 });
  const first = await pool.run("thread", undefined);
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  await expect.poll(async () => pool.run("thread", undefined)).not.toEqual(first);
});
