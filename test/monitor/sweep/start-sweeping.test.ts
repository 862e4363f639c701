import { setTimeout as delay } from "node:timers/promises";
import { pino } from "pino";
import { afterAll, expect, test, vi } from "vitest";
import { monotonicMs, systemClock } from "../../../src/lib/clock.ts";
import { createClosing } from "../../../src/lib/closing.ts";
import { createQueues } from "../../../src/monitor/queue/queues.ts";
import { startSweeping } from "../../../src/monitor/sweep/start-sweeping.ts";
import { hasRedis, NO_REDIS, startRedis } from "../../redis.ts";
import { useStores } from "../../use-stores.ts";

const { stores, database } = await useStores();
const log = pino({ level: "silent" });
const closing = createClosing();
afterAll(() => closing.close());
const EVERY_MS = 100;
const inProcess = await createQueues({ backend: { kind: "in-process" }, log });
closing.add(inProcess.close);

/** Sweeps until it is stopped, and counts how often. The queue in this process has no reminders. */
async function sweeping(sweep: () => Promise<void> = async () => {}, queues = inProcess) {
  const sweeps: number[] = [];
  const ends = createClosing();
  const parts = { stores, queues, clock: systemClock, log, followDueWork: () => async () => {} };
  const counted = async (): Promise<void> => {
    sweeps.push(monotonicMs());
    await sweep();
  };
  await startSweeping({ ...parts, sweep: counted }, { sweepEveryMs: EVERY_MS }, ends);
  closing.add(ends.close);
  return { sweeps, stop: ends.close };
}

test("of several processes one sweeps each time, and another one goes on when it ends", async () => {
  // By the clock that decides: under load a sweep begins later than its turn.
  const turns = new Set<number>();
  const note = async (): Promise<void> => {
    const { rows } = await database.pool.query<{ at: number }>(
      "select extract(epoch from at_wall)::float8 * 1000 as at from earshot.pulses where name = 'sweep in turn'",
    );
    for (const { at } of rows) turns.add(at);
  };
  const [one, other] = [await sweeping(note), await sweeping(note)];
  await vi.waitFor(() => expect(one.sweeps.length + other.sweeps.length).toBeGreaterThan(10), 20_000);
  const all = [...turns].toSorted((a, b) => a - b);
  expect(all.length).toBeGreaterThan(2);
  const gaps = all.slice(1).map((at, n) => at - (all[n] ?? 0));
  expect(Math.min(...gaps)).toBeGreaterThan(0.79 * EVERY_MS);
  await one.stop();
  const [ended, before] = [one.sweeps.length, other.sweeps.length];
  await vi.waitFor(() => expect(other.sweeps.length).toBeGreaterThan(before + 2), 20_000);
  expect(one.sweeps).toHaveLength(ended);
  await other.stop();
});

test("a sweep that fails is followed by the next one", async () => {
  const failing = await sweeping(async () => {
    throw new Error("the database is away");
  });
  await vi.waitFor(() => expect(failing.sweeps.length).toBeGreaterThan(2), 20_000);
  await failing.stop();
});

test.skipIf(!hasRedis())(
  `nobody sweeps while the engine of the queue is away (${NO_REDIS} where there is none)`,
  async () => {
    const redis = await startRedis();
    const url = redis?.url ?? "";
    const queues = await createQueues({ backend: { kind: "redis", url, prefix: "away" }, log });
    closing.add(queues.close);
    const { sweeps, stop } = await sweeping(undefined, queues);
    await vi.waitFor(() => expect(sweeps.length).toBeGreaterThan(2), 20_000);
    await redis?.stop();
    await vi.waitFor(() => expect(queues.isAway()).toBe(true), 20_000);
    const before = sweeps.length;
    await delay(5 * EVERY_MS);
    // One may have begun before.
    expect(sweeps.length).toBeLessThanOrEqual(before + 1);
    await redis?.start();
    await vi.waitFor(() => expect(sweeps.length).toBeGreaterThan(before + 2), 20_000);
    await stop();
    await redis?.stop();
  },
  60_000,
);
