import { createAlertActions } from "../alerts/actions/alert-actions.ts";
import { listenToSlack } from "../alerts/actions/listen-to-slack.ts";
import { createSlackActions } from "../alerts/actions/slack-actions.ts";
import type { Config } from "../config.ts";
import { checkHealthLoop } from "../health/check-health-loop.ts";
import type { OutageLog } from "../health/note-outages.ts";
import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { HOUR, MINUTE } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { Query } from "../model/query.ts";
import { slackApps } from "../notify/notifiers/slack/slack-apps.ts";
import { reconcileCounts } from "../polling/reconcile-counts.ts";
import type { Db } from "../store/database.ts";
import type { Stores } from "../store/stores.ts";
import type { OpenSource } from "./open-source.ts";
import { pruneTables } from "./prune-tables.ts";
import { refreshQueriesLoop } from "./refresh-queries.ts";
import type { Role } from "./roles.ts";

interface LoopParts {
  readonly config: Config;
  readonly stores: Stores;
  readonly db: Db;
  readonly source: Pick<OpenSource, "background" | "budget">;
  readonly refreshQueries: () => Promise<readonly Query[]>;
  /** Null if it runs no health checks. */
  readonly health: { checkHealth(): Promise<unknown> } | null;
  readonly outages: OutageLog;
  /** False: a driver sweeps by hand in a replayed past, which needs no counts and no upkeep. */
  readonly sweepsRun: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the loops. */
  readonly signal: AbortSignal;
}

/** Starts the loops of these roles that need no job. `closing` waits until they have ended, once the signal came. */
export function runBackgroundLoops(roles: readonly Role[], parts: LoopParts, closing: Closing): void {
  if (roles.includes("deliver")) closing.add(takeInteractions(parts));
  if (!roles.includes("sweep")) return;
  closing.add(startBackgroundWork(parts));
  if (!parts.sweepsRun) return;
  closing.add(startReconciling(parts));
  const { health, outages, log, signal } = parts;
  if (health === null) return;
  const checking = checkHealthLoop(health, { onFailed: outages.checkFailed, log, signal });
  closing.add(() => checking);
}

type Ending = () => Promise<void>;

/** Receives Slack interactions of the apps that have a socket. */
function takeInteractions({ config, stores, clock, log, signal }: LoopParts): Ending {
  const interaction = createSlackActions({ actions: createAlertActions({ stores, clock }), log });
  const apps = slackApps(config.receivers.map(({ notifier }) => notifier));
  const listening = listenToSlack({ apps, interaction, log, signal });
  return () => listening;
}

/** Prunes the tables, and asks the source for the queries to watch. */
function startBackgroundWork({
  config,
  db,
  stores,
  source,
  refreshQueries,
  clock,
  log,
  signal,
}: LoopParts): Ending {
  const tables = { db, stores, retentionMs: config.retention, clock, log };
  const refreshing = refreshQueriesLoop({
    refreshQueries,
    partitions: () => pruneTables(tables),
    // Lists change seldom, and under a small rate limit each list takes a call from a query.
    everyMs: async () => ((await source.budget.read()).limit === null ? 10 * MINUTE : HOUR),
    log,
    signal,
  });
  return () => refreshing;
}

/** Compares the counts of the source with what is stored. */
function startReconciling({ config, stores, source, clock, log, signal }: LoopParts): Ending {
  const reconciling = reconcileCounts({
    stores,
    source: source.background,
    budget: source.budget,
    historyMs: config.source.history,
    clock,
    log,
    signal,
  });
  return () => reconciling;
}
