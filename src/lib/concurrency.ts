import { setTimeout as delay, setImmediate as turn } from "node:timers/promises";
import { type Clock, monotonicMs } from "./clock.ts";
import { BusyError } from "./errors.ts";
import type { Instant } from "./instant.ts";

/**
 * Runs `most` pieces of work at a time; `waiting` more wait for their turn, in order. Rejects with a BusyError beyond
 * that.
 */
export function atMost(most: number, waiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const queue: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= most) {
      if (queue.length >= waiting) throw new BusyError("too much of this is asked at once");
      // Finished work hands its slot on, so the order is kept.
      await new Promise<void>((resolve) => queue.push(resolve));
    } else running++;
    try {
      return await work();
    } finally {
      const next = queue.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}

/** The result of `work`; rejects if that takes longer than `timeoutMs`. */
export async function withTimeout<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const timer = new AbortController();
  try {
    const late = delay(timeoutMs, undefined, { signal: timer.signal }).then(() => {
      throw new Error(`no answer within ${timeoutMs} ms`);
    });
    return await Promise.race([work, late]);
  } finally {
    timer.abort();
    work.catch(() => {});
  }
}

/**
 * Lets other work of the process run after every `busyMs` of long work: call it between the steps of the work, and
 * await what it gives. All long work of the process shares this time, and goes on in turns: much of it at once holds the
 * process no longer than one.
 */
export function createPause(busyMs = BUSY_MS): () => Promise<void> | undefined {
  let since = beginTurn();
  const pause = async (): Promise<void> => {
    turns = turns.then(() => turn());
    await turns;
    since = beginTurn();
  };
  return () => (monotonicMs() - since < busyMs ? undefined : pause());
}

/** `flatMap`, a step for each thing: for a `yieldingLoop`. */
export function* collect<Thing, Found>(
  things: Iterable<Thing>,
  find: (thing: Thing) => readonly Found[],
): Generator<void, Found[]> {
  const found: Found[] = [];
  for (const thing of things) {
    found.push(...find(thing));
    yield;
  }
  return found;
}

/** Short enough that no waiting request notices it. */
const BUSY_MS = 20;
/** The last turn of the loop that was given away. */
let turns: Promise<void> = Promise.resolve();
/** When long work began in this turn of the loop; null: not yet. */
let turnBegan: number | null = null;

function beginTurn(): number {
  if (turnBegan === null) {
    turnBegan = monotonicMs();
    void turn().then(() => {
      turnBegan = null;
    });
  }
  return turnBegan;
}

/** Runs a long computation step by step, with pauses. */
export async function yieldingLoop<Result>(
  steps: Iterator<unknown, Result>,
  busyMs = BUSY_MS,
): Promise<Result> {
  const pause = createPause(busyMs);
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done === true) return step.value;
    const wait = pause();
    if (wait !== undefined) await wait;
  }
}

/** Each field of an object, all awaited at once: `Promise.all`, with names in place of positions. */
export async function awaitAll<Fields extends object>(
  fields: Fields,
): Promise<{ -readonly [Name in keyof Fields]: Awaited<Fields[Name]> }> {
  const values: unknown[] = await Promise.all(Object.values(fields));
  const names = Object.keys(fields);
  return Object.fromEntries(names.map((name, index) => [name, values[index]])) as {
    [Name in keyof Fields]: Awaited<Fields[Name]>;
  };
}

/** A slow question is asked less often, so that it takes at most a twentieth of the time. */
const COSTLY = 20;

interface CachedAnswer<T> {
  ask(): Promise<T>;
  /** Whether the next caller gets an answer newer than now. */
  isOver(): boolean;
}

/**
 * Shares one answer among all callers for `forMs` of wall time, or for `costly` times as long as the answer took if
 * that is longer. A failed question is asked again.
 */
export function cached<T>(
  question: () => Promise<T>,
  forMs: number,
  wall: Clock,
  costly = COSTLY,
): CachedAnswer<T> {
  let last: { readonly answer: Promise<T>; until: Instant } | null = null;
  const ask = (): Promise<T> => {
    const startedAt = wall.now();
    if (last !== null && startedAt < last.until) return last.answer;
    // Until it is answered, no second question starts.
    const current = { answer: question(), until: Number.POSITIVE_INFINITY };
    last = current;
    current.answer.then(
      () => {
        current.until = startedAt + Math.max(forMs, (wall.now() - startedAt) * costly);
      },
      () => {
        if (last === current) last = null;
      },
    );
    return current.answer;
  };
  return { ask, isOver: () => last === null || wall.now() >= last.until };
}
