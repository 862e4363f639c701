import { HOUR, type Instant, MINUTE } from "../../lib/instant.ts";

/** A storm that breaks over a brand at a moment: it grows for twenty minutes and fades over some hours. */
export interface Crisis {
  readonly brand: string;
  readonly at: Instant;
}

/** After this a crisis is over. */
export const CRISIS_LASTS_MS = 6 * HOUR;

/** When the company says something. */
export const SPOKEN_AFTER_MS = 75 * MINUTE;

const GROWS_MS = 20 * MINUTE;
const FADES_MS = 50 * MINUTE;

/** From 0 to 1 over the first twenty minutes, then fading. */
export function strength(afterMs: number): number {
  if (afterMs < 0) return 0;
  if (afterMs < GROWS_MS) return (afterMs / GROWS_MS) ** 1.3;
  return Math.exp(-(afterMs - GROWS_MS) / FADES_MS);
}
