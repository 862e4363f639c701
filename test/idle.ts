import { setTimeout as delay } from "node:timers/promises";
import { QUEUE_NAMES, type QueueName } from "../src/monitor/queue/jobs.ts";
import type { Queues } from "../src/monitor/queue/queues.ts";

/**
 * Waits until nothing waits or runs in any of these queues. Delayed jobs do not count: the tables say whether work is
 * due at all.
 */
export async function idle(queues: Queues, names: readonly QueueName[] = QUEUE_NAMES): Promise<void> {
  // Twice in a row: a job that moves from one queue to another must not be missed between two checks.
  for (let quiet = 0; quiet < 2; ) {
    const all = await Promise.all(names.map((name) => queues.counts(name)));
    quiet = all.every(({ waiting, active }) => waiting + active === 0) ? quiet + 1 : 0;
    if (quiet < 2) await delay(10);
  }
}
