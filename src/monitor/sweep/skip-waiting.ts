import { monotonicMs } from "../../lib/clock.ts";
import type { QueueName } from "../queue/jobs.ts";
import type { Queues } from "../queue/queues.ts";

/** As many jobs keep the workers of a process busy for seconds. */
const LONG = 100;
/** A job of a long line that was lost is missed this long. */
const AGAIN_AFTER_MS = 5_000;

/** When the job of each key was added, in milliseconds of a monotonic clock. */
export type AddedJobs = ReadonlyMap<string, number>;

/**
 * Chooses the due keys that a job is worth being added for. The engine refuses a job whose key waits already, with a
 * statement for each: with thousands of due polls that would be most of what PostgreSQL does. So while a long line waits,
 * what was added lately is not added again. While none does, everything due is: an engine that lost its jobs has no line.
 */
export function chooseToAdd(
  added: AddedJobs,
  { due, waiting }: { readonly due: readonly string[]; readonly waiting: number },
  nowMs: number,
): { readonly chosen: ReadonlySet<string>; readonly added: AddedJobs } {
  const lately = waiting < LONG ? [] : [...added].filter(([, atMs]) => nowMs - atMs < AGAIN_AFTER_MS);
  const waits = new Set(lately.map(([key]) => key));
  const chosen = due.filter((key) => !waits.has(key));
  return {
    chosen: new Set(chosen),
    added: new Map([...lately, ...chosen.map((key) => [key, nowMs] as const)]),
  };
}

/** Leaves out what waits in the queue already. A short list costs no question. */
export function createSkipWaiting(queues: Pick<Queues, "counts">) {
  const addedTo = new Map<QueueName, AddedJobs>();
  return async <T>(queue: QueueName, due: readonly T[], keyOf: (one: T) => string): Promise<readonly T[]> => {
    if (due.length < LONG) return due;
    const { waiting } = await queues.counts(queue);
    const before = addedTo.get(queue) ?? new Map<string, number>();
    const { chosen, added } = chooseToAdd(before, { due: due.map(keyOf), waiting }, monotonicMs());
    addedTo.set(queue, added);
    return due.filter((one) => chosen.has(keyOf(one)));
  };
}
