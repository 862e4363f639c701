import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";

/** A costly question is asked so much less often that it takes a twentieth of the time at most. */
const REST = 20;

/**
 * Asks once for everybody who asks within `forMs` of wall time, or longer where the answer takes long. A question that
 * failed is asked again.
 */
export function remember<T>(ask: () => Promise<T>, forMs: number, wall: Clock): () => Promise<T> {
  let last: { readonly answer: Promise<T>; until: Instant } | null = null;
  return () => {
    const asked = wall.now();
    if (last !== null && asked < last.until) return last.answer;
    // Until it is answered nobody asks beside it.
    const current = { answer: ask(), until: Number.POSITIVE_INFINITY };
    last = current;
    current.answer.then(
      () => {
        current.until = asked + Math.max(forMs, (wall.now() - asked) * REST);
      },
      () => {
        if (last === current) last = null;
      },
    );
    return current.answer;
  };
}
