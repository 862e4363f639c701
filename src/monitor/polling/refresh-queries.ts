import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { Query, SourceName } from "../model/query.ts";
import type { Stores } from "../store/stores.ts";
import { learnLimit } from "./learn-limit.ts";
import type { OpenSource } from "./open-source.ts";
import { registerQueries } from "./register-queries.ts";

/** Asks a source for its rate limit and for the queries to watch. Queries of sources without a name here are left. */
export function createRefreshQueries(parts: {
  readonly stores: Stores;
  /** Of all sources of the configuration. */
  readonly names: readonly SourceName[];
  /** From when on new queries alert, unless their source says it; null: now. */
  readonly watchFrom: Instant | null;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): (source: OpenSource) => Promise<readonly Query[]> {
  const { stores, names, clock, log, signal } = parts;
  return async ({ config, background, budget, calls }) => {
    const now = clock.now();
    await stores.queries.leaveOthers(names);
    await calls.noted("client", () => learnLimit(background, budget, log));
    const watchFrom = config.watchFrom ?? parts.watchFrom ?? now;
    const moments = { watchFrom, historyFrom: watchFrom - config.history, now };
    return calls.noted("projects and queries", () =>
      registerQueries({ source: background, stores }, config, moments, signal),
    );
  };
}
