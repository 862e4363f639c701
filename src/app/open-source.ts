import type { Config } from "../config.ts";
import { type CallNotes, createCallNotes, queryScope } from "../health/note-calls.ts";
import type { SourcePage } from "../ingest/source-page.ts";
import type { Clock } from "../lib/clock.ts";
import type { Closing } from "../lib/closing.ts";
import type { Logger } from "../log.ts";
import type { Query, WatchedQuery } from "../model/query.ts";
import type { QuirkLog } from "../polling/adapt-pages.ts";
import type { PollRequest } from "../polling/poll-request.ts";
import { createQuirkLog } from "../polling/quirk-log.ts";
import type { Rule } from "../rules/rule.ts";
import type { SourceClient } from "../source/source-client.ts";
import { type BudgetStore, createBudgetStore } from "../store/budgets.ts";
import type { Database } from "../store/database.ts";
import { createServerQuirkStore } from "../store/server-quirks.ts";
import type { Stores } from "../store/stores.ts";
import { createSourcePages } from "./source-pages.ts";
import { accountOf, priorityOf, sourcesOf } from "./sources.ts";

/** The account at the source: its clients, the budget that they share, and the quirks of its server. */
export interface OpenSource {
  /** Makes the calls that can wait. */
  readonly background: SourceClient;
  readonly budget: BudgetStore;
  readonly quirkLog: QuirkLog;
  readonly calls: CallNotes;
  /** The pages of one poll; of several queries if they share its calls. Failures are recorded. */
  pages(
    queries: readonly WatchedQuery[],
    request: PollRequest,
    signal: AbortSignal,
  ): AsyncIterable<SourcePage>;
  readonly firstPage: ReturnType<typeof createSourcePages>["firstPage"];
}

/** It is closed with `closing`; `signal` ends waits for a call. */
export function openSource(
  parts: {
    readonly config: Config;
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
  const account = accountOf(config.source);
  const budget = createBudgetStore(database.db, account);
  const sources = sourcesOf(config, database, budget, log, signal);
  for (const one of Object.values(sources)) closing.add(one.close);
  const quirkLog = createQuirkLog(createServerQuirkStore(database.db, account), clock);
  const calls = createCallNotes({ stores, clock });
  const { pagesOf, firstPage } = createSourcePages({
    sources,
    priorityOf: (queries, request) => priorityOf(queries, request, rulesFor),
    pageSize: config.source.pageSize,
    quirkLog,
    stores,
    clock,
  });
  return {
    background: sources.background,
    budget,
    quirkLog,
    calls,
    pages: (queries, request, signal) =>
      calls.notedPages(queries.map(queryScope), pagesOf(queries, request, signal)),
    firstPage,
  };
}
