import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { OpenQueue } from "../../../src/monitor/queue/backend.ts";
import { createInProcessBackend } from "../../../src/monitor/queue/in-process.ts";

/** Two queues whose jobs note when they begin and end; each waits until it is let go. */
function open() {
  const backend = createInProcessBackend();
  const noted: string[] = [];
  let letGo = (): void => {};
  const take = async ({ name, data }: { readonly name: string; readonly data: unknown }) => {
    noted.push(`${name} ${data} begins`);
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    noted.push(`${name} ${data} ends`);
  };
  const workers = (["poll", "deliver"] as const).map((name) => backend.openWorker(name, take, {}));
  const runs = workers.map((worker) => worker.run());
  const next = async (): Promise<void> => {
    letGo();
    for (let i = 0; i < 5; i++) await turn();
  };
  return {
    noted,
    next,
    poll: backend.openQueue("poll"),
    deliver: backend.openQueue("deliver"),
    close: async () => {
      await Promise.all([...workers.map((worker) => worker.close()), next()]);
      await Promise.all(runs);
    },
  };
}

const add = (queue: OpenQueue, name: string, data: string, key = data) =>
  queue.add(name, data, { deduplication: { id: key } });

test("the jobs of all queues run one at a time, in the order in which they were added", async () => {
  const { noted, next, poll, deliver, close } = open();
  await add(poll, "poll-query", "a");
  await add(deliver, "deliver", "b");
  await add(poll, "poll-query", "c");
  expect(await poll.getJobCounts()).toEqual({ waiting: 2, active: 0 });
  for (let i = 0; i < 4; i++) await next();
  await close();
  const order = ["poll-query a", "deliver b", "poll-query c"];
  expect(noted).toEqual(order.flatMap((job) => [`${job} begins`, `${job} ends`]));
});

test("a job that is there already is not added again; if it runs, it runs once more", async () => {
  const { noted, next, poll, deliver, close } = open();
  for (let i = 0; i < 3; i++) await add(poll, "poll-query", "a");
  await next();
  expect(await poll.getJobCounts()).toEqual({ waiting: 0, active: 1 });
  for (let i = 0; i < 3; i++) await add(poll, "poll-query", "a");
  // The same key in another queue is another job.
  await add(deliver, "deliver", "a");
  for (let i = 0; i < 4; i++) await next();
  await close();
  expect(noted.filter((line) => line.endsWith("begins"))).toEqual([
    "poll-query a begins",
    "deliver a begins",
    "poll-query a begins",
  ]);
});

test("a job that fails does not stop those behind it, and closing waits for the one that runs", async () => {
  const backend = createInProcessBackend();
  const noted: string[] = [];
  const worker = backend.openWorker(
    "poll",
    async ({ data }) => {
      await turn();
      noted.push(String(data));
      if (data === "bad") throw new Error("it failed");
    },
    {},
  );
  const run = worker.run();
  const queue = backend.openQueue("poll");
  await add(queue, "poll-query", "bad");
  await add(queue, "poll-query", "good");
  await turn();
  await turn();
  await worker.close();
  await run;
  expect(noted[0]).toBe("bad");
  const before = noted.length;
  await add(queue, "poll-query", "late");
  for (let i = 0; i < 5; i++) await turn();
  expect(noted.length).toBe(before);
});
