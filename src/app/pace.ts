import type { SourceConfig } from "../config/source-config.ts";
import { paceOf } from "../ingest/pace.ts";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";
import type { WalkName } from "../model/walk.ts";
import type { SourceClient } from "../source/source-client.ts";

export interface Pace {
  /** Domain time from one walk of a query to the next. */
  everyMs(walk: WalkName): number;
  /** Asks the account for its rate limit and spreads it over the queries. */
  learn(queries: number): Promise<void>;
}

/** Walks as often as the configuration wants, or as the account's rate limit allows. */
export function createPace(source: SourceClient, config: SourceConfig, log: Logger): Pace {
  const wanted = { pollEveryMs: config.pollEvery, updatesEveryMs: config.updatesEvery };
  let pace = paceOf(wanted, 0, null);
  return {
    everyMs: (walk) => pace[walk],
    learn: async (queries) => {
      try {
        const { rateLimit } = await source.client();
        pace = paceOf(wanted, queries, rateLimit);
        if (pace.added > wanted.pollEveryMs) {
          log.warn(
            { queries, ...rateLimit, pollEveryMs: pace.added },
            "the account's rate limit slows polling down",
          );
        }
      } catch (error) {
        log.warn({ error: describeError(error) }, "the account's rate limit is not known");
      }
    },
  };
}
