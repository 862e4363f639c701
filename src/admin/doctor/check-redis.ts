import { inspectRedis, type OpenRedis, type RedisFacts } from "#monitor";
import { describeError } from "../../lib/errors.ts";
import { capitalised } from "../../lib/text.ts";
import { addressFault, withoutAddress } from "../open/engine-address.ts";
import { type Finding, fail, ok, warn } from "./finding.ts";

/** Version, persistence and eviction of the Redis that holds the queues. */
export async function checkRedis(url: string, open?: OpenRedis): Promise<readonly Finding[]> {
  const fault = addressFault("REDIS_URL", url);
  if (fault !== null) return [fail("redis", fault.message, `${capitalised(fault.hint)}.`)];
  let facts: RedisFacts;
  try {
    facts = await inspectRedis(url, open);
  } catch (error) {
    return [
      fail(
        "redis",
        `Redis cannot be reached: ${withoutAddress(describeError(error), url)}`,
        "Is the server of REDIS_URL up, and are its address and password right?",
      ),
    ];
  }
  return [version(facts), eviction(facts), persistence(facts)];
}

function version({ version: name, isReplica }: RedisFacts): Finding {
  if (isReplica)
    return fail(
      "redis",
      `Redis ${name} is a replica and accepts no writes`,
      "Point REDIS_URL at the primary server.",
    );
  const [major = 0, minor = 0] = name.split(".").map(Number);
  return major < 6 || (major === 6 && minor < 2)
    ? fail("redis", `Redis ${name} is too old`, "Use Redis 6.2 or later, or Valkey.")
    : ok("redis", `Redis ${name}`);
}

function eviction({ maxmemoryPolicy, usedBytes, maxBytes }: RedisFacts): Finding {
  if (maxmemoryPolicy === null)
    return warn(
      "redis eviction",
      "the server does not show its policy",
      "Make sure that maxmemory-policy is noeviction.",
    );
  if (maxmemoryPolicy !== "noeviction") {
    return fail(
      "redis eviction",
      `maxmemory-policy is ${maxmemoryPolicy}: jobs may be deleted`,
      "Set maxmemory-policy to noeviction.",
    );
  }
  return maxBytes > 0 && usedBytes > 0.8 * maxBytes
    ? warn(
        "redis eviction",
        `noeviction, but ${Math.round((100 * usedBytes) / maxBytes)}% of its memory is used`,
        "Give it more memory (maxmemory).",
      )
    : ok("redis eviction", "noeviction");
}

/** Nothing is lost without it, because the tables hold all due work; a sweep only has to find it again. */
function persistence({ appendOnly, snapshots, snapshotFailed }: RedisFacts): Finding {
  if (snapshotFailed)
    return fail(
      "redis persistence",
      "its latest snapshot failed, so it may refuse writes",
      "Check its disk and its log.",
    );
  if (appendOnly) return ok("redis persistence", "append-only file");
  if (snapshots === true) return ok("redis persistence", "snapshots");
  return warn(
    "redis persistence",
    snapshots === null
      ? "the server does not show it"
      : "none: a restart loses waiting jobs, and the sweep has to find their work again",
    "Set appendonly to yes.",
  );
}
