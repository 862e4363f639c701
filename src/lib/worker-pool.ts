import { existsSync, readFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { type Transferable, Worker, type WorkerOptions } from "node:worker_threads";
import { monotonicMs } from "./clock.ts";
import { codeOf } from "./errors.ts";
import { SECOND } from "./instant.ts";
import type { Tasks, ThreadMessage, ThreadTask } from "./serve-tasks.ts";

/**
 * Threads that read what strangers wrote, so that whatever it does to a parser, the loop of the process goes on: a task
 * that takes too long or too much memory is ended with its thread, and the next one gets a new thread.
 *
 *     // src/feeds/run/reader-thread.ts; files whose name ends in -thread.ts are entries of the build.
 *     const tasks = { readFeed: async () => (await import("./read-feed.ts")).readFeed };
 *     export type ReaderTasks = typeof tasks;
 *     serveTasks(tasks);
 *
 *     // elsewhere
 *     const pool = createWorkerPool<ReaderTasks>("src/feeds/run/reader-thread");
 *     const read = await pool.run("readFeed", { bytes }, { transfer: [bytes.buffer] });
 *     if (read.outcome === "Done") use(read.result);
 *
 * Nothing is loaded or started before the first task. Idle threads end after a while and keep no process alive.
 * docs/adr/foreign-bytes-in-workers.md has the measurements.
 */
export interface WorkerPool<Served extends Tasks> {
  /** Never rejects, unless `signal` does it: then the task is ended, and the promise rejects with its reason. */
  run<Name extends keyof Served>(
    name: Name,
    input: InputOf<Served[Name]>,
    options?: TaskOptions,
  ): Promise<WorkerOutcome<ResultOf<Served[Name]>>>;
  /** Ends all threads. Tasks that are not done have failed. */
  close(): Promise<void>;
}

type InputOf<Load> = Load extends () => Promise<(input: infer Input) => unknown> ? Input : never;
type ResultOf<Load> = Load extends () => Promise<(...input: never[]) => infer Result>
  ? Awaited<Result>
  : never;

export type WorkerOutcome<Result> =
  | { readonly outcome: "Done"; readonly result: Result }
  /** It took more than its time, and was ended. */
  | { readonly outcome: "TooLate" }
  /** It took more than its memory, and was ended. */
  | { readonly outcome: "OutOfMemory" }
  /** It threw, or its thread ended. */
  | { readonly outcome: "Failed"; readonly message: string }
  /** Too many tasks wait already. */
  | { readonly outcome: "Busy" };

export interface TaskOptions {
  /** Buffers of the input that go to the thread without a copy; they are empty here afterwards. */
  readonly transfer?: readonly Transferable[];
  readonly signal?: AbortSignal | undefined;
  /**
   * Processor time of the task, in milliseconds, counted from when it begins: a busy machine takes nothing of it. Where
   * the system does not say it (only Linux does), `clockMs` alone counts. Default: 2 s.
   */
  readonly processorMs?: number;
  /** Time of the task by the clock, in milliseconds, counted from when it begins. Default: 30 s. */
  readonly clockMs?: number;
}

export interface WorkerLimits {
  /** Threads at the same time. Default: 2. */
  readonly threads?: number;
  /** Tasks that may wait for a thread. Default: 100. */
  readonly waiting?: number;
  /** Memory of one thread for JavaScript, in MB. Default: 512. */
  readonly memoryMb?: number;
  /** How long a thread without a task is kept. Default: 30 s. */
  readonly idleMs?: number;
}

interface Job {
  readonly task: ThreadTask;
  readonly options: TaskOptions;
  readonly settle: (outcome: WorkerOutcome<never>) => void;
}

interface Thread {
  readonly worker: Worker;
  /** Null while it is idle. */
  job: Job | null;
  nativeId: string | null;
  timer: NodeJS.Timeout | undefined;
}

/** Loading a thread's file and what a task needs; on a machine that is busy with other things it takes seconds. */
const LOAD_MS = 60 * SECOND;
/**
 * Where V8 reaches the limit of a thread while one array grows, it ends the whole process
 * (https://github.com/nodejs/node/issues/47224; seen on Node 24, three times in five). So we look at the heap of a thread,
 * which Node says since 22.16, and V8's limit is further away.
 */
const LOOK_MS = 20;
const BACKSTOP = 4;
const MB = 1024 * 1024;

interface HeapStatistics {
  getHeapStatistics(): Promise<{ readonly used_heap_size: number }>;
}

function hasHeapStatistics(worker: object): worker is HeapStatistics {
  return "getHeapStatistics" in worker;
}

const UNSTARTED = { outcome: "Failed", message: "its thread did not start in time" } as const;
const CLOSED = { outcome: "Failed", message: "Earshot is stopping" } as const;

/** `entry`: the thread's file without its ending, from the root of the repository. */
export function createWorkerPool<Served extends Tasks>(
  entry: string,
  limits: WorkerLimits = {},
): WorkerPool<Served> {
  const { threads: mostThreads = 2, waiting: mostWaiting = 100 } = limits;
  const { memoryMb = 512, idleMs = 30 * SECOND } = limits;
  const threads = new Set<Thread>();
  const waiting: Job[] = [];

  /** Ends a thread; its task, if it has one, has this outcome. */
  function end(thread: Thread, outcome: WorkerOutcome<never>): void {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    void thread.worker.terminate();
    thread.job?.settle(outcome);
    thread.job = null;
    assign();
  }

  function start(): Thread {
    const worker = startWorker(entry, {
      execArgv: [],
      // What strangers wrote finds no secret there.
      env: {},
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb * (hasHeapStatistics(Worker.prototype) ? BACKSTOP : 1),
      },
    });
    const thread: Thread = { worker, job: null, nativeId: null, timer: undefined };
    threads.add(thread);
    worker.on("message", (message: ThreadMessage) => receive(thread, message));
    worker.on("error", (error) => {
      const isMemory = codeOf(error) === "ERR_WORKER_OUT_OF_MEMORY";
      end(thread, isMemory ? { outcome: "OutOfMemory" } : { outcome: "Failed", message: String(error) });
    });
    worker.on("exit", () => end(thread, { outcome: "Failed", message: "its thread has ended" }));
    return thread;
  }

  function receive(thread: Thread, message: ThreadMessage): void {
    const { job } = thread;
    switch (message.state) {
      case "started":
        thread.nativeId = message.nativeId;
        return;
      case "began":
        watch(thread, { at: monotonicMs(), usedMs: processorTimeMs(thread.nativeId) });
        void watchMemory(thread);
        return;
      case "done":
      case "failed":
        rest(thread);
        job?.settle(
          message.state === "done"
            ? { outcome: "Done", result: message.result as never }
            : { outcome: "Failed", message: message.message },
        );
        assign();
        return;
      default:
        message satisfies never;
    }
  }

  /** Ends the task when its thread has taken more memory than it may. */
  async function watchMemory(thread: Thread): Promise<void> {
    const { worker, job } = thread;
    if (!hasHeapStatistics(worker)) return;
    while (job !== null && thread.job === job && threads.has(thread)) {
      // It rejects when the thread has ended.
      const used = await worker.getHeapStatistics().then(
        (heap) => heap.used_heap_size,
        () => 0,
      );
      if (thread.job === job && used > memoryMb * MB) end(thread, { outcome: "OutOfMemory" });
      await delay(LOOK_MS, undefined, { ref: false });
    }
  }

  /** Ends the task when it is late. It cannot use processor time faster than the clock goes. */
  function watch(thread: Thread, began: { readonly at: number; readonly usedMs: number | null }): void {
    clearTimeout(thread.timer);
    const { processorMs = 2 * SECOND, clockMs = 30 * SECOND } = thread.job?.options ?? {};
    const used = began.usedMs === null ? null : processorTimeMs(thread.nativeId);
    const leftOfClock = began.at + clockMs - monotonicMs();
    const leftOfProcessor = used === null ? leftOfClock : processorMs - (used - (began.usedMs ?? 0));
    const leftMs = Math.min(leftOfClock, leftOfProcessor);
    if (leftMs <= 0) end(thread, { outcome: "TooLate" });
    else thread.timer = setTimeout(watch, Math.max(leftMs, 10), thread, began);
  }

  function rest(thread: Thread): void {
    clearTimeout(thread.timer);
    thread.job = null;
    thread.worker.unref();
    thread.timer = setTimeout(end, idleMs, thread, CLOSED).unref();
  }

  /** Gives waiting tasks to idle threads, and starts new ones as needed. */
  function assign(): void {
    while (waiting.length > 0) {
      const idle = [...threads].find(({ job }) => job === null);
      if (idle === undefined && threads.size >= mostThreads) return;
      const job = waiting.shift();
      if (job !== undefined) give(idle ?? start(), job);
    }
  }

  function give(thread: Thread, job: Job): void {
    clearTimeout(thread.timer);
    thread.job = job;
    thread.worker.ref();
    thread.timer = setTimeout(end, LOAD_MS, thread, UNSTARTED);
    try {
      thread.worker.postMessage(job.task, job.options.transfer);
    } catch (error) {
      rest(thread);
      job.settle({ outcome: "Failed", message: `it cannot be sent to a thread: ${String(error)}` });
    }
  }

  function drop(job: Job): void {
    const at = waiting.indexOf(job);
    if (at >= 0) waiting.splice(at, 1);
    const thread = [...threads].find((one) => one.job === job);
    if (thread !== undefined) end(thread, { outcome: "TooLate" });
  }

  return {
    async run(name, input, options = {}) {
      const { signal } = options;
      signal?.throwIfAborted();
      if (waiting.length >= mostWaiting) return { outcome: "Busy" };
      return new Promise((resolve, reject) => {
        const settle = (outcome: WorkerOutcome<never>): void => {
          signal?.removeEventListener("abort", abort);
          resolve(outcome);
        };
        const job = { task: { name: String(name), input }, options, settle };
        const abort = (): void => {
          reject(signal?.reason);
          drop(job);
        };
        signal?.addEventListener("abort", abort, { once: true });
        waiting.push(job);
        assign();
      });
    },
    async close() {
      for (const job of waiting.splice(0)) job.settle(CLOSED);
      const ending = [...threads].map(({ worker }) => worker.terminate());
      for (const thread of [...threads]) end(thread, CLOSED);
      await Promise.all(ending);
    },
  };
}

/** In `dist/` the pool is in a chunk, and the thread's file has its path from the root. */
function startWorker(entry: string, options: WorkerOptions): Worker {
  const ending = extname(import.meta.filename);
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, entry + ending)) && folder !== dirname(folder)) folder = dirname(folder);
  const file = join(folder, entry + ending);
  if (ending !== ".ts") return new Worker(file, options);
  // Node 20 cannot read TypeScript, and threads do not inherit what can.
  const [tsx, program] = [import.meta.resolve("tsx/esm/api"), pathToFileURL(file).href].map(quoted);
  const load = `import(${tsx}).then(({ register }) => register()).then(() => import(${program}));`;
  return new Worker(load, { ...options, eval: true });
}

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Of one thread, in milliseconds, in steps of 10; null where the system does not say it. */
function processorTimeMs(nativeId: string | null): number | null {
  if (nativeId === null) return null;
  try {
    const stat = readFileSync(`/proc/self/task/${nativeId}/stat`, "latin1");
    // Behind the name, which may have blanks: user and system time, in hundredths of a second.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return Number.isFinite(ticks) ? ticks * 10 : null;
  } catch {
    return null;
  }
}
