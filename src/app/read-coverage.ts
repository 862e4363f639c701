import { resolve } from "node:path";
import type { Surroundings } from "../config.ts";
import type { Clock } from "../lib/clock.ts";
import { DAY } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { ShownBudget, ShownWalk } from "../model/shown.ts";
import { worstDelayMs } from "../model/worst-delay.ts";
import { createConsoleStore } from "../store/console.ts";
import { openDatabase } from "../store/database.ts";
import { startEmbeddedPostgres } from "../store/embedded.ts";
import { migrate } from "../store/migrate.ts";

/** How complete the picture is, and what is promised: durations in milliseconds, sums of the last 24 hours. */
export interface CoverageReport {
  readonly budgets: readonly (ShownBudget & { readonly left: number | null })[];
  readonly walks: readonly (ShownWalk & {
    /** How far what is complete lies behind now. */
    readonly lagMs: number | null;
    /** How long a mention that is visible at the source may wait until it is seen, as calls are planned now. */
    readonly worstDelayMs: number | null;
  })[];
}

/** Reads the report from the tables, beside whatever runs on them. */
export async function readCoverage(
  surroundings: Surroundings,
  clock: Clock,
  log: Logger,
): Promise<CoverageReport> {
  const { databaseUrl, home } = surroundings;
  const embedded =
    databaseUrl === null
      ? await startEmbeddedPostgres({ dataDir: resolve(home, "postgres"), log, share: true })
      : null;
  try {
    const url = databaseUrl ?? embedded?.url ?? "";
    await migrate(url);
    const database = openDatabase({ url, connections: 2, onError: () => {} });
    try {
      const facts = createConsoleStore(database.db);
      const now = clock.now();
      const [budgets, walks] = [await facts.budgets(), await facts.coverage(now - DAY)];
      return {
        budgets: budgets.map((budget) => ({
          ...budget,
          left: budget.limit === null ? null : Math.max(0, budget.limit - budget.used),
        })),
        walks: walks.map((walk) => ({
          ...walk,
          lagMs: walk.completeUntil === null ? null : Math.max(0, now - walk.completeUntil),
          worstDelayMs: worstDelayMs(walk, now),
        })),
      };
    } finally {
      await database.close();
    }
  } finally {
    await embedded?.stop();
  }
}
