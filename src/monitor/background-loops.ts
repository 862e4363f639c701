import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { HOUR, MINUTE } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { repeat } from "../lib/repeat.ts";
import type { Query } from "./model/query.ts";
import type { OpenSource } from "./polling/open-source.ts";
import { reconcileCounts } from "./polling/reconcile-counts.ts";
import { keepGroups } from "./polling/refresh-groups.ts";
import { writeCorrections } from "./polling/write-corrections.ts";
import type { Db } from "./store/database.ts";
import { pruneTables } from "./store/prune-tables.ts";
import type { Stores } from "./store/stores.ts";

/**
 * Starts the loops that need no job, but the health checks. `closing` waits until they have ended, once the signal came.
 * Each source has its own loops: one that is away does not delay the other.
 */
export function runBackgroundLoops(
  parts: {
    readonly stores: Stores;
    readonly db: Db;
    readonly sources: readonly OpenSource[];
    readonly refreshQueries: (source: OpenSource) => Promise<readonly Query[]>;
    readonly retentionMs: number;
    readonly clock: Clock;
    readonly log: Logger;
    /** Ends the loops. */
    readonly signal: AbortSignal;
  },
  closing: Closing,
): void {
  const { sources, stores, refreshQueries, clock, log, signal } = parts;
  const loops = [
    repeat({
      work: () => pruneTables(parts),
      everyMs: async () => 10 * MINUTE,
      problem: "the tables could not be kept; trying again soon",
      ...{ log, signal },
    }),
    ...sources.map((source) =>
      // Known queries are polled even if the source does not list them just now.
      repeat({
        work: () => refreshQueries(source),
        // Lists change seldom, and under a small rate limit each list takes a call from a query.
        everyMs: async () => ((await source.budget.read()).limit === null ? 10 * MINUTE : HOUR),
        problem: `the queries of ${source.config.name === "feeds" ? "the feeds" : "the source"} are not known; asking again soon`,
        ...{ log, signal },
      }),
    ),
    ...sources.map((source) => keepGroups({ stores, clock, log, signal }, source)),
    ...sources.map((source) => reconcileCounts({ stores, source, clock, log, signal })),
    ...sources.map((source) => writeCorrections({ stores, source, log, signal })),
  ];
  for (const loop of loops) closing.add(() => loop);
}
