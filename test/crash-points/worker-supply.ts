import { startWorkerProcess, type Worker, type WorkerProcess } from "./worker-process.ts";

export type WorkerSupply = ReturnType<typeof createWorkerSupply>;

/** Most processes live for seconds: optimising their code would not pay. */
const SHORT_LIVED = [
  "--no-opt",
  "--sparkplug",
  "--single-threaded-gc",
  "--max-lazy",
  "--min-semi-space-size=32",
];
const LONG_LIVED = ["--sparkplug", "--min-semi-space-size=32"];

/** Long-lived processes, one for each processor of a small machine. */
const LONG_LIVED_AT_ONCE = 2;

/** A process is replaced by a new one after so many workers. */
const MOST_WORKERS = 100;

/**
 * Processes that wait for orders. To load the code and to run it for the first time takes longer than to play a point
 * in a warm process, and each death takes a process. So several workers that are to be killed, each in a sandbox of
 * its own, share one. A worker at its point is dead at once for everybody outside: the relays let nothing pass any
 * more. The process is killed as soon as all its workers are at their points, and only then others take over.
 */
export function createWorkerSupply(file: string, together: number) {
  const all = new Set<WorkerProcess>();
  const begin = async (flags: readonly string[]): Promise<WorkerProcess> => {
    const process = await startWorkerProcess(file, flags);
    all.add(process);
    void process.gone.then(() => all.delete(process));
    return process;
  };

  interface Shared {
    readonly process: Promise<WorkerProcess>;
    taken: number;
    size: number;
  }
  let shared: Shared | null = null;
  let size = together;
  const toBeKilled = async (): Promise<Worker> => {
    shared ??= { process: begin(SHORT_LIVED), taken: 0, size };
    const one = shared;
    one.taken += 1;
    if (one.taken >= one.size) shared = null;
    const process = await one.process;
    if (!process.isUsable()) {
      if (shared === one) shared = null;
      return toBeKilled();
    }
    const worker = process.open();
    if (process.opened === one.size) process.retire();
    return worker;
  };

  const idle: WorkerProcess[] = [];
  /** A process that has no worker. */
  const unused = async (): Promise<WorkerProcess> => {
    const process = idle.pop() ?? (await begin(SHORT_LIVED));
    return process.isUsable() ? process : unused();
  };
  const toBeKilledAlone = async (): Promise<Worker> => {
    const process = await unused();
    const worker = process.open();
    process.retire();
    return worker;
  };

  const alone = async (): Promise<Worker> => {
    const process = await unused();
    const worker = process.open();
    return {
      ...worker,
      release: async (isWell) => {
        if (process.opened >= MOST_WORKERS) process.retire();
        await worker.release(isWell);
        if (process.isUsable()) idle.push(process);
      },
    };
  };

  const places: (Promise<WorkerProcess> | undefined)[] = [];
  let next = 0;
  const longLived = async (): Promise<Worker> => {
    const place = next++ % LONG_LIVED_AT_ONCE;
    const begun = places[place] ?? begin(LONG_LIVED);
    places[place] = begun;
    const process = await begun;
    if (process.isUsable() && process.opened < MOST_WORKERS) return process.open();
    process.retire();
    if (places[place] === begun) places[place] = undefined;
    return longLived();
  };

  return {
    /** Its process is killed with it, and with the others in it. */
    toBeKilled,
    /** Its process is killed with it, and with no other. */
    toBeKilledAlone,
    /** In a process of its own, which can be paused. */
    alone,
    /** Beside others, in a process that has run many before. */
    longLived,
    /** No more points are begun: those that wait for others at their points wait no longer. */
    noMoreShare: () => {
      size = 1;
      if (shared === null) return;
      const last = shared;
      last.size = last.taken;
      shared = null;
      void last.process.then((process) => {
        if (process.opened === last.size) process.retire();
      });
    },
    /** A process that has run stores its compiled code. */
    saveCompiled: () => idle.at(-1)?.saveCompiled(),
    stop: async () => {
      for (const process of all) process.end();
      await Promise.all([...all].map(({ gone }) => gone));
    },
  };
}
