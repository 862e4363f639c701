import { Redis } from "ioredis";
import { afterAll, beforeAll, test } from "vitest";
import { queueContract } from "../contracts/queue.ts";
import { hasRedis, NO_REDIS, startRedis, type TestRedis } from "../redis.ts";

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
} else {
  test.skip(`the queue on Redis (${NO_REDIS})`, () => {});
}
