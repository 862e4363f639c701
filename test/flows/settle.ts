import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import { monotonicMs } from "../../src/lib/clock.ts";
import type { Earshot } from "../../src/monitor/monitor.ts";

const PATIENCE_MS = 20_000;

/** Waits until the tables say that nothing is due, no worker is busy and nothing waits for a retry. */
export async function settle(earshot: Earshot, jobs: Jobs): Promise<void> {
  const startedAt = monotonicMs();
  // Twice in a row: what ends between two of the questions is in the answer to neither.
  for (let quiet = 0; quiet < 2; ) {
    const before = jobs.done();
    const swept = await earshot.sweep();
    const due = Object.values(swept).reduce((sum, count) => sum + count, 0);
    const { dueWork, notifications } = earshot.stores;
    const waiting = due + (await dueWork.unsettled()) + (await notifications.unsettled());
    quiet = waiting === 0 ? quiet + 1 : 0;
    if (quiet > 0) continue;
    if (monotonicMs() - startedAt > PATIENCE_MS) {
      assert.fail(`nothing settles, ${waiting} pieces of work are left: ${JSON.stringify(swept)}`);
    }
    await jobs.until(before + Math.max(1, due));
  }
}

type Jobs = ReturnType<typeof countJobs>;

/** How many jobs have ended in the processes that report it. */
export function countJobs() {
  const events = new EventEmitter();
  let done = 0;
  return {
    onDone: () => {
      done += 1;
      events.emit("done");
    },
    done: () => done,
    /** Until so many are done, or not for a while: a job may be another process's, or find its work done. */
    until: async (count: number) => {
      const signal = AbortSignal.timeout(30);
      while (done < count && !signal.aborted) await once(events, "done", { signal }).catch(() => {});
    },
  };
}
