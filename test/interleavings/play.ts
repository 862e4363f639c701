import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../../src/lib/errors.ts";
import type { Database } from "../../src/monitor/store/database.ts";
import type { Stage } from "../crash-points/stage.ts";
import { type Connections, type OpenConnections, openConnections } from "./connections.ts";
import { type Delay, readLeases } from "./delay.ts";
import type { Reset } from "./ground.ts";
import { createHold, type Hold } from "./hold.ts";
import type { Task } from "./task.ts";

/** Where the pairs of a scene begin, and what a process of it is. */
export interface World<P extends { close(): Promise<void> }> {
  /** Sets tables, clock and everybody outside to where the pairs begin. Connections to the database break if it is a copy. */
  reset(to: Reset): Promise<Reset>;
  connect(url: string): Connections<P>;
  /** Does everything that is due. Gives for how many seconds of the database's clock some of it has waited. */
  settle(process: P): Promise<number>;
  /** All facts and messages, a line each. */
  read(database: Database): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface PlayResult {
  /** All facts and messages in the end. */
  readonly lines: readonly string[];
  readonly delay: Delay;
  /** What the task that may be held asked of PostgreSQL. */
  readonly statements: readonly string[];
  /** False: the task ended before it was held. */
  readonly isHeld: boolean;
  /** Whether the other task had to wait for the one that was held. */
  readonly hasWaited: boolean;
}

export interface Player<P> {
  /**
   * Two processes do one task each. With `holdAt`, the first is held before this statement while the second runs to its
   * end, or until it waits for a lock of the first; else the second begins when the first has ended. With `begun`, too,
   * the second has come as far as this statement when the first begins. Then everything that is due is done.
   */
  play(tasks: readonly [Task<P>, Task<P>], holdAt: number | null, begun?: RegExp): Promise<PlayResult>;
  /** The next play begins in a copy of the database, on connections of its own. */
  beginAnew(): Promise<void>;
  close(): Promise<void>;
}

/** Plays in one world, in the same database for as long as its rows are all that has to be put back. */
export function createPlayer<P extends { close(): Promise<void> }>(
  stage: Stage,
  database: string,
  world: World<P>,
): Player<P> {
  let open: OpenConnections<P> | null = null;
  const close = async (): Promise<void> => {
    const closing = open;
    open = null;
    await closing?.close();
  };
  /** Afterwards everything is where the pairs begin. */
  const begin = async (): Promise<OpenConnections<P>> => {
    const done = await world.reset(open === null ? "copy" : "rows");
    if (open !== null && done === "rows") return open;
    await close();
    open = await openConnections(stage, stage.urlOf(database), world.connect);
    return open;
  };
  return {
    play: async (tasks, holdAt, begun) => {
      try {
        return await playOn(await begin(), world, tasks, { holdAt, begun });
      } catch (error) {
        // A task that does not end keeps its connection. Where the database cannot be dropped, the first error says why.
        await stage.administrate(`drop database if exists ${database} with (force)`).catch(() => {});
        await close();
        throw error;
      }
    },
    beginAnew: close,
    close: async () => {
      await close();
      await world.close();
    },
  };
}

async function playOn<P extends { close(): Promise<void> }>(
  { watch, ...connections }: OpenConnections<P>,
  world: World<P>,
  [first, second]: readonly [Task<P>, Task<P>],
  { holdAt, begun }: { readonly holdAt: number | null; readonly begun: RegExp | undefined },
): Promise<PlayResult> {
  const [hold, secondHold] = [createHold(), createHold()];
  connections.first.setHold(hold);
  connections.second.setHold(secondHold);
  const opened: P[] = [];
  try {
    const held = await connections.first.open();
    opened.push(held);
    const other = await connections.second.open();
    opened.push(other);
    const run = { first: await first.prepare(other, held), second: await second.prepare(other, other) };
    let two: Promise<unknown> | null = null;
    if (holdAt !== null && begun !== undefined) {
      secondHold.arm(begun);
      two = start(run.second, other);
      if (!(await isHeldBefore(secondHold, two)))
        throw new Error(`no statement of ${second.name} matches ${begun}`);
    }
    hold.arm(holdAt);
    const one = start(run.first, held);
    // The first may have to wait for a lock of the second, which goes on then.
    if (two !== null) await isBlocked(watch, Promise.race([hold.isHeld, settled(one)]));
    secondHold.release();
    const isHeld = await isHeldBefore(hold, one);
    two ??= start(run.second, other);
    const hasWaited = isHeld && (await isBlocked(watch, two));
    hold.release();
    await inTime(one, first.name);
    await inTime(two, second.name);
    const statements = hold.disarm();
    const leases = await readLeases(watch);
    const waitedS = await world.settle(other);
    const lines = await world.read(watch);
    return { lines, delay: { leases, waitedS }, statements: [...statements], isHeld, hasWaited };
  } finally {
    hold.release();
    secondHold.release();
    for (const process of opened) await process.close();
  }
}

/** It is awaited later; until then its failure is nobody's. */
function start<P>(task: (process: P) => Promise<unknown>, process: P): Promise<unknown> {
  const work = task(process);
  work.catch(() => {});
  return work;
}

/** False: the work has ended before. */
function isHeldBefore({ isHeld }: Hold, work: Promise<unknown>): Promise<boolean> {
  return Promise.race([isHeld.then(() => true), settled(work).then(() => false)]);
}

function settled(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}

/** Waits until the work ends (false), or waits for a lock of the process that is held (true). */
async function isBlocked({ pool }: Database, work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  void settled(work).then(() => {
    hasEnded = true;
  });
  for (let waitedMs = 0; waitedMs < MOST_MS; waitedMs += LOOK_MS) {
    await Promise.race([settled(work), delay(LOOK_MS)]);
    if (hasEnded) return false;
    const { rows } = await pool.query<{ n: number }>(BLOCKED);
    if ((rows[0]?.n ?? 0) > 0) return true;
  }
  throw new Error("the second task neither ends nor waits for a lock");
}

async function inTime(work: Promise<unknown>, name: string): Promise<void> {
  const late = new AbortController();
  const tooLate = delay(MOST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error("it does not end");
  });
  tooLate.catch(() => {});
  try {
    await Promise.race([work, tooLate]);
  } catch (error) {
    throw new Error(`${name}: ${describeError(error)}`, { cause: error });
  } finally {
    late.abort();
  }
}

const BLOCKED = `select count(*)::int as n from pg_stat_activity
  where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0`;
const LOOK_MS = 4;
const MOST_MS = 20_000;
