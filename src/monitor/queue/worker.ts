import { setMaxListeners } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { monotonicMs } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { ClassifiedError, retryDelayMs } from "../../lib/retry.ts";
import type { EngineJob, OpenWorker } from "./backend.ts";
import { isFinal, retryAfterOf, toJobError } from "./failure.ts";
import { isJobName, JOBS, type JobName, type Payload, type QueueName } from "./jobs.ts";
import type { Queues } from "./queues.ts";

export interface JobContext {
  /** Aborted when the worker must stop and the grace time is over. Pass it to everything that waits. */
  readonly signal: AbortSignal;
  /** From 1. */
  readonly attempt: number;
}

/**
 * The work of one job. Returns when it is done or no longer needed; throws a ClassifiedError if it knows
 * whether a retry can help.
 * It may run twice: the tables say what is done.
 */
type Handler<N extends JobName> = (payload: Payload<N>, context: JobContext) => Promise<void>;
export type Handlers = { readonly [N in JobName]?: Handler<N> };

export interface RunningWorker {
  start(): Promise<void>;
  /** Takes no more jobs and waits for the running ones: `graceMs` (20 s), then aborts them, and gives up 2 s later. */
  stop(options?: { readonly graceMs?: number }): Promise<"finished" | "gave up">;
}

/**
 * Workers for the queues whose jobs have a handler here. The others notice within 11 s that a worker died (lock 6 s,
 * checked every 5 s), and run its jobs again: all processes must use the same numbers.
 */
export function createWorker(options: {
  queues: Queues;
  handlers: Handlers;
  /** Jobs at once in this process; 4 where absent. */
  concurrency?: { readonly [Q in QueueName]?: number };
  log: Logger;
}): RunningWorker {
  const { queues, log } = options;
  const { handOvers } = queues;
  const aborter = new AbortController();
  // Every job that runs listens to it, and there are more than ten at once.
  setMaxListeners(0, aborter.signal);
  const names = new Set(
    Object.keys(options.handlers)
      .filter(isJobName)
      .map((job) => JOBS[job].queue),
  );
  let stopping: Promise<"finished" | "gave up"> | null = null;
  let running = 0;

  const take = async (job: EngineJob): Promise<void> => {
    running += 1;
    try {
      await handle(options.handlers, job, aborter.signal);
    } catch (error) {
      const failure = toJobError(error);
      const given = { job: job.name, attempt: job.attemptsMade + 1, error: failure.message };
      if (isFinal(failure) || isLastAttempt(job)) log.error(given, "a job failed and is not tried again");
      else log.warn(given, "a job failed and will be tried again");
      throw failure;
    } finally {
      running -= 1;
    }
  };
  const workers: OpenWorker[] = [];

  return {
    start: async () => {
      for (const name of names) {
        const slots = options.concurrency?.[name] ?? 4;
        const takeFromEngine = (job: EngineJob): Promise<void> =>
          handOvers.occupy(name, job.opts.deduplication?.id, () => take(job));
        workers.push(queues.backend.openWorker(name, takeFromEngine, settings(slots)));
        handOvers.open(name, slots, take);
      }
      await Promise.all(workers.map((worker) => worker.waitUntilReady()));
      for (const worker of workers) keepRunning(worker, log, () => stopping !== null);
    },
    stop: ({ graceMs = 20_000 } = {}) => {
      const close = () => Promise.allSettled([handOvers.close(), ...workers.map((worker) => worker.close())]);
      stopping ??= stopAll({ close, workers, aborter, graceMs, isIdle: () => running === 0 });
      return stopping;
    },
  };
}

function settings(concurrency: number) {
  return {
    autorun: false,
    concurrency,
    lockDuration: 6_000,
    stalledInterval: 5_000,
    // A job whose process dies again and again is given up: the job may be what kills it.
    maxStalledCount: 5,
    // How long to wait before the next fetch, while the engine is away.
    runRetryDelay: 1_000,
    // How often an empty queue is checked, in seconds, in case a wake-up was lost. PostgreSQL: see the backend.
    drainDelay: 5,
    settings: {
      backoffStrategy: (attempt: number, _type?: string, error?: Error) =>
        retryDelayMs(attempt, retryAfterOf(error), Math.random()),
    },
  };
}

/** Checks every job before its handler: an unknown job or a payload of another shape is a fault that no retry fixes. */
async function handle(handlers: Handlers, job: EngineJob, signal: AbortSignal): Promise<void> {
  if (!isJobName(job.name)) throw new UnfitJobError(`there is no job ${job.name}`);
  const handler = handlers[job.name] as Handler<JobName> | undefined;
  if (handler === undefined) throw new UnfitJobError(`no handler for ${job.name} here`);
  const parsed = JOBS[job.name].payload.safeParse(job.data);
  if (!parsed.success) throw new UnfitJobError(`a ${job.name} job has a payload of another shape`);
  await handler(parsed.data, { signal, attempt: job.attemptsMade + 1 });
}

function isLastAttempt(job: EngineJob): boolean {
  return job.attemptsMade + 1 >= (job.opts.attempts ?? 1);
}

class UnfitJobError extends ClassifiedError {
  override readonly name = "UnfitJobError";
  constructor(message: string) {
    super(message, { retryable: false });
  }
}

/** The loop ends only on request; if an error of the engine ends it, it starts again. */
async function keepRunning(worker: OpenWorker, log: Logger, isStopping: () => boolean): Promise<void> {
  while (!isStopping()) {
    try {
      await worker.run();
    } catch (error) {
      log.error({ error: describeError(error) }, "a worker's loop ended; starting it again");
    }
    if (!isStopping()) await delay(1_000, undefined, { ref: false });
  }
}

async function stopAll(parts: {
  readonly close: () => Promise<unknown>;
  readonly workers: readonly OpenWorker[];
  readonly aborter: AbortController;
  readonly graceMs: number;
  readonly isIdle: () => boolean;
}): Promise<"finished" | "gave up"> {
  const { workers, aborter, graceMs, isIdle } = parts;
  const closed = parts.close().then(() => "finished" as const);
  const patient = await Promise.race([closed, idleFor(IDLE_ENOUGH_MS, graceMs, isIdle)]);
  if (patient === "finished") return patient;
  aborter.abort(new Error("the worker is stopping"));
  const aborted = await Promise.race([closed, afterMs(2_000)]);
  if (aborted === "finished") return aborted;
  // Jobs that still run stall, and another worker takes them.
  await Promise.race([Promise.allSettled(workers.map((worker) => worker.disconnect())), afterMs(1_000)]);
  return "gave up";
}

/** If nothing runs and workers still do not close, their engine is away: no reason to wait for it. */
const IDLE_ENOUGH_MS = 2_000;
const LOOK_EVERY_MS = 100;

async function idleFor(enoughMs: number, mostMs: number, isIdle: () => boolean): Promise<"late"> {
  const startedAt = monotonicMs();
  let idleSince = startedAt;
  for (let now = startedAt; now - startedAt < mostMs && now - idleSince < enoughMs; now = monotonicMs()) {
    await afterMs(LOOK_EVERY_MS);
    if (!isIdle()) idleSince = monotonicMs();
  }
  return "late";
}

function afterMs(ms: number): Promise<"late"> {
  return delay(ms, "late", { ref: false });
}
