import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { describeError } from "../lib/errors.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { createAlertActions } from "./alerts/actions/alert-actions.ts";
import type { MonitorConfig } from "./config/monitor-config.ts";
import { checkHealthLoop } from "./create-health.ts";
import type { OutageLog } from "./health/note-outages.ts";
import type { Query } from "./model/query.ts";
import { listenToSlack } from "./notify/notifiers/slack/listen-to-slack.ts";
import { createSlackActions } from "./notify/notifiers/slack/slack-actions.ts";
import { type SlackApp, slackApps } from "./notify/notifiers/slack/slack-config.ts";
import type { OpenSource } from "./open-source.ts";
import { reconcileCounts } from "./polling/reconcile-counts.ts";
import type { Role } from "./roles.ts";
import type { Database, Db } from "./store/database.ts";
import { dropPartitionsBefore, ensurePartitions } from "./store/partitions.ts";
import type { Stores } from "./store/stores.ts";

interface LoopParts {
  readonly config: MonitorConfig;
  readonly stores: Stores;
  readonly db: Db;
  readonly sources: readonly OpenSource[];
  readonly refreshQueries: (source: OpenSource) => Promise<readonly Query[]>;
  /** Null if it runs no health checks. */
  readonly health: { checkHealth(): Promise<unknown> } | null;
  readonly outages: OutageLog;
  /** False: a driver sweeps and refreshes the queries by hand in a replayed past, which needs no loop. */
  readonly sweepsRun: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the loops. */
  readonly signal: AbortSignal;
}

/** Starts the loops of these roles that need no job. `closing` waits until they have ended, once the signal came. */
export function runBackgroundLoops(roles: readonly Role[], parts: LoopParts, closing: Closing): void {
  if (!roles.includes("sweep") || !parts.sweepsRun) return;
  const { sources, stores, health, outages, clock, log, signal } = parts;
  const upkeep = keepTablesLoop(parts);
  closing.add(() => upkeep);
  for (const source of sources) {
    const refreshing = refreshQueriesLoop(source, parts);
    closing.add(() => refreshing);
  }
  for (const source of sources) {
    // Compares the counts of the source with what is stored.
    const reconciling = reconcileCounts({ stores, source, clock, log, signal });
    closing.add(() => reconciling);
  }
  if (health === null) return;
  const checking = checkHealthLoop(health, { onFailed: outages.checkFailed, log, signal });
  closing.add(() => checking);
}

type Ending = () => Promise<void>;

/**
 * Receives Slack interactions of the apps that have a socket. A configuration with the same apps keeps the sockets; with
 * others, the new ones are opened before the old ones are closed.
 */
export function createInteractionSockets(
  parts: Pick<LoopParts, "stores" | "clock" | "log"> & { readonly roles: readonly Role[] },
): { use(config: MonitorConfig): void; close: Ending } {
  const { roles, stores, clock, log } = parts;
  const interaction = createSlackActions({ actions: createAlertActions({ stores, clock }), log });
  let open = { apps: [] as readonly SlackApp[], close: async () => {} };
  return {
    use: (config) => {
      const apps = slackApps(config.receivers.map(({ notifier }) => notifier));
      if (!roles.includes("deliver") || isDeepStrictEqual(apps, open.apps)) return;
      const before = open;
      const ending = new AbortController();
      const listening = listenToSlack({ apps, interaction, log, signal: ending.signal });
      const closeBefore = setTimeout(() => before.close(), CONNECTED_MS);
      const close = async () => {
        clearTimeout(closeBefore);
        ending.abort(new Error("the sockets are closed"));
        await Promise.all([listening, before.close()]);
      };
      open = { apps, close };
    },
    close: () => open.close(),
  };
}

/** By then a new socket is connected. */
const CONNECTED_MS = 10 * SECOND;

/** Authors of that long ago are in no window any more; values that come back after that long may count as new. */
const DISTINCT_AUTHORS_FOR_MS = 7 * DAY;
const VALUES_FOR_MS = 400 * DAY;

/** Creates partitions for the months to come, and deletes what is older than the retention. */
async function pruneTables(parts: {
  readonly db: Database["db"];
  readonly stores: Stores;
  readonly retentionMs: number;
  readonly clock: Clock;
  readonly log: Logger;
}): Promise<void> {
  const { db, stores, retentionMs, clock, log } = parts;
  const now = clock.now();
  await ensurePartitions(db, now);
  const dropped = await dropPartitionsBefore(db, now - retentionMs);
  await stores.distinctAuthors.forgetBefore(now - DISTINCT_AUTHORS_FOR_MS);
  await stores.values.forgetBefore(now - VALUES_FOR_MS);
  await stores.alertMessages.forget();
  await stores.interactions.forget();
  if (dropped.length > 0) log.info({ dropped }, "months beyond the retention were dropped");
}

/** Creates partitions for the months to come and prunes the tables, until `signal`. */
function keepTablesLoop({ config, db, stores, clock, log, signal }: LoopParts): Promise<void> {
  const tables = { db, stores, retentionMs: config.retention, clock, log };
  return repeat({
    work: () => pruneTables(tables),
    everyMs: async () => 10 * MINUTE,
    problem: "the tables could not be kept; trying again soon",
    ...{ log, signal },
  });
}

/**
 * Asks a source for its queries, until `signal`. Each source has its own loop: one that is away does not delay the
 * other. Known queries are polled even if the source does not list them just now.
 */
function refreshQueriesLoop(
  source: OpenSource,
  { refreshQueries, log, signal }: Pick<LoopParts, "refreshQueries" | "log" | "signal">,
): Promise<void> {
  const who = source.config.name === "feeds" ? "the feeds" : "the source";
  return repeat({
    work: () => refreshQueries(source),
    // Lists change seldom, and under a small rate limit each list takes a call from a query.
    everyMs: async () => ((await source.budget.read()).limit === null ? 10 * MINUTE : HOUR),
    problem: `the queries of ${who} are not known; asking again soon`,
    ...{ log, signal },
  });
}

/** Works now and then until `signal`; soon again after a failure, which is logged. */
async function repeat(parts: {
  readonly work: () => Promise<unknown>;
  /** Real time between two runs. */
  readonly everyMs: () => Promise<number>;
  readonly problem: string;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { work, everyMs, problem, log, signal } = parts;
  while (!signal.aborted) {
    let pauseMs = SOON_MS;
    try {
      await work();
      pauseMs = await everyMs().catch(() => SOON_MS);
    } catch (error) {
      if (!signal.aborted) log.error({ error: describeError(error) }, problem);
    }
    await delay(pauseMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

const SOON_MS = 15 * SECOND;
