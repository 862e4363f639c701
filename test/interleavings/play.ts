import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";
import { describeError } from "../../src/lib/errors.ts";
import { readPostgres } from "../crash-points/proxies/postgres.ts";
import { openRelay } from "../crash-points/proxies/relay.ts";
import type { Stage } from "../crash-points/stage.ts";
import { createHold } from "./hold.ts";
import type { Task } from "./task.ts";

/** Where the pairs of a scene begin, and what a process of it is. */
export interface World<P extends { close(): Promise<void> }> {
  readonly database: string;
  /** Sets tables, clock and everybody outside to where the pairs begin. */
  reset(): Promise<void>;
  /** A process whose statements go to this port of PostgreSQL. */
  open(port: number): Promise<P>;
  /** Does everything that is due. */
  settle(process: P): Promise<void>;
  /** All facts and messages, a line each. */
  read(): Promise<readonly string[]>;
  close?(): Promise<void>;
}

export interface PlayResult {
  /** All facts and messages in the end. */
  readonly lines: readonly string[];
  /** What the task that may be held asked of PostgreSQL. */
  readonly statements: readonly string[];
  /** False: the task ended before it was held. */
  readonly isHeld: boolean;
  /** Whether the other task had to wait for the one that was held. */
  readonly hasWaited: boolean;
}

/**
 * Two processes do one task each. With `holdAt`, the first is held before this statement while the second runs to its
 * end, or until it waits for a lock of the first; else the second begins when the first has ended. Then everything
 * that is due is done.
 */
export async function play<P extends { close(): Promise<void> }>(
  stage: Stage,
  world: World<P>,
  [first, second]: readonly [Task<P>, Task<P>],
  holdAt: number | null,
): Promise<PlayResult> {
  await world.reset();
  const hold = createHold();
  const relay = await openRelay(
    () => stage.postgresPort,
    hold.passing,
    () => readPostgres({ every: true }),
  );
  const watch = new pg.Client({ connectionString: stage.urlOf(world.database) });
  watch.on("error", () => {});
  const opened: P[] = [];
  try {
    await watch.connect();
    const held = await world.open(relay.port);
    opened.push(held);
    const other = await world.open(stage.postgresPort);
    opened.push(other);
    const run = { first: await first.prepare(other, held), second: await second.prepare(other, other) };
    hold.arm(holdAt);
    const one = run.first(held);
    // It is awaited below; until then its failure is nobody's.
    one.catch(() => {});
    let isHeld = false;
    if (holdAt !== null)
      isHeld = await Promise.race([hold.isHeld.then(() => true), settled(one).then(() => false)]);
    else await one;
    const two = run.second(other);
    two.catch(() => {});
    const hasWaited = isHeld && (await isBlocked(watch, world.database, two));
    hold.release();
    await inTime(one, first.name);
    await inTime(two, second.name);
    const statements = hold.disarm();
    await world.settle(other);
    return { lines: await world.read(), statements: [...statements], isHeld, hasWaited };
  } finally {
    hold.release();
    for (const process of opened) await process.close();
    await watch.end().catch(() => {});
    await relay.close();
  }
}

function settled(work: Promise<unknown>): Promise<void> {
  return work.then(
    () => {},
    () => {},
  );
}

/** Waits until the work ends (false), or waits for a lock of the process that is held (true). */
async function isBlocked(watch: pg.Client, database: string, work: Promise<unknown>): Promise<boolean> {
  let hasEnded = false;
  void settled(work).then(() => {
    hasEnded = true;
  });
  for (let waitedMs = 0; waitedMs < MOST_MS; waitedMs += LOOK_MS) {
    await Promise.race([settled(work), delay(LOOK_MS)]);
    if (hasEnded) return false;
    const { rows } = await watch.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = $1 and cardinality(pg_blocking_pids(pid)) > 0",
      [database],
    );
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

const LOOK_MS = 4;
const MOST_MS = 20_000;
