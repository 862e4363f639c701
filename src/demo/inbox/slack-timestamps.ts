import type { LocalInboxDeps } from "./local-inbox-options.ts";

/** Names of messages: strictly rising, also where the clock stands still, and from where an earlier run stopped. */
export function createSlackTimestamps({ store, clock }: LocalInboxDeps): () => Promise<string> {
  let last: bigint | null = null;
  let started: Promise<bigint> | null = null;
  return async () => {
    started ??= newest(store);
    const before = await started;
    // Read after the wait: two that came at once must not both begin from the same moment.
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
