import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../../lib/errors.ts";
import { SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import type { CallBudget, Priority, RateLimit } from "../model/poll.ts";
import type { Budget, ExchangeEnd, Gate } from "../source/budget.ts";
import { SourceError } from "../source/source-error.ts";
import type { BudgetStore, CallSlot } from "../store/budgets.ts";
import { slotsOf } from "./planner/allowance.ts";

export interface GateOptions {
  readonly budget: BudgetStore;
  readonly priority: Priority;
  /** For one exchange, as the source client has it. */
  readonly timeoutMs: number;
  /** How long a call may wait for a slot; after that it is postponed. */
  readonly patienceMs: number;
  readonly log: Logger;
}

/** The gate to the source for calls of one priority: each takes a slot of the account's one budget. */
export function createCallGate(options: GateOptions): Gate {
  const { budget, priority, timeoutMs } = options;
  const enter = async (call: string, signal?: AbortSignal) => {
    let waitedMs = 0;
    for (;;) {
      const { limit, closedForMs, refusals } = await budget.read();
      const wasRefused = refusals > 0;
      const leave = (slot: CallSlot | null) => (end: ExchangeEnd) =>
        settle(options, { limit, wasRefused, slot }, end);
      if (limit === null && closedForMs === 0) return leave(null);
      const slots = slotsOf(limit?.limit ?? 0).of[priority];
      const slot = limit === null ? null : await budget.take(limit, { slots, priority, timeoutMs });
      if (slot !== null) return leave(slot);
      const waitMs = Math.max(20, limit === null ? closedForMs : await budget.waitMs(slots));
      if (waitedMs + waitMs > options.patienceMs) throw outOfCalls(call, waitMs);
      waitedMs += waitMs;
      await delay(waitMs, undefined, signal === undefined ? {} : { signal });
    }
  };
  return { enter };
}

function outOfCalls(call: string, waitMs: number): SourceError {
  return new SourceError({
    kind: "over-budget",
    call,
    message: `the rate budget of the account has no call left for it; the next one is in ${Math.ceil(waitMs / SECOND)} s`,
    retryable: true,
    retryAfterMs: waitMs,
  });
}

/** What was known when a call went through the gate. */
interface GateEntry {
  readonly limit: RateLimit | null;
  /** Whether the calls before it were refused. */
  readonly wasRefused: boolean;
  readonly slot: CallSlot | null;
}

async function settle(
  { budget, log }: GateOptions,
  { limit, wasRefused, slot }: GateEntry,
  end: ExchangeEnd,
): Promise<void> {
  try {
    if (end.status === 429) {
      if (slot !== null && limit !== null) await budget.settle(slot, limit.periodMs);
      return await budget.refuse(end.retryAfterMs);
    }
    const known = await observed(budget, limit, end.budget);
    if (slot !== null && known !== null) await budget.settle(slot, known.periodMs);
    if (wasRefused && end.status !== null && end.status < 400) await budget.accept();
    if (known !== null && typeof end.budget?.used === "number")
      await budget.reconcile(known, end.budget.used);
  } catch (error) {
    // The slot stays taken until its timeout, which is on the safe side; the answer is not lost.
    log.warn({ error: describeError(error) }, "the end of a call could not be stored");
  }
}

/** A header gives the limit in force and replaces any earlier assumption. */
async function observed(
  budget: BudgetStore,
  limit: RateLimit | null,
  inHeader: Budget | null,
): Promise<RateLimit | null> {
  if (inHeader === null || (inHeader.limit === limit?.limit && inHeader.periodMs === limit.periodMs))
    return limit;
  const known: CallBudget["limit"] = { limit: inHeader.limit, periodMs: inHeader.periodMs };
  await budget.learn(known, "answer");
  return known;
}
