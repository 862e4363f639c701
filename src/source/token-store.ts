import type { Instant } from "../lib/instant.ts";

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
