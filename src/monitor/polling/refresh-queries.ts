import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { Query, SourceName } from "../model/query.ts";
import type { SourceClient } from "../source/source-client.ts";
import { SourceError } from "../source/source-error.ts";
import type { BudgetStore } from "../store/budgets.ts";
import type { Stores } from "../store/stores.ts";
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
  /** Sources whose last list was empty although queries of them are watched. */
  const empty = new Set<SourceName>();
  return async ({ config, background, budget, calls }) => {
    const now = clock.now();
    await stores.queries.leaveOthers(names);
    await calls.noted("client", () => learnLimit(background, budget, log));
    const watchFrom = config.watchFrom ?? parts.watchFrom ?? now;
    const moments = { watchFrom, historyFrom: watchFrom - config.history, now };
    const { name } = config;
    const { outcome, queries } = await calls.noted("projects and queries", () =>
      registerQueries({ source: background, stores }, config, moments, signal, empty.has(name)),
    );
    if (outcome === "Doubted") {
      empty.add(name);
      log.warn({ source: name, watched: queries.length }, EMPTY);
    } else empty.delete(name);
    return queries;
  };
}

const EMPTY =
  "the source lists no query at all; those that are watched go on being watched, and end if the next list is empty, too";

/**
 * What the account's record says about its rate limit. If it says nothing, or may not be read, headers and refusals
 * still may: watching starts in any case.
 */
export async function learnLimit(
  source: Pick<SourceClient, "client">,
  budget: BudgetStore,
  log: Logger,
): Promise<void> {
  const record = await source.client().catch((error: unknown) => {
    if (!(error instanceof SourceError) || !WITHHELD.has(error.kind)) throw error;
    log.warn(
      { error: error.message },
      "the record of the account cannot be read; its rate limit is learned from answers",
    );
    return null;
  });
  if (record === null) return;
  const { rateLimit } = record;
  const { limit, learnedFrom } = await budget.read();
  if (learnedFrom === "answer") return;
  if (
    learnedFrom === "client" &&
    limit?.limit === rateLimit?.limit &&
    limit?.periodMs === rateLimit?.periodMs
  )
    return;
  await budget.learn(rateLimit, "client");
  log.info({ ...rateLimit }, "the rate limit of the account is known");
}

/** The source's answer if it does not show the record. */
const WITHHELD: ReadonlySet<string> = new Set(["forbidden", "not-found", "rejected", "malformed"]);
