import type { Clock } from "../lib/clock.ts";
import type { Instant } from "../lib/instant.ts";

/** Asks once for everybody who asks within `forMs` of wall time. A question that failed is asked again. */
export function remember<T>(ask: () => Promise<T>, forMs: number, wall: Clock): () => Promise<T> {
  let last: { readonly at: Instant; readonly answer: Promise<T> } | null = null;
  return () => {
    if (last !== null && wall.now() - last.at < forMs) return last.answer;
    const asked = { at: wall.now(), answer: ask() };
    last = asked;
    asked.answer.catch(() => {
      if (last === asked) last = null;
    });
    return asked.answer;
  };
}
