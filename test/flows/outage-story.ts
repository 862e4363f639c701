import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Redis } from "ioredis";
import { loadConfig } from "../../src/admin/config/config.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { createLog } from "../../src/lib/log.ts";
import { startEarshot } from "../../src/monitor/monitor.ts";
import { ROLES } from "../../src/monitor/roles.ts";
import { collect } from "../chaos/collect.ts";
import { expectedOf } from "../chaos/expected.ts";
import { compareWorlds } from "../chaos/ledger.ts";
import type { QueueKind } from "../chaos/plan-kills.ts";
import { isDrained, isWatching, lastMomentOf } from "../chaos/progress.ts";
import { publish } from "../chaos/publish.ts";
import { createStream } from "../chaos/stream.ts";
import { until } from "../chaos/until.ts";
import { openWorld, startServer, type World } from "../chaos/world.ts";

const STREAM_MS = 30 * SECOND;
const DRAIN_MS = 90 * SECOND;

export type Outage = (world: World) => Promise<void>;

export function databaseGoesAway(forMs: number): Outage {
  return async ({ facts, closing, folder }) => {
    await facts.stop();
    await delay(forMs);
    await startServer(closing, join(folder, "facts"), {});
  };
}

export function redisGoesAway(forMs: number): Outage {
  return async ({ redis }) => {
    await redis?.stop();
    await delay(forMs);
    await redis?.start();
  };
}

export async function redisIsEmptied({ redis }: World): Promise<void> {
  const client = new Redis(redis?.url ?? "");
  await client.flushall();
  client.disconnect();
}

/** Earshot in this process, with mentions while one fault follows the other, and the result. */
export async function runThrough(queue: QueueKind, problems: readonly Outage[]) {
  const world = await openWorld(queue, { withScenario: false });
  try {
    const { facts, redis, env, closing } = world;
    const earshot = await startEarshot({
      config: await loadConfig(env["EARSHOT_CONFIG"] ?? "", {}),
      databaseUrl: facts.url,
      queue:
        redis === null
          ? { kind: "postgres", url: facts.url, schema: "earshot_queue" }
          : { kind: "redis", url: redis.url, prefix: "earshot" },
      clock: world.clock,
      log: createLog({ level: "silent" }),
      roles: ROLES,
    });
    closing.add(earshot.stop);
    const watching = await until(DRAIN_MS, () => isWatching(world));
    const mentions = createStream({ seed: 5, lastsMs: STREAM_MS, perSecond: 4 });
    const from = world.clock.now();
    await publish(world, mentions, from);
    const hasBegun = async () =>
      (await world.factsPool.query("select from earshot.mentions limit 1")).rowCount === 1;
    const begun = await until(DRAIN_MS, hasBegun);
    for (const happen of problems) {
      const before = await outagesOf(world);
      await happen(world);
      // It is written down by then, so the next outage is one of its own.
      await until(DRAIN_MS, async () => (await outagesOf(world)) > before);
    }
    const drained = await until(DRAIN_MS, () => isDrained(world, lastMomentOf(mentions, from)));
    const broken = compareWorlds(
      expectedOf(mentions, { withScenario: false }),
      await collect(world, null),
    ).filter(({ wrong }) => wrong > 0);
    const { rows } = await world.factsPool.query<{ what: string }>(
      "select distinct engine || ' ' || outcome as what from earshot.outages order by 1",
    );
    return { watching, begun, drained, broken, outages: rows.map(({ what }) => what) };
  } finally {
    await world.closing.close();
  }
}

async function outagesOf({ factsPool }: World): Promise<number> {
  return (await factsPool.query("select from earshot.outages")).rowCount ?? 0;
}
