import { setTimeout as delay } from "node:timers/promises";
import { type JobsOptions, Queue, Worker, type WorkerOptions, withBackend } from "bullmq";
import { Redis } from "ioredis";
import type { Logger } from "../../lib/log.ts";
import { createQueueErrors } from "./failure.ts";
import { QUEUE_NAMES, type QueueName } from "./jobs.ts";
import { createQueueBackend, migrateQueueTables, openQueuePool } from "./postgres-connection.ts";

/** Where the queue's data is: `in-process` is for rule tests. `schema` is one of its own in the database; `prefix` begins every key in Redis. */
export type BackendOptions =
  | { readonly kind: "postgres"; readonly url: string; readonly schema: string }
  | { readonly kind: "redis"; readonly url: string; readonly prefix: string }
  | { readonly kind: "in-process" };

/** The part of BullMQ's Queue and Worker that is the same on both engines. */
export interface OpenQueue {
  add(name: string, payload: unknown, options: JobsOptions): Promise<unknown>;
  upsertJobScheduler(
    id: string,
    repeat: { every: number; startDate?: number },
    template: {
      name: string;
      data: unknown;
      opts: Omit<JobsOptions, "jobId" | "repeat" | "delay" | "deduplication">;
    },
  ): Promise<unknown>;
  removeJobScheduler(id: string): Promise<unknown>;
  getJobScheduler(id: string): Promise<{ next?: number } | undefined>;
  getJobCounts(
    ...types: ("waiting" | "prioritized" | "active" | "delayed" | "failed")[]
  ): Promise<Record<string, number>>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
}

export interface OpenWorker {
  run(): Promise<void>;
  waitUntilReady(): Promise<unknown>;
  close(): Promise<void>;
  disconnect(): Promise<void>;
}

/** What a handler gets of a job, on either engine. */
export interface EngineJob {
  readonly name: string;
  readonly id?: string | undefined;
  readonly data: unknown;
  readonly attemptsMade: number;
  readonly opts: {
    readonly attempts?: number | undefined;
    readonly deduplication?: { readonly id: string } | undefined;
  };
}

export type Take = (job: EngineJob) => Promise<void>;
type WorkerSettings = Omit<WorkerOptions, "connection" | "prefix">;

export interface Backend {
  openQueue(name: QueueName): OpenQueue;
  openWorker(name: QueueName, take: Take, settings: WorkerSettings): OpenWorker;
  close(): Promise<void>;
}

/** BullMQ on one of its engines. */
export function createBackend(
  options: Exclude<BackendOptions, { kind: "in-process" }>,
  log: Logger,
): Backend {
  const onError = createQueueErrors(log);
  return options.kind === "postgres" ? onPostgres(options, onError) : onRedis(options, onError);
}

type OnQueueError = (error: unknown) => void;

/**
 * Connections for statements of all queues and workers, plus one to LISTEN for each queue that has a worker. More of them
 * handle no more jobs a second; each costs the server some ten milliseconds at every start.
 */
const STATEMENTS = 4;

/**
 * How often an empty queue is checked, which takes four statements. New jobs are announced by NOTIFY, and a connection
 * that breaks is made anew. So this is only for one whose other end disappeared without a word.
 */
const LISTENING_DRAIN_DELAY_S = 15;

function onPostgres(options: { url: string; schema: string }, onError: OnQueueError): Backend {
  const classes = withBackend(createQueueBackend);
  const pool = openQueuePool(options, QUEUE_NAMES.length + STATEMENTS);
  const connection = { pool, schema: options.schema };
  return {
    openQueue: (name) => {
      const queue = new classes.Queue(name, { connection });
      queue.on("error", onError);
      return queue;
    },
    openWorker: (name, take, settings) => {
      const worker = new classes.Worker(name, take, {
        ...settings,
        drainDelay: LISTENING_DRAIN_DELAY_S,
        connection,
      });
      worker.on("error", onError);
      worker.on("failed", (job, error) => onGivenUp(job?.name, error, onError));
      return worker;
    },
    // A worker that stops waiting for a job leaves its connection open until the process ends.
    close: () => Promise.race([pool.end(), delay(2_000, undefined, { ref: false })]),
  };
}

/** BullMQ's own migrations: idempotent, in one transaction, under an advisory lock of its own. */
export async function migrateQueueSchema(options: BackendOptions): Promise<void> {
  if (options.kind === "postgres") await migrateQueueTables(options);
}

function onRedis(options: { url: string; prefix: string }, onError: OnQueueError): Backend {
  // BullMQ copies a connection for itself: all copies must end, or the process does not.
  const opened = new Set<Redis>();
  const keep = (redis: Redis): Redis => {
    opened.add(redis);
    const duplicate = redis.duplicate.bind(redis);
    redis.duplicate = (override) => keep(duplicate(override));
    return redis;
  };
  // Reconnects for ever. Workers wait as long as it takes; adding a job fails after a few tries.
  const connect = (maxRetriesPerRequest: number | null): Redis => {
    const redis = new Redis(options.url, {
      maxRetriesPerRequest,
      retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 5), 1_000),
      reconnectOnError: (error) => error.message.startsWith("READONLY"),
    });
    redis.on("error", onError);
    return keep(redis);
  };
  const forQueues = connect(5);
  const forWorkers = connect(null);
  // The braces are a hash tag: in a cluster all keys of one queue live in one slot, and queues spread over the nodes.
  const prefix = (name: QueueName): string => `{${options.prefix}:${name}}`;
  return {
    openQueue: (name) => {
      const queue = new Queue(name, { connection: forQueues, prefix: prefix(name) });
      queue.on("error", onError);
      return queue;
    },
    openWorker: (name, take, settings) => {
      const worker = new Worker(name, take, { ...settings, connection: forWorkers, prefix: prefix(name) });
      worker.on("error", onError);
      worker.on("failed", (job, error) => onGivenUp(job?.name, error, onError));
      return worker;
    },
    close: async () => {
      for (const redis of opened) redis.disconnect();
    },
  };
}

/** A job that the engine fails by itself never reaches the worker's error handler: its processes died too often. */
function onGivenUp(job: string | undefined, error: Error, onError: OnQueueError): void {
  if (error.message.startsWith("job stalled"))
    onError(new Error(`a ${job} job is given up`, { cause: error }));
}
