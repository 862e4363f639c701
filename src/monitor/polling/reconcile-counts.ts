import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { DAY, HOUR, type Instant, MINUTE } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { type SourceName, sourceOfProject } from "../model/query.ts";
import type { SourceClient } from "../source/source-client.ts";
import type { Source } from "../source/source-config.ts";
import type { BudgetStore } from "../store/budgets.ts";
import type { CountCheck, CountedSpan } from "../store/coverage.ts";
import type { Stores } from "../store/stores.ts";

/** How many mentions the source has of each of its watched queries, by id. One call for each query. */
export async function totalsOf(
  { config, background }: { readonly config: Source; readonly background: SourceClient },
  stores: Pick<Stores, "countChecks" | "health" | "queries">,
  now: Instant,
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>();
  for (const { projectId, queryId, watchFrom } of await stores.queries.active()) {
    if (sourceOfProject(projectId) !== config.name) continue;
    const range = { startDate: watchFrom - config.lookback, endDate: now + DAY };
    const page = await background.mentionsPage({ projectId, queryIds: [queryId], ...range, pageSize: 1 });
    totals.set(queryId, page.total ?? 0);
  }
  return totals;
}

/** Between two checks, for all processes together: calls for the background are few. */
const EVERY_MS = MINUTE;
/** As many ids as every server accepts in one address. */
const MOST_QUERIES = 200;

interface CountingParts {
  readonly stores: Pick<Stores, "countChecks" | "health" | "queries" | "transaction">;
  readonly source: {
    readonly config: Source;
    readonly background: SourceClient;
    readonly budget: BudgetStore;
  };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Asks the source now and then for its counts and compares them with what is stored, until `signal`. */
export async function reconcileCounts(parts: CountingParts & { readonly log: Logger }): Promise<void> {
  const { log, signal } = parts;
  while (!signal.aborted) {
    await delay(EVERY_MS, undefined, { signal, ref: false }).catch(() => {});
    if (signal.aborted) return;
    try {
      await reconcileInTurn(parts);
    } catch (error) {
      // The budget is used up, or the source is away: it is asked again, and nothing depends on it.
      log.debug({ error: describeError(error) }, "the source could not be asked for its counts");
    }
  }
}

/** One round, if it is the turn of this process. */
export async function reconcileInTurn({ stores, source, clock, signal }: CountingParts): Promise<void> {
  const { background, budget } = source;
  const { name, history: historyMs } = source.config;
  const questions = {
    ...{ stores, source: name, historyMs },
    mostQueries: async () => ((await budget.read()).sharing === "proven" ? MOST_QUERIES : 1),
    countAt: async (span: Parameters<Parameters<typeof reconcile>[0]["countAt"]>[0]) => {
      const { projectId, queryIds, from, to } = span;
      const request = { projectId, queryIds, startDate: from, endDate: to, pageSize: 1 };
      return (await background.mentionsPage(request, { signal })).total;
    },
  };
  const now = clock.now();
  if (await stores.health.takeTurn(`count ${name}`, EVERY_MS / 2, now)) await reconcile(questions, now);
}

interface ReconcileParts {
  readonly stores: Pick<Stores, "countChecks" | "transaction">;
  /** Only its queries are checked; absent: all. */
  readonly source?: SourceName;
  /** How many mentions the source has of these queries with a date in the span; null if it does not count. */
  readonly countAt: (span: CountedSpan) => Promise<number | null>;
  /** How many queries one call may ask for. */
  readonly mostQueries: () => Promise<number>;
  readonly historyMs: number;
}

const SPAN_MS = 7 * DAY;
/** Younger mentions are left to the polls. */
const SETTLED_MS = HOUR;

/**
 * Compares the source's counts of the last week with what is stored, by the dates of the mentions. So it also finds
 * mentions that became visible later than any overlap, or that a poll missed for a reason nobody thought of. One check
 * at a time; it ends when the polls have caught up with it, since mentions that came meanwhile are not missing. Halving
 * finds the query whose mentions are missing, and its poll reads the week again.
 */
export async function reconcile(parts: ReconcileParts, now: Instant): Promise<void> {
  const { countChecks } = parts.stores;
  for (const check of await countChecks.caughtUp(parts.source)) await answer(parts, check, now);
  if ((await countChecks.waiting(parts.source)) > 0) return;
  const due = await countChecks.due(now, await parts.mostQueries(), parts.source);
  const [first] = due;
  if (first === undefined) return;
  const historyFrom = Math.max(...due.map(({ watchFrom }) => watchFrom - parts.historyMs));
  const from = Math.max(now - SPAN_MS, historyFrom);
  const to = now - SETTLED_MS;
  if (from >= to) return;
  const queryIds = due.map(({ queryId }) => queryId);
  const question = await ask(parts, { projectId: first.projectId, queryIds, from, to });
  await parts.stores.transaction(async (facts) => {
    // A process that was paused may ask beside another one.
    await facts.countChecks.lock();
    if ((await facts.countChecks.waiting(parts.source)) === 0) await facts.countChecks.asked(question, now);
  });
}

async function ask(
  { countAt }: ReconcileParts,
  span: CountedSpan,
): Promise<CountedSpan & Pick<CountCheck, "claimed">> {
  return { ...span, claimed: (await countAt(span)) ?? 0 };
}

/** What a check led to is stored together, by the first that comes to it: so whoever dies on the way is repeated. */
async function answer(parts: ReconcileParts, check: CountCheck, now: Instant): Promise<void> {
  const stored = await parts.stores.countChecks.stored(check);
  const isShort = stored < check.claimed;
  const { queryIds } = check;
  const middle = queryIds.length >> 1;
  const halves =
    isShort && middle > 0
      ? [
          await ask(parts, { ...check, queryIds: queryIds.slice(0, middle) }),
          await ask(parts, { ...check, queryIds: queryIds.slice(middle) }),
        ]
      : [];
  await parts.stores.transaction(async ({ countChecks }) => {
    if (!(await countChecks.isOpen(check))) return;
    for (const half of halves) await countChecks.asked(half, now);
    if (halves.length > 0) return countChecks.settle(check, stored, "Narrowed", now);
    if (!isShort) return countChecks.settle(check, stored, "Agrees", now);
    if (await countChecks.reopen(check, check.claimed - stored, now))
      await countChecks.settle(check, stored, "Missing", now);
  });
}
