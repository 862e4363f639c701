import type { JobsOptions } from "bullmq";
import type { Backend, EngineJob, OpenQueue, OpenWorker, Take } from "./backend.ts";
import type { QueueName } from "./jobs.ts";

/**
 * Queues in the memory of this process, for rule tests: no start-up, no latency. One job runs at a time, in the order
 * in which all were added, so that a story always ends in the same way. They are not for a monitor: a job dies with its
 * process, and a failed one is not tried again. The sweep finds the work of both in the tables.
 */
export function createInProcessBackend(): Backend {
  const workers = new Map<QueueName, Take>();
  const waiting: WaitingJob[] = [];
  let running: WaitingJob | null = null;
  /** Was added while one of its key ran: it runs afterwards, once. */
  let again: WaitingJob | null = null;
  let ended: Promise<void> = Promise.resolve();

  const runNext = (): void => {
    if (running !== null) return;
    const job = waiting.find(({ queue }) => workers.has(queue));
    const take = job && workers.get(job.queue);
    if (job === undefined || take === undefined) return;
    waiting.splice(waiting.indexOf(job), 1);
    running = job;
    // The worker has logged the error already.
    ended = take(job)
      .catch(() => {})
      .then(() => {
        running = null;
        if (again !== null) waiting.push(again);
        again = null;
        runNext();
      });
  };

  const openQueue = (queue: QueueName): OpenQueue => ({
    add: async (name, data, options: JobsOptions) => {
      const key = options.deduplication?.id;
      const job = { queue, name, data, attemptsMade: 0, opts: { attempts: 1 }, key };
      const isSame = (one: WaitingJob | null): boolean =>
        key !== undefined && one?.queue === queue && one.key === key;
      if (waiting.some(isSame)) return;
      if (isSame(running)) again = job;
      else waiting.push(job);
      setImmediate(runNext);
    },
    // Recurring jobs belong to a monitor that runs for days.
    upsertJobScheduler: async () => {},
    removeJobScheduler: async () => {},
    getJobScheduler: async () => undefined,
    getJobCounts: async () => ({
      waiting: waiting.filter((job) => job.queue === queue).length,
      active: running?.queue === queue ? 1 : 0,
    }),
    waitUntilReady: async () => {},
    close: async () => {},
  });

  const openWorker = (queue: QueueName, take: Take): OpenWorker => {
    let onClosed = (): void => {};
    const closed = new Promise<void>((resolve) => {
      onClosed = resolve;
    });
    const close = async (): Promise<void> => {
      workers.delete(queue);
      while (running?.queue === queue) await ended;
      onClosed();
    };
    return {
      run: async () => {
        workers.set(queue, take);
        runNext();
        await closed;
      },
      waitUntilReady: async () => {},
      close,
      disconnect: close,
    };
  };

  return { openQueue, openWorker, close: async () => {} };
}

interface WaitingJob extends EngineJob {
  readonly queue: QueueName;
  readonly key: string | undefined;
}
