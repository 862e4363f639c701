import { setTimeout as delay } from "node:timers/promises";
import type { Pool, PoolClient } from "pg";

const RECONNECT_MS = 1_000;

/**
 * Calls `onPayload` for each notification of a channel of PostgreSQL, until the returned function is called. It takes one
 * connection of the pool. What is announced while that is broken is lost: whoever follows looks by itself as well.
 */
export function followChannel(
  pool: Pool,
  channel: string,
  onPayload: (payload: string) => void,
  onBroken: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await listen(pool, channel, onPayload, signal).catch((error: unknown) => {
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

/** Resolves when `signal` aborts; rejects when the connection breaks. */
async function listen(
  pool: Pool,
  channel: string,
  onPayload: (payload: string) => void,
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
      client.on("end", () => end(new Error(`the connection that listens to ${channel} was closed`)));
      client.on("notification", ({ payload }) => onPayload(payload ?? ""));
      signal.addEventListener("abort", () => resolve(), { once: true });
      if (signal.aborted) resolve();
      client.query(`listen ${channel}`).catch(end);
    });
  } finally {
    forget(client, broken);
  }
}

/** It is closed, not given back: the next holder wants no notifications. */
function forget(client: PoolClient, broken: Error | undefined): void {
  client.removeAllListeners("notification");
  client.release(broken ?? true);
}
