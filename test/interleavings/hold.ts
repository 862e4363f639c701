import type { Step, Verdict } from "../crash-points/gate.ts";

/** Decides about the statements of one process: they pass, and the process is held before one of them. */
export interface Hold {
  /** For the relay in front of PostgreSQL: whether a statement passes, or when. */
  before(step: Step): Verdict;
  /** From now on statements count. `at`: the process is held before this one, from 1, or the first that matches; null: before none. */
  arm(at: number | RegExp | null): void;
  /** Resolves when the process is held. */
  readonly isHeld: Promise<void>;
  release(): void;
  /** Statements count no more. Gives those that were asked. */
  disarm(): readonly string[];
}

/** Nothing that is compared is in these tables, and how often they are asked depends on how long an answer takes. */
const NO_FACTS = /\bearshot\.(budgets|budget_slots|tokens|channel_limits|server_quirks|pulses|failures)\b/;
/** What a connection begins with. How many are open by then is a matter of what was played before. */
const BEGINS_CONNECTION = /^(set jit = off; set datestyle = iso|select pg_backend_pid\(\) as pid)$/;

export function createHold(): Hold {
  const asked: string[] = [];
  let counts = false;
  let isNext = (_name: string): boolean => false;
  let release = (): void => {};
  const released = new Promise<true>((resolve) => {
    release = () => resolve(true);
  });
  let reportHeld = (): void => {};
  const isHeld = new Promise<void>((resolve) => {
    reportHeld = resolve;
  });
  return {
    before: ({ name }) => {
      if (!counts || NO_FACTS.test(name) || BEGINS_CONNECTION.test(name)) return true;
      asked.push(name);
      if (!isNext(name)) return true;
      isNext = () => false;
      reportHeld();
      return released;
    },
    arm: (at) => {
      isNext = (name) => (at instanceof RegExp ? at.test(name) : asked.length === at);
      counts = true;
    },
    isHeld,
    release: () => release(),
    disarm: () => {
      counts = false;
      return asked;
    },
  };
}
