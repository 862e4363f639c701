import RedisMock from "ioredis-mock";
import { expect, test } from "vitest";
import { checkRedis } from "../../../src/admin/doctor/check-redis.ts";

/** A server whose INFO shows `changed` and whose CONFIG GET save is `save`; null if it forbids CONFIG. */
async function states(changed: Readonly<Record<string, string>> = {}, save: string | null = "") {
  const findings = await checkRedis("redis://127.0.0.1:6379", (_, options) => {
    const redis = new RedisMock({ ...options, keyPrefix: "", lazyConnect: true });
    const info = redis.info.bind(redis);
    const lines = Object.entries(changed).map(([name, value]) => `${name}:${value}\r\n`);
    redis.info = async () => `${await info()}\r\n${lines.join("")}`;
    redis.config = (async () => {
      if (save === null) throw new Error("ERR unknown command 'CONFIG'");
      return ["save", save];
    }) as typeof redis.config;
    return redis;
  });
  return Object.fromEntries(findings.map(({ what, state, found }) => [what, `${state}: ${found}`]));
}

test("a Redis without eviction and with persistence is ok", async () => {
  expect(await states({ redis_version: "7.2.4", aof_enabled: "1" })).toEqual({
    redis: "ok: Redis 7.2.4",
    "redis eviction": "ok: noeviction",
    "redis persistence": "ok: append-only file",
  });
  expect(await states({}, "3600 1 300 100")).toMatchObject({ "redis persistence": "ok: snapshots" });
});

test.each([
  [{ maxmemory_policy: "allkeys-lru" }, "redis eviction", /^fail: maxmemory-policy is allkeys-lru/],
  [{ maxmemory: "1000", used_memory: "850" }, "redis eviction", /^warn: noeviction, but 85% of its memory/],
  [{ maxmemory: "1000", used_memory: "700" }, "redis eviction", /^ok/],
  [{ redis_version: "6.0.16" }, "redis", /^fail: Redis 6.0.16 is too old/],
  [{ redis_version: "6.2.0" }, "redis", /^ok/],
  [{ redis_version: "7.2.4", valkey_version: "8.1.0" }, "redis", /^ok: Redis 8.1.0/],
  [{ role: "slave" }, "redis", /^fail: .* is a replica/],
  [{ rdb_last_bgsave_status: "err" }, "redis persistence", /^fail: its latest snapshot failed/],
  [{}, "redis persistence", /^warn: none/],
])("%j is reported: %s", async (changed, what, expected) => {
  expect((await states(changed))[what]).toMatch(expected);
});

test("a hosted Redis that forbids CONFIG is checked as far as it answers", async () => {
  expect(await states({}, null)).toMatchObject({
    "redis eviction": "ok: noeviction",
    "redis persistence": "warn: the server does not show it",
  });
});
