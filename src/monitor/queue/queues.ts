import { withTimeout } from "../../lib/concurrency.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import { retryDelayMs } from "../../lib/retry.ts";
import {
  type Backend,
  type BackendOptions,
  createBackend,
  type EngineJob,
  migrateQueueSchema,
  type OpenQueue,
} from "./backend.ts";
import { createQueueErrors, isFinal, retryAfterOf } from "./failure.ts";
import { createHandOvers, type HandOvers } from "./hand-overs.ts";
import { createInProcessBackend } from "./in-process.ts";
import { JOBS, type JobName, jobTemplate, type Payload, QUEUE_NAMES, type QueueName } from "./jobs.ts";
import { type EngineOutage, keepReminders } from "./reminders.ts";

interface AddOptions {
  /**
   * While a job of this key waits (or waits for a retry), a second one is not added. While it runs, one more run
   * follows it, however many were requested: its handler may have read the tables before the new work was committed. So
   * two jobs of one key that were added never run at once, and none is lost.
   */
  readonly dedupe?: string;
  /** Not before this many milliseconds of real time. */
  readonly delayMs?: number;
}

interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  /** Delayed jobs: retries, and the next runs of reminders. */
  readonly delayed: number;
  readonly failed: number;
}

export interface Queues {
  /**
   * Adds a job. `unreachable` if the engine did not take it within five seconds (logged). The work is in the tables and
   * the sweep finds it, so the caller need not fail.
   */
  add<N extends JobName>(job: N, payload: Payload<N>, options?: AddOptions): Promise<"added" | "unreachable">;
  /**
   * Like `add`, without the engine where a worker of this process has a free slot for the job: for what somebody waits
   * for. Resolves when the job has begun or was added. If it fails, the engine has it tried again. A job of its key that
   * the engine gives meanwhile may run beside it: leases in the tables decide which of the two does the work.
   */
  handOver<N extends JobName>(
    job: N,
    payload: Payload<N>,
    options: { readonly dedupe: string },
  ): Promise<void>;
  /**
   * Adds the job every `everyMs` of real time, for all processes together and however often this is called. `key`
   * distinguishes reminders of one job; its hash spreads them over the interval, the first run included. A reminder
   * that the engine lost (an emptied Redis) is added again within `everyMs` + five seconds while this process lives.
   */
  remindEvery<N extends JobName>(
    job: N,
    payload: Payload<N>,
    options: { readonly everyMs: number; readonly key?: string },
  ): Promise<void>;
  /** Whether the engine is away, as the reminders of this process show every few seconds. */
  isAway(): boolean;
  counts(name: QueueName): Promise<QueueCounts>;
  close(): Promise<void>;
  /** Both for createWorker. */
  readonly backend: Backend;
  readonly handOvers: HandOvers;
}

/**
 * Opens the queues; on PostgreSQL after BullMQ's migrations. Rejects if PostgreSQL is away, and waits for Redis, since
 * the services of a machine start at once.
 */
export async function createQueues(options: {
  backend: BackendOptions;
  log: Logger;
  /** Called when the engine is back. Only processes with reminders check. */
  onOutage?: (outage: EngineOutage) => void;
  /** Ends the waiting: rejects with its reason. */
  signal?: AbortSignal | undefined;
}): Promise<Queues> {
  await migrateQueueSchema(options.backend);
  const { log, onOutage = () => {} } = options;
  const backend =
    options.backend.kind === "in-process" ? createInProcessBackend() : createBackend(options.backend, log);
  const onError = createQueueErrors(log);
  const open = new Map(QUEUE_NAMES.map((name) => [name, backend.openQueue(name)] as const));
  const queue = (name: QueueName): OpenQueue => {
    const found = open.get(name);
    if (found === undefined) throw new Error(`no queue ${name}`);
    return found;
  };
  const closeAll = async (): Promise<void> => {
    const closed = await Promise.allSettled(
      [...open.values()].map((one) => withTimeout(CLOSE_PATIENCE_MS, one.close())),
    );
    for (const one of closed)
      if (one.status === "rejected") log.debug({ error: describeError(one.reason) }, "close");
    await backend.close();
  };
  try {
    await waitForEngine(Promise.all([...open.values()].map((one) => one.waitUntilReady())), options);
  } catch (error) {
    await closeAll();
    throw error;
  }

  const reminders = keepReminders(queue, { onOutage, onError });
  const handOvers = createHandOvers();

  const counts = async (name: QueueName): Promise<QueueCounts> => {
    const found = await queue(name).getJobCounts("waiting", "prioritized", "active", "delayed", "failed");
    return {
      waiting: (found["waiting"] ?? 0) + (found["prioritized"] ?? 0),
      active: (found["active"] ?? 0) + handOvers.count(name),
      delayed: found["delayed"] ?? 0,
      failed: found["failed"] ?? 0,
    };
  };

  const add: Queues["add"] = async (job, payload, more = {}) => {
    const parsed = JOBS[job].payload.parse(payload);
    try {
      await withTimeout(ADD_PATIENCE_MS, queue(JOBS[job].queue).add(job, parsed, jobOptions(job, more)));
      return "added";
    } catch (error) {
      onError(new Error(`a ${job} job was not taken; the sweep will find its work`, { cause: error }));
      return "unreachable";
    }
  };

  return {
    backend,
    handOvers,
    counts,
    add,
    handOver: async (job, payload, { dedupe }) => {
      const { queue, attempts } = JOBS[job];
      const taken: EngineJob = { name: job, data: payload, attemptsMade: 0, opts: { attempts } };
      const tryLater = (error: unknown): void => {
        if (isFinal(error) || attempts === 1) return;
        void add(job, payload, { dedupe, delayMs: retryDelayMs(1, retryAfterOf(error), Math.random()) });
      };
      // Rule tests have one job at a time.
      const isOneByOne = options.backend.kind === "in-process";
      if (isOneByOne || !handOvers.offer(queue, dedupe, taken, tryLater)) await add(job, payload, { dedupe });
    },
    remindEvery: (job, payload, { everyMs, key }) =>
      reminders.add({ job, payload: JOBS[job].payload.parse(payload), everyMs, key: reminderKey(job, key) }),
    isAway: reminders.isAway,
    close: async () => {
      reminders.stop();
      await closeAll();
    },
  };
}

/** Waits as long as it takes, logs what it waits for, and ends at `signal`. */
async function waitForEngine(
  ready: Promise<unknown>,
  { backend, log, signal }: { backend: BackendOptions; log: Logger; signal?: AbortSignal | undefined },
): Promise<void> {
  const say = (): void => log.warn(NOT_REACHED[backend.kind]);
  const first = setTimeout(say, SAY_AFTER_MS);
  const again = setInterval(say, SAY_EVERY_MS);
  const { promise: stopped, reject } = withResolvers();
  const onAbort = (): void => reject(signal?.reason);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    signal?.throwIfAborted();
    await Promise.race([ready, stopped]);
  } finally {
    clearTimeout(first);
    clearInterval(again);
    signal?.removeEventListener("abort", onAbort);
    ready.catch(() => {});
  }
}

/** `Promise.withResolvers` for Node 20. */
function withResolvers(): { promise: Promise<never>; reject: (reason: unknown) => void } {
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<never>((_, onReject) => {
    reject = onReject;
  });
  return { promise, reject };
}

const SAY_AFTER_MS = 1_000;
const SAY_EVERY_MS = 30_000;
const NOT_REACHED: Readonly<Record<BackendOptions["kind"], string>> = {
  redis:
    "the Redis of REDIS_URL cannot be reached yet; Earshot waits for it and begins when it is there. Is it up, and are address, user and password right? (earshot doctor looks at it; without REDIS_URL the queue lives in PostgreSQL)",
  "in-process": "the queue of this process does not answer",
  postgres: "the queue in PostgreSQL does not answer yet; Earshot waits for it and begins when it is there",
};

const CLOSE_PATIENCE_MS = 3_000;
const ADD_PATIENCE_MS = 5_000;

function jobOptions(job: JobName, { dedupe, delayMs }: AddOptions) {
  return {
    ...jobTemplate(job),
    ...(delayMs === undefined ? {} : { delay: delayMs }),
    ...(dedupe === undefined ? {} : { deduplication: { id: dedupe, keepLastIfActive: true } }),
  };
}

function reminderKey(job: JobName, key: string | undefined): string {
  return key === undefined ? job : `${job} ${key}`;
}
