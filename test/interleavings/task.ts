/** What a process does once: a job, a press, a round of a loop. */
export interface Task<P> {
  readonly name: string;
  /** Looks up what it is about, before anything is held. `own`: the process that will do it. */
  prepare(look: P, own: P): Promise<(process: P) => Promise<unknown>>;
}

/** Two tasks. The first is held at each of its statements while the second runs, and the other way round. */
export type Pair<P> = readonly [one: Task<P>, other: Task<P>, how?: PairOptions];

export interface PairOptions {
  /**
   * The first commits twice, and what the second sees in between is a state that people may see: it is a third order. The
   * statement with which the second of its transactions begins, the last one that matches.
   */
  readonly between?: RegExp;
  /**
   * The second has come as far as its first statement that matches when the first begins, and goes on while that is held:
   * so it may wait for what the first has changed after it has looked at it. Only the first is held at each of its
   * statements.
   */
  readonly begun?: RegExp;
}
