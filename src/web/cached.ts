import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";

/** A costly question is asked so much less often that it takes a twentieth of the time at most. */
const COSTLY = 20;

export interface Cached<T> {
  ask(): Promise<T>;
  /** Whether the next who asks gets an answer that is newer than now. */
  isOver(): boolean;
}

/**
 * Asks once for everybody who asks within `forMs` of wall time, or `costly` times as long as the answer took, where
 * that is longer. A question that failed is asked again.
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
    // Until it is answered nobody asks beside it.
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
