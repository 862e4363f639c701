import type { Config } from "../config.ts";
import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import { HOUR, MINUTE } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { Query } from "../model/query.ts";
import type { Db } from "../store/database.ts";
import type { Stores } from "../store/stores.ts";
import { createDesk } from "./desk/desk.ts";
import { appsOf, listenToSlack } from "./desk/listen-to-slack.ts";
import { createSlackDesk } from "./desk/slack-desk.ts";
import { keepCounting } from "./keep-counting.ts";
import { keepTables } from "./keep-tables.ts";
import { keepUp } from "./keep-up.ts";
import type { Role } from "./roles.ts";
import type { OpenSource } from "./source/open-source.ts";
import { keepLooking } from "./watch/keep-looking.ts";
import type { OutageNotes } from "./watch/note-outages.ts";

interface Besides {
  readonly config: Config;
  readonly stores: Stores;
  readonly db: Db;
  readonly source: Pick<OpenSource, "background" | "budget">;
  readonly refreshQueries: () => Promise<readonly Query[]>;
  /** Null where it does not look at itself. */
  readonly watch: { look(): Promise<unknown> } | null;
  readonly outages: OutageNotes;
  /** False: a driver sweeps by hand, and lives through a past that nobody counts again or looks after. */
  readonly sweepsRun: boolean;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the loops. */
  readonly signal: AbortSignal;
}

/** Begins what goes on in these roles without a job. `closing` waits until it is over, once the signal came. */
export function runBesideTheQueue(roles: readonly Role[], parts: Besides, closing: Closing): void {
  if (roles.includes("deliver")) closing.add(takePresses(parts));
  if (!roles.includes("sweep")) return;
  closing.add(keepTidy(parts));
  if (!parts.sweepsRun) return;
  closing.add(keepCounts(parts));
  const { watch, outages, log, signal } = parts;
  if (watch === null) return;
  const looking = keepLooking(watch, { onFailed: outages.lookFailed, log, signal });
  closing.add(() => looking);
}

type Ending = () => Promise<void>;

/** Takes presses of buttons from the Slack apps that have a socket. */
function takePresses({ config, stores, clock, log, signal }: Besides): Ending {
  const press = createSlackDesk({ desk: createDesk({ stores, clock }), log });
  const listening = listenToSlack({ apps: appsOf(config.receivers), press, log, signal });
  return () => listening;
}

/** Keeps the tables, and asks the source what there is to watch. */
function keepTidy({ config, db, stores, source, refreshQueries, clock, log, signal }: Besides): Ending {
  const tables = { db, stores, retentionMs: config.retention, clock, log };
  const upkeep = keepUp({
    refreshQueries,
    partitions: () => keepTables(tables),
    // Lists change seldom, and where calls are few each list is one that no query gets.
    everyMs: async () => ((await source.budget.read()).limit === null ? 10 * MINUTE : HOUR),
    log,
    signal,
  });
  return () => upkeep;
}

/** Holds the counts of the source against what is stored. */
function keepCounts({ config, stores, source, clock, log, signal }: Besides): Ending {
  const counting = keepCounting({
    stores,
    source: source.background,
    budget: source.budget,
    historyMs: config.source.history,
    clock,
    log,
    signal,
  });
  return () => counting;
}
