import { readFileSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { monotonicMs } from "../../src/lib/clock.ts";

/**
 * The longest time that `/healthz` took while the work ran, in milliseconds. The server has to run in this thread. Where
 * the system says it (Linux), only time counts in which this thread used the processor: a busy machine is no fault.
 */
export async function worstHealth(url: string, work: Promise<unknown>): Promise<number> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  let worst = 0;
  // The last one began before the work was over.
  while (!isOver) {
    const [startedAt, usedBefore] = [monotonicMs(), processorMs()];
    const answer = await fetch(`${url}/healthz`);
    if (!answer.ok) throw new Error(`/healthz answered ${answer.status}`);
    await answer.arrayBuffer();
    const took = monotonicMs() - startedAt;
    const used = processorMs();
    worst = Math.max(worst, usedBefore === null || used === null ? took : Math.min(took, used - usedBefore));
    await nextTurn();
  }
  await work;
  return worst;
}

/** Of this thread, in steps of 10 ms; null where the system does not say it. */
function processorMs(): number | null {
  try {
    const stat = readFileSync("/proc/thread-self/stat", "latin1");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return null;
  }
}
