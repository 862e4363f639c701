import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { MINUTE } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { SourceClient } from "../source/source-client.ts";
import type { BudgetStore } from "../store/budgets.ts";
import type { Stores } from "../store/stores.ts";
import { reconcile } from "./reconcile.ts";

/** Between two checks, for all processes together: calls for the background are few. */
const EVERY_MS = MINUTE;
/** As many ids as every server accepts in one address. */
const MOST_QUERIES = 200;

/** Asks the source now and then for its counts and compares them with what is stored, until `signal`. */
export async function reconcileCounts(parts: {
  readonly stores: Stores;
  readonly source: SourceClient;
  readonly budget: BudgetStore;
  readonly historyMs: number;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { stores, source, budget, historyMs, clock, log, signal } = parts;
  const questions = {
    stores,
    historyMs,
    mostQueries: async () => ((await budget.read()).sharing === "proven" ? MOST_QUERIES : 1),
    countAt: async (span: Parameters<Parameters<typeof reconcile>[0]["countAt"]>[0]) => {
      const { projectId, queryIds, from, to } = span;
      const asked = { projectId, queryIds, startDate: from, endDate: to, pageSize: 1 };
      return (await source.mentionsPage(asked, { signal })).total;
    },
  };
  while (!signal.aborted) {
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    try {
      const now = clock.now();
      if (await stores.health.takeTurn("count", EVERY_MS / 2, now)) await reconcile(questions, now);
    } catch (error) {
      // The budget is used up, or the source is away: it is asked again, and nothing depends on it.
      log.debug({ error: describeError(error) }, "the source could not be asked for its counts");
    }
  }
}
