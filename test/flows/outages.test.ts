import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { afterEach, describe, expect, test } from "vitest";
import { ROLES, startEarshot } from "../../src/app.ts";
import { loadConfig } from "../../src/config.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { createLog } from "../../src/log.ts";
import { collect } from "../chaos/collect.ts";
import { heldOf } from "../chaos/held.ts";
import { compareWorlds } from "../chaos/ledger.ts";
import { isDrained, isWatching, lastMomentOf } from "../chaos/progress.ts";
import { publish } from "../chaos/publish.ts";
import { createStream } from "../chaos/stream.ts";
import { until } from "../chaos/until.ts";
import { openWorld, type QueueKind, startServer, type World } from "../chaos/world.ts";
import { hasRedis, NO_REDIS } from "../redis.ts";

/** Longer than every lease, lock and connection timeout: a minute holds nothing that these seconds do not. */
const AWAY_MS = 11 * SECOND;
const STREAM_MS = 14 * SECOND;
const PATIENCE_MS = 90 * SECOND;

let world: World;
afterEach(() => world.closing.close());

async function goAway(kind: "database" | "queue"): Promise<void> {
  const { facts, redis, closing, folder } = world;
  const [stop, start] =
    kind === "database" || redis === null
      ? [facts.stop, () => startServer(closing, join(folder, "facts"))]
      : [redis.stop, redis.start];
  await stop();
  await delay(AWAY_MS);
  await start();
}

/** Earshot in this process, and people who speak while `trouble` happens. What is broken in the end. */
async function live(queue: QueueKind, trouble: () => Promise<void>): Promise<unknown> {
  world = await openWorld(queue);
  const { facts, redis, env, closing } = world;
  const earshot = await startEarshot({
    config: await loadConfig(env["EARSHOT_CONFIG"] ?? "", {}),
    databaseUrl: facts.url,
    queue:
      redis === null
        ? { kind: "postgres", url: facts.url, schema: "earshot_queue" }
        : { kind: "redis", url: redis.url, prefix: "earshot" },
    clock: systemClock,
    log: createLog({ level: "silent" }),
    roles: ROLES,
  });
  closing.add(earshot.stop);
  expect(await until(PATIENCE_MS, () => isWatching(world))).toBe(true);
  const sayings = createStream({ seed: 5, lastsMs: STREAM_MS, perSecond: 6 });
  const from = systemClock.now();
  await publish(world, sayings, from);
  const hasBegun = async () =>
    (await world.factsPool.query("select from earshot.mentions limit 1")).rowCount === 1;
  expect(await until(PATIENCE_MS, hasBegun)).toBe(true);
  await trouble();
  expect(await until(PATIENCE_MS, () => isDrained(world, lastMomentOf(sayings, from)))).toBe(true);
  return compareWorlds(heldOf(sayings), await collect(world)).filter(({ wrong }) => wrong > 0);
}

describe("work goes on by itself, and nothing is lost or told twice, after", { timeout: 240_000 }, () => {
  test("PostgreSQL was gone for a while, with the queues in it", async () => {
    expect(await live("postgres", () => goAway("database"))).toEqual([]);
  });

  test.skipIf(!hasRedis())(
    `PostgreSQL was gone for a while, with queues on Redis (${NO_REDIS})`,
    async () => {
      expect(await live("redis", () => goAway("database"))).toEqual([]);
    },
  );

  test.skipIf(!hasRedis())(`Redis was gone for a while and comes back empty (${NO_REDIS})`, async () => {
    expect(await live("redis", () => goAway("queue"))).toEqual([]);
  });

  test.skipIf(!hasRedis())(`Redis was emptied three times while it was in use (${NO_REDIS})`, async () => {
    const empty = async () => {
      const client = new Redis(world.redis?.url ?? "");
      for (let i = 0; i < 3; i++) {
        await client.flushall();
        await delay(SECOND);
      }
      client.disconnect();
    };
    expect(await live("redis", empty)).toEqual([]);
  });
});
