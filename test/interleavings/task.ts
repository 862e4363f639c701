/** What a process does once: a job, a press, a round of a loop. */
export interface Task<P> {
  readonly name: string;
  /** Looks up what it is about, before anything is held. `own`: the process that will do it. */
  prepare(look: P, own: P): Promise<(process: P) => Promise<unknown>>;
}

/**
 * Two tasks. The first is held at each of its statements while the second runs, and the other way round. `between`: the
 * first commits twice, and what the second sees in between is a state that people may see: it is a third order. The
 * statement with which the second of its transactions begins, the last one that matches.
 */
export type Pair<P> = readonly [one: Task<P>, other: Task<P>, between?: RegExp];
