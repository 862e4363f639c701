import { parseArgs } from "node:util";
import { monotonicMs } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { SECOND } from "../../src/lib/instant.ts";
import { createBudgetStore } from "../../src/monitor/store/budgets.ts";
import { openBenchDatabase } from "./bench-database.ts";

/**
 * Workers that race for the calls of one budget in a real PostgreSQL, as fast as they can: how many calls fell into the
 * fullest rolling window. See README.md.
 */
const { values } = parseArgs({
  options: {
    workers: { type: "string", default: "8" },
    seconds: { type: "string", default: "20" },
  },
});
const LIMIT = { limit: 30, periodMs: 2 * SECOND };
const slots = { from: 1, to: LIMIT.limit };

const closing = createClosing();
try {
  const database = await openBenchDatabase(closing);
  const budget = createBudgetStore(database.db, "bench");
  await budget.learn(LIMIT, "client");
  const calls: number[] = [];
  let tries = 0;
  const until = monotonicMs() + Number(values.seconds) * SECOND;
  const race = async (): Promise<void> => {
    while (monotonicMs() < until) {
      tries += 1;
      const taken = await budget.take(LIMIT, { slots, priority: "live", timeoutMs: SECOND });
      if (taken === null) continue;
      // The call reaches the source at some moment between taking and settling.
      calls.push(monotonicMs());
      await budget.settle(taken, LIMIT.periodMs);
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, race));
  console.log(
    `${values.workers} workers, ${values.seconds} s, ${LIMIT.limit} calls in any ${LIMIT.periodMs / SECOND} s: ${tries.toLocaleString("en")} tries, ${calls.length} calls taken`,
  );
  const most = mostInWindow(calls);
  console.log(
    `most in a rolling window: ${most} of ${LIMIT.limit}, ${Math.max(0, most - LIMIT.limit)} too many`,
  );
} finally {
  await closing.close();
}

function mostInWindow(moments: readonly number[]): number {
  let [most, first] = [0, 0];
  for (let last = 0; last < moments.length; last++) {
    while ((moments[first] ?? 0) <= (moments[last] ?? 0) - LIMIT.periodMs) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
