import type { Config } from "../config.ts";
import type { Clock } from "../lib/clock.ts";
import { HOUR, MINUTE } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { Query } from "../model/query.ts";
import type { SourceClient } from "../source/source-client.ts";
import type { BudgetStore } from "../store/budgets.ts";
import type { Db } from "../store/database.ts";
import type { Stores } from "../store/stores.ts";
import { createDesk } from "./desk.ts";
import { keepCounting } from "./keep-counting.ts";
import { keepTables } from "./keep-tables.ts";
import { appsOf, listenToSlack } from "./listen-to-slack.ts";
import { createSlackDesk } from "./slack-desk.ts";
import { keepUp } from "./upkeep.ts";
import { keepLooking } from "./watch/keep-looking.ts";
import type { OutageNotes } from "./watch/note-outages.ts";

interface Besides {
  readonly config: Config;
  readonly stores: Stores;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ends the loops. */
  readonly signal: AbortSignal;
}

/** What goes on in a role without a job is begun here; the ending waits until it is over, once the signal came. */
type Ending = () => Promise<void>;

/** Takes presses of buttons from the Slack apps that have a socket. */
export function takePresses({ config, stores, clock, log, signal }: Besides): Ending {
  const press = createSlackDesk({ stores, desk: createDesk({ stores, clock }), log });
  const listening = listenToSlack({ apps: appsOf(config.receivers), press, log, signal });
  return () => listening;
}

/** Keeps the tables, and asks the source what there is to watch. */
export function keepTidy(
  parts: Besides & {
    readonly db: Db;
    readonly budget: BudgetStore;
    readonly refreshQueries: () => Promise<readonly Query[]>;
  },
): Ending {
  const { config, db, stores, budget, refreshQueries, clock, log, signal } = parts;
  const tables = { db, stores, retentionMs: config.retention, clock, log };
  const upkeep = keepUp({
    refreshQueries,
    partitions: () => keepTables(tables),
    // Lists change seldom, and where calls are few each list is one that no query gets.
    everyMs: async () => ((await budget.read()).limit === null ? 10 * MINUTE : HOUR),
    log,
    signal,
  });
  return () => upkeep;
}

/** Holds the counts of the source against what is stored. */
export function keepCounts(
  parts: Besides & { readonly source: SourceClient; readonly budget: BudgetStore },
): Ending {
  const { config, stores, source, budget, clock, log, signal } = parts;
  const counting = keepCounting({
    stores,
    source,
    budget,
    historyMs: config.source.history,
    clock,
    log,
    signal,
  });
  return () => counting;
}

/** Earshot looks at itself. */
export function keepWatch(
  parts: Besides & { readonly watch: { look(): Promise<unknown> }; readonly outages: OutageNotes },
): Ending {
  const { watch, outages, log, signal } = parts;
  const looking = keepLooking(watch, { onFailed: outages.lookFailed, log, signal });
  return () => looking;
}
