import { setTimeout as delay } from "node:timers/promises";
import { sql } from "kysely";
import type { PoolClient } from "pg";
import type { Database, DatabasePool } from "./database.ts";
import type { MentionVersion } from "./mention-version.ts";

/** Queries that mentions entered, and queries whose mentions changed. */
export interface Arrivals {
  readonly added: readonly number[];
  readonly updated: readonly number[];
}

const CHANNEL = "local_api_arrivals";

/** Ids in one announcement: PostgreSQL takes 8,000 bytes. */
const IDS_AT_ONCE = 350;

/** Announces the queries of these versions when the transaction commits; a rollback announces nothing. */
export async function announceArrivals(db: Database, versions: readonly MentionVersion[]): Promise<void> {
  const idsOf = (isNew: boolean): number[] => [
    ...new Set(
      versions.filter(({ version }) => (version === 1) === isNew).map(({ record }) => record.queryId),
    ),
  ];
  const [added, updated] = [idsOf(true), idsOf(false)];
  for (let from = 0; from < Math.max(added.length, updated.length); from += IDS_AT_ONCE) {
    const to = from + IDS_AT_ONCE;
    const some: Arrivals = { added: added.slice(from, to), updated: updated.slice(from, to) };
    await sql`select pg_notify(${CHANNEL}, ${JSON.stringify(some)})`.execute(db);
  }
}

/**
 * Calls `onArrivals` after each commit that stored mentions, in whatever process, until the returned function is called.
 * It takes one connection of the pool. What is announced while that is broken is not heard: whoever follows polls as well.
 */
export function followArrivals(
  pool: DatabasePool,
  onArrivals: (arrivals: Arrivals) => void,
  onBroken: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await listen(pool, onArrivals, signal).catch((error: unknown) => {
        if (!signal.aborted) onBroken(error);
      });
      await delay(RECONNECT_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  };
  const following = follow();
  return () => {
    stopping.abort();
    return following;
  };
}

const RECONNECT_MS = 1_000;

/** Resolves when `signal` aborts; rejects when the connection breaks. */
async function listen(
  pool: DatabasePool,
  onArrivals: (arrivals: Arrivals) => void,
  signal: AbortSignal,
): Promise<void> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const end = (error: Error): void => {
        broken = error;
        reject(error);
      };
      client.on("error", end);
      client.on("end", () => end(new Error("the connection that announces mentions was closed")));
      client.on("notification", ({ payload }) => {
        onArrivals(JSON.parse(payload ?? "{}") as Arrivals);
      });
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
      client.query(`listen ${CHANNEL}`).catch(end);
    });
  } finally {
    forget(client, broken);
  }
}

/** It is closed, not given back: the next holder wants no announcements. */
function forget(client: PoolClient, broken: Error | undefined): void {
  client.removeAllListeners("notification");
  client.release(broken ?? true);
}
