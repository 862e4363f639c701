import type { Clock } from "../lib/clock.ts";
import type { SourceToken, TokenStore } from "./token-store.ts";

/** The token that all calls of all workers share. */
export interface Session {
  /** A token that should work. Logs in if there is none; concurrent callers share that login. */
  token(): Promise<string>;
  /** The source refused this token: delete it, and get another one. */
  renew(refused: string): Promise<string>;
}

export function createSession(deps: {
  readonly tokens: TokenStore;
  readonly clock: Clock;
  readonly login: () => Promise<SourceToken>;
}): Session {
  const { tokens, clock } = deps;
  /** The running login of this process; the store's lock serialises it with those of other processes. */
  let pending: Promise<string> | null = null;

  async function usable(refused: string | null): Promise<string | null> {
    const known = await tokens.get();
    return known !== null && known.expiresAt > clock.now() && known.token !== refused ? known.token : null;
  }

  async function obtain(refused: string | null): Promise<string> {
    if (refused !== null) await tokens.remove(refused);
    return await tokens.exclusively(async () => {
      // Another worker may have logged in while we waited for the lock.
      const known = await usable(refused);
      if (known !== null) return known;
      const fresh = await deps.login();
      await tokens.put(fresh);
      return fresh.token;
    });
  }

  async function shared(refused: string | null, mayJoin = true): Promise<string> {
    const joined = pending !== null;
    pending ??= obtain(refused).finally(() => {
      pending = null;
    });
    const token = await pending;
    // A running login may have begun before our token was refused; then one more is needed. But only one: a server may
    // return the same token again and again.
    return joined && mayJoin && token === refused ? await shared(refused, false) : token;
  }

  return {
    token: async () => (await usable(null)) ?? (await shared(null)),
    renew: async (refused) => (await usable(refused)) ?? (await shared(refused)),
  };
}
