import { Redis } from "ioredis";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { createQueues } from "../../../src/monitor/queue/queues.ts";
import { queueContract } from "../../contracts/queue.ts";
import { hasRedis, NO_REDIS, startRedis, type TestRedis } from "../../redis.ts";

if (hasRedis()) {
  let redis: TestRedis | null;
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(() => redis?.stop());

  queueContract({
    name: "Redis",
    backend: (scope) => ({ kind: "redis", url: redis?.url ?? "", prefix: scope }),
    lose: async () => {
      const client = new Redis(redis?.url ?? "");
      await client.flushall();
      client.disconnect();
    },
    interrupt: async () => {
      await redis?.stop();
      await redis?.start();
    },
  });

  test("a job that Redis cannot take is reported as such, and the queue continues afterwards", async () => {
    const engine = await startRedis();
    if (engine === null) throw new Error("Redis went away");
    const queues = await createQueues({
      backend: { kind: "redis", url: engine.url, prefix: "away" },
      log: pino({ level: "silent" }),
    });
    await engine.stop();
    expect(await queues.add("sweep", {})).toBe("unreachable");
    await engine.start();
    await vi.waitFor(async () => expect(await queues.add("sweep", {})).toBe("added"), { timeout: 10_000 });
    await queues.close();
    await engine.stop();
  });
} else {
  test.skip(`the queue on Redis (${NO_REDIS})`, () => {});
}
