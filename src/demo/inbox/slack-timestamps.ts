import type { LocalInboxDeps } from "./local-inbox-options.ts";

/** Timestamps as message ids: strictly rising, even if the clock stops, and after those of an earlier run. */
export function createSlackTimestamps({ store, clock }: LocalInboxDeps): () => Promise<string> {
  let last: bigint | null = null;
  let started: Promise<bigint> | null = null;
  return async () => {
    started ??= newest(store);
    const before = await started;
    // Read after the wait: two simultaneous calls must not start from the same timestamp.
    last ??= before;
    const now = BigInt(clock.now()) * 1000n;
    last = now > last ? now : last + 1n;
    return `${last / 1_000_000n}.${String(last % 1_000_000n).padStart(6, "0")}`;
  };
}

async function newest(store: LocalInboxDeps["store"]): Promise<bigint> {
  const [message] = await store.list({ kind: "slack", limit: 1 });
  return message?.kind === "slack" ? BigInt(message.ts.replace(".", "")) : 0n;
}
