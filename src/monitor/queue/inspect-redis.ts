import { Redis, type RedisOptions } from "ioredis";

export interface RedisFacts {
  readonly version: string;
  /** Null if the server does not allow the question. */
  readonly maxmemoryPolicy: string | null;
  readonly appendOnly: boolean;
  /** The server saves snapshots. */
  readonly snapshots: boolean | null;
  /** The latest snapshot failed, so the server may refuse writes. */
  readonly snapshotFailed: boolean;
  readonly isReplica: boolean;
  readonly usedBytes: number;
  readonly maxBytes: number;
}

export type OpenRedis = (url: string, options: RedisOptions) => Redis;

/** What a Redis or Valkey reports about itself. Rejects if it does not answer within five seconds. */
export async function inspectRedis(
  url: string,
  open: OpenRedis = (address, options) => new Redis(address, options),
): Promise<RedisFacts> {
  const redis = open(url, {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 5_000,
    commandTimeout: 5_000,
    retryStrategy: () => null,
  });
  // The failing call reports the error.
  redis.on("error", () => {});
  try {
    await redis.connect();
    const info = fieldsOf(await redis.info());
    return {
      version: info.get("valkey_version") ?? info.get("redis_version") ?? "unknown",
      maxmemoryPolicy: info.get("maxmemory_policy") ?? null,
      appendOnly: info.get("aof_enabled") === "1",
      snapshots: await hasSnapshots(redis),
      snapshotFailed: info.get("rdb_last_bgsave_status") === "err",
      isReplica: info.get("role") === "slave",
      usedBytes: Number(info.get("used_memory") ?? 0),
      maxBytes: Number(info.get("maxmemory") ?? 0),
    };
  } finally {
    redis.disconnect();
  }
}

function fieldsOf(info: string): Map<string, string> {
  const lines = info.split(/\r?\n/).filter((line) => line.includes(":"));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1)]));
}

/** Hosted servers often forbid CONFIG. */
async function hasSnapshots(redis: Redis): Promise<boolean | null> {
  try {
    const [, value] = (await redis.config("GET", "save")) as string[];
    return value !== undefined && value !== "";
  } catch {
    return null;
  }
}
