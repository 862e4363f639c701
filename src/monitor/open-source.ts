import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import type { Logger } from "../lib/log.ts";
import { type CallNotes, createCallNotes, queryScope } from "./health/note-failures.ts";
import type { Query } from "./model/query.ts";
import type { PageSource } from "./polling/next-page.ts";
import { createQuirkLog } from "./polling/quirk-log.ts";
import type { Rule } from "./rules/rule.ts";
import type { SourceClient } from "./source/source-client.ts";
import type { Source } from "./source/source-config.ts";
import { accountOf, sourcesOf } from "./sources.ts";
import { type BudgetStore, createBudgetStore } from "./store/budgets.ts";
import type { Database } from "./store/database.ts";
import { createServerQuirkStore } from "./store/server-quirks.ts";
import type { Stores } from "./store/stores.ts";

/** A source: its clients, the budget that they share, and the quirks of its server. */
export interface OpenSource {
  readonly config: Source;
  /** Makes the calls that can wait. */
  readonly background: SourceClient;
  readonly budget: BudgetStore;
  readonly calls: CallNotes;
  /** What polls need of it; failures of their calls are recorded. */
  readonly pages: PageSource;
}

/** It is closed with `closing`; `signal` ends waits for a call. */
export function openSource(
  parts: {
    readonly config: Source;
    readonly database: Database;
    readonly stores: Stores;
    readonly rulesFor: (query: Query) => readonly Rule[];
    readonly clock: Clock;
    readonly log: Logger;
    readonly signal: AbortSignal;
  },
  closing: Closing,
): OpenSource {
  const { config, database, stores, rulesFor, clock, log, signal } = parts;
  const account = accountOf(config);
  const budget = createBudgetStore(database.db, account);
  const sources = sourcesOf(config, database, budget, log, signal);
  for (const one of Object.values(sources)) closing.add(one.close);
  const quirkLog = createQuirkLog(createServerQuirkStore(database.db, account), clock);
  const calls = createCallNotes({ stores, clock, source: config.name });
  const pages: PageSource = {
    clients: sources,
    rulesFor,
    now: () => clock.now(),
    isWallTime: clock.speed === 1,
    hasOlder: stores.mentions.hasOlder,
    fullest: { rows: 0 },
    pageSize: config.pageSize,
    quirkLog,
    noteCall: (queries, failure) => calls.note(queries.map(queryScope), failure),
  };
  return { config, background: sources.background, budget, calls, pages };
}
