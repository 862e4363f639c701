import { createHash } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { systemClock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import type { Logger } from "../log.ts";
import {
  type Backend,
  type BackendOptions,
  createBackend,
  migrateQueueSchema,
  type OpenQueue,
} from "./backend.ts";
import { JOBS, type JobName, type Payload, QUEUE_NAMES, type QueueName } from "./jobs.ts";
import { createTrouble } from "./trouble.ts";

export interface AddOptions {
  /**
   * While a job of this key waits (or waits to be tried again), a second one is not added. While it runs, one more
   * run follows it, however often it was asked for: its handler may have read the tables before the new work was
   * committed. So two jobs of one key never run at once, and none is forgotten.
   */
  readonly dedupe?: string;
  /** Not before this many milliseconds of real time. */
  readonly delayMs?: number;
}

export interface QueueCounts {
  readonly waiting: number;
  readonly active: number;
  /** Waiting for their time: delayed, to be tried again, or the next run of a reminder. */
  readonly delayed: number;
  readonly failed: number;
}

export interface Queues {
  /**
   * Adds a job. `unreachable` when the engine did not take it within five seconds (logged): the fact stands in the
   * tables and the sweep finds it, so nobody has to fail for that.
   */
  add<N extends JobName>(job: N, payload: Payload<N>, options?: AddOptions): Promise<"added" | "unreachable">;
  /**
   * Adds the job every `everyMs` of real time, for all processes together and however often this is called. `key`
   * tells reminders of one job apart; its hash spreads them over the interval, the first run included. A reminder
   * that the engine lost (an emptied Redis) is made again within `everyMs` + five seconds while this process lives.
   */
  remindEvery<N extends JobName>(
    job: N,
    payload: Payload<N>,
    options: { readonly everyMs: number; readonly key?: string },
  ): Promise<void>;
  forget(job: JobName, key?: string): Promise<void>;
  counts(name: QueueName): Promise<QueueCounts>;
  /**
   * Waits until nothing waits or runs in any of these queues (all, when absent). Jobs whose time has not come do not
   * count: whether work is due at all is a question to the tables.
   */
  idle(options?: { readonly names?: readonly QueueName[]; readonly signal?: AbortSignal }): Promise<void>;
  close(): Promise<void>;
  /** For createWorker. */
  readonly backend: Backend;
}

/**
 * Opens the queues; on PostgreSQL after bringing BullMQ's tables up to date. Rejects when PostgreSQL is away, and waits
 * for Redis: a company starts all at once.
 */
export async function createQueues(options: { backend: BackendOptions; log: Logger }): Promise<Queues> {
  await migrateQueueSchema(options.backend);
  const { log } = options;
  const backend = createBackend(options.backend, log);
  const onTrouble = createTrouble(log);
  const open = new Map(QUEUE_NAMES.map((name) => [name, backend.openQueue(name)] as const));
  const queue = (name: QueueName): OpenQueue => {
    const found = open.get(name);
    if (found === undefined) throw new Error(`no queue ${name}`);
    return found;
  };
  await Promise.all([...open.values()].map((one) => one.waitUntilReady()));

  const reminders = new Map<string, Reminder>();
  const mending = setInterval(() => {
    for (const reminder of reminders.values())
      mendReminder(queue(JOBS[reminder.job].queue), reminder).catch(onTrouble);
  }, MEND_EVERY_MS);
  mending.unref();

  const counts = async (name: QueueName): Promise<QueueCounts> => {
    const found = await queue(name).getJobCounts("waiting", "prioritized", "active", "delayed", "failed");
    return {
      waiting: (found["waiting"] ?? 0) + (found["prioritized"] ?? 0),
      active: found["active"] ?? 0,
      delayed: found["delayed"] ?? 0,
      failed: found["failed"] ?? 0,
    };
  };

  return {
    backend,
    counts,
    add: async (job, payload, more = {}) => {
      const parsed = JOBS[job].payload.parse(payload);
      try {
        await within(ADD_PATIENCE_MS, queue(JOBS[job].queue).add(job, parsed, jobOptions(job, more)));
        return "added";
      } catch (error) {
        onTrouble(new Error(`a ${job} job was not taken; the sweep will find its work`, { cause: error }));
        return "unreachable";
      }
    },
    remindEvery: async (job, payload, { everyMs, key }) => {
      const reminder = {
        job,
        payload: JOBS[job].payload.parse(payload),
        everyMs,
        key: reminderKey(job, key),
      };
      reminders.set(reminder.key, reminder);
      await upsertReminder(queue(JOBS[job].queue), reminder);
    },
    forget: async (job, key) => {
      reminders.delete(reminderKey(job, key));
      await queue(JOBS[job].queue).removeJobScheduler(reminderKey(job, key));
    },
    idle: async ({ names = QUEUE_NAMES, signal } = {}) => {
      // Twice in a row: a job that moves from one queue to another must not be missed between two looks.
      for (let quiet = 0; quiet < 2; ) {
        signal?.throwIfAborted();
        const all = await Promise.all(names.map(counts));
        quiet = all.every(({ waiting, active }) => waiting + active === 0) ? quiet + 1 : 0;
        if (quiet < 2) await delay(IDLE_LOOK_MS);
      }
    },
    close: async () => {
      clearInterval(mending);
      const closed = await Promise.allSettled([...open.values()].map((one) => within(5_000, one.close())));
      for (const one of closed)
        if (one.status === "rejected") log.debug({ error: describeError(one.reason) }, "close");
      await backend.close();
    },
  };
}

const ADD_PATIENCE_MS = 5_000;
/** Until a reminder is made again, an emptied queue stands still: its work is found by the sweep alone. */
const MEND_EVERY_MS = 5_000;
const IDLE_LOOK_MS = 10;

/** Finished jobs are removed at once, failed ones are kept for a look: the newest 200, for a week. */
function jobOptions(job: JobName, { dedupe, delayMs }: AddOptions) {
  return {
    ...baseOptions(job),
    ...(delayMs === undefined ? {} : { delay: delayMs }),
    ...(dedupe === undefined ? {} : { deduplication: { id: dedupe, keepLastIfActive: true } }),
  };
}

function baseOptions(job: JobName) {
  return {
    attempts: JOBS[job].attempts,
    backoff: { type: "earshot" },
    removeOnComplete: true,
    removeOnFail: { count: 200, age: 7 * 24 * 3_600 },
    stackTraceLimit: 0,
  };
}

interface Reminder {
  readonly job: JobName;
  readonly payload: unknown;
  readonly everyMs: number;
  readonly key: string;
}

function reminderKey(job: JobName, key: string | undefined): string {
  return key === undefined ? job : `${job} ${key}`;
}

/** An upsert replaces the run to come by one at the same moment, so doing it again changes nothing. */
async function upsertReminder(queue: OpenQueue, reminder: Reminder): Promise<void> {
  const { key, job, payload, everyMs } = reminder;
  await queue.upsertJobScheduler(
    key,
    { every: everyMs, startDate: nextSlot(key, everyMs, systemClock.now()) },
    { name: job, data: payload, opts: baseOptions(job) },
  );
}

/** The next moment of this key's own phase of the interval. Every process computes the same one. */
function nextSlot(key: string, everyMs: number, now: number): number {
  const phase = createHash("sha256").update(key).digest().readUInt32BE(0) % everyMs;
  const slot = Math.floor(now / everyMs) * everyMs + phase;
  return slot <= now ? slot + everyMs : slot;
}

async function mendReminder(queue: OpenQueue, reminder: Reminder): Promise<void> {
  const found = await queue.getJobScheduler(reminder.key);
  const overdueMs = found?.next === undefined ? Number.POSITIVE_INFINITY : systemClock.now() - found.next;
  if (overdueMs > reminder.everyMs + MEND_EVERY_MS) await upsertReminder(queue, reminder);
}

async function within<T>(patienceMs: number, work: Promise<T>): Promise<T> {
  const patience = new AbortController();
  try {
    const late = delay(patienceMs, undefined, { signal: patience.signal }).then(() => {
      throw new Error(`no answer within ${patienceMs} ms`);
    });
    return await Promise.race([work, late]);
  } finally {
    patience.abort();
    work.catch(() => {});
  }
}
