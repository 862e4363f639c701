import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";

/** The login at the source. None of it may reach a log line, an error or a job. */
export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** The fixed public client identifier of the API. */
  readonly clientId: string;
  /** Selects the client where the login belongs to several of one organisation. */
  readonly platformClientId?: string | undefined;
}

export interface SourceToken {
  readonly token: string;
  /** When it should no longer be used; a little before the source's own expiry. */
  readonly expiresAt: Instant;
}

/**
 * Stores the one token of a source, shared by every worker. Implementations must never log or print it. Any call may
 * come at any time from any number of workers.
 */
export interface TokenStore {
  get(): Promise<SourceToken | null>;
  put(token: SourceToken): Promise<void>;
  /** Deletes exactly this token. A newer one that another worker has stored meanwhile stays. */
  remove(token: string): Promise<void>;
  /**
   * Runs `work` while no other user of the store runs theirs (an advisory lock in PostgreSQL), so that a token that
   * expires under fifty workers costs one login.
   */
  exclusively<T>(work: () => Promise<T>): Promise<T>;
}

/** A token store for one process: the shell, and tests. */
export function createMemoryTokenStore(initial: SourceToken | null = null): TokenStore {
  let current = initial;
  let last: Promise<unknown> = Promise.resolve();
  return {
    get: async () => current,
    put: async (token) => {
      current = token;
    },
    remove: async (token) => {
      if (current?.token === token) current = null;
    },
    exclusively: (work) => {
      const turn = last.then(work);
      last = turn.catch(() => undefined);
      return turn;
    },
  };
}

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
  /** As the store had it last: one that was replaced since is refused, and then the store is read again. */
  let kept: SourceToken | null = null;

  function isUsable(one: SourceToken | null, refused: string | null): one is SourceToken {
    return one !== null && one.expiresAt > clock.now() && one.token !== refused;
  }

  async function usable(refused: string | null): Promise<string | null> {
    if (!isUsable(kept, refused)) kept = await tokens.get();
    return isUsable(kept, refused) ? kept.token : null;
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
