import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";

/** A slow question is asked less often, so that it takes at most a twentieth of the time. */
const COSTLY = 20;

export interface Cached<T> {
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
): Cached<T> {
  let last: { readonly answer: Promise<T>; until: Instant } | null = null;
  const ask = (): Promise<T> => {
    const asked = wall.now();
    if (last !== null && asked < last.until) return last.answer;
    // Until it is answered, no second question starts.
    const current = { answer: question(), until: Number.POSITIVE_INFINITY };
    last = current;
    current.answer.then(
      () => {
        current.until = asked + Math.max(forMs, (wall.now() - asked) * costly);
      },
      () => {
        if (last === current) last = null;
      },
    );
    return current.answer;
  };
  return { ask, isOver: () => last === null || wall.now() >= last.until };
}
