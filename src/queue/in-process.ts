import type { JobsOptions } from "bullmq";
import type { Backend, OpenQueue, OpenWorker, Take, TakenJob } from "./backend.ts";
import { QUEUE_NAMES, type QueueName } from "./jobs.ts";

/**
 * Queues in the memory of this process, for rule tests: no start-up, no latency. They are not for a monitor: a job dies
 * with its process, and a failed one is not tried again. The sweep finds the work of both in the tables.
 */
export function createInProcessBackend(): Backend {
  const queues = new Map(QUEUE_NAMES.map((name) => [name, createLine()] as const));
  const line = (name: QueueName): Line => {
    const found = queues.get(name);
    if (found === undefined) throw new Error(`no queue ${name}`);
    return found;
  };
  return {
    openQueue: (name) => line(name).queue,
    openWorker: (name, take, { concurrency = 1 }) => line(name).work(take, concurrency),
    close: async () => {},
  };
}

interface Line {
  readonly queue: OpenQueue;
  work(take: Take, concurrency: number): OpenWorker;
}

interface WaitingJob extends TakenJob {
  readonly key: string | undefined;
}

function createLine(): Line {
  const waiting: WaitingJob[] = [];
  const running = new Set<WaitingJob>();
  /** A job that was added while one of its key ran: it runs afterwards, once. */
  const next = new Map<string, WaitingJob>();
  let worker: { readonly take: Take; readonly concurrency: number } | null = null;
  let onIdle: (() => void) | undefined;

  const runNext = (): void => {
    while (worker !== null && running.size < worker.concurrency) {
      const job = waiting.shift();
      if (job === undefined) break;
      running.add(job);
      // The worker has logged the error already.
      void worker
        .take(job)
        .catch(() => {})
        .then(() => finished(job));
    }
    if (running.size === 0) onIdle?.();
  };
  const finished = (job: WaitingJob): void => {
    running.delete(job);
    const again = job.key === undefined ? undefined : next.get(job.key);
    if (job.key !== undefined) next.delete(job.key);
    if (again !== undefined) waiting.push(again);
    runNext();
  };
  const add = async (name: string, data: unknown, options: JobsOptions): Promise<void> => {
    const key = options.deduplication?.id;
    const job = { name, data, attemptsMade: 0, opts: { attempts: 1 }, key };
    if (key !== undefined && waiting.some((one) => one.key === key)) return;
    if (key !== undefined && [...running].some((one) => one.key === key)) next.set(key, job);
    else waiting.push(job);
    setImmediate(runNext);
  };
  return {
    queue: {
      add,
      // Recurring jobs belong to a monitor that runs for days.
      upsertJobScheduler: async () => {},
      removeJobScheduler: async () => {},
      getJobScheduler: async () => undefined,
      getJobCounts: async () => ({ waiting: waiting.length, active: running.size }),
      waitUntilReady: async () => {},
      close: async () => {},
    },
    work: (take, concurrency) => {
      worker = { take, concurrency };
      const ended = new Promise<void>((resolve) => {
        onIdle = () => {
          if (worker === null) resolve();
        };
      });
      const close = async (): Promise<void> => {
        worker = null;
        if (running.size > 0) await ended;
      };
      return {
        run: async () => {
          runNext();
          await ended;
        },
        waitUntilReady: async () => {},
        close: async () => {
          await close();
          onIdle?.();
        },
        disconnect: close,
      };
    },
  };
}
