import type { EngineJob } from "./backend.ts";
import type { QueueName } from "./jobs.ts";

/**
 * The slots of a process for jobs, and the jobs that it does at once, without the engine. Between an event and its message
 * one job follows from another, in the same process as a rule, and the engine needs some seven statements for each. A
 * job points at work in the tables: if the process dies, the sweep finds what it had in hand.
 */
export interface HandOvers {
  /** From now on jobs of this queue may be done here: as many at once as there are slots, those of the engine included. */
  open(queue: QueueName, slots: number, work: (job: EngineJob) => Promise<void>): void;
  /** Does a job that the engine gave. It uses a slot meanwhile. */
  occupy(queue: QueueName, key: string | undefined, work: () => Promise<void>): Promise<void>;
  /**
   * Begins a job. If a job of the same key was handed over and still runs, it is done once more afterwards.
   *
   * @param onFailed called if it failed
   * @returns false if it must go to the engine: nobody here does such jobs, no slot is free, or the engine has one of the
   *   same key done here, and repeats it
   */
  offer(queue: QueueName, key: string, job: EngineJob, onFailed: (error: unknown) => void): boolean;
  /** How many of this queue run without the engine. */
  count(queue: QueueName): number;
  /** Takes no more, and resolves when those that run have ended. */
  close(): Promise<void>;
}

export function createHandOvers(): HandOvers {
  const open = new Map<
    QueueName,
    { readonly slots: number; readonly work: (job: EngineJob) => Promise<void> }
  >();
  const running = new Set<Running>();
  const ofQueue = (queue: QueueName): Running[] => [...running].filter((one) => one.queue === queue);

  const run = async (one: Running, first: EngineJob, work: (job: EngineJob) => Promise<void>) => {
    try {
      for (let job: EngineJob | null = first; job !== null && open.has(one.queue); ) {
        await work(job);
        // Nothing is awaited between this and the end: an offer would be forgotten.
        job = one.again;
        one.again = null;
      }
    } finally {
      running.delete(one);
    }
  };

  return {
    open: (queue, slots, work) => void open.set(queue, { slots, work }),
    occupy: async (queue, key, work) => {
      const one: Running = { queue, key, ended: null, again: null };
      running.add(one);
      try {
        await work();
      } finally {
        running.delete(one);
      }
    },
    offer: (queue, key, job, onFailed) => {
      const opened = open.get(queue);
      if (opened === undefined) return false;
      const same = ofQueue(queue).find((one) => one.key === key);
      if (same !== undefined) {
        if (same.ended === null) return false;
        same.again = job;
        return true;
      }
      if (ofQueue(queue).length >= opened.slots) return false;
      const one: Running = { queue, key, ended: Promise.resolve(), again: null };
      running.add(one);
      one.ended = run(one, job, opened.work).catch(onFailed);
      return true;
    },
    count: (queue) => ofQueue(queue).filter(({ ended }) => ended !== null).length,
    close: async () => {
      open.clear();
      await Promise.all([...running].map(({ ended }) => ended));
    },
  };
}

/** A job that is being done here. */
interface Running {
  readonly queue: QueueName;
  readonly key: string | undefined;
  /** Resolves when a job that was handed over has ended; null for a job of the engine. */
  ended: Promise<void> | null;
  /** Was handed over while one of its key ran. */
  again: EngineJob | null;
}
