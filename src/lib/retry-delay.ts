const BASE_MS = 1_000;
const CAP_MS = 60_000;

/**
 * How long a failed job waits: as long as the vendor asked, else 1 s, 2 s, 4 s … up to a minute, minus up to a half at
 * random, so that jobs that failed together do not return together.
 *
 * @param attempt tries made so far, from 1
 * @param random from 0 to 1
 */
export function retryDelayMs(attempt: number, retryAfterMs: number | undefined, random: number): number {
  if (retryAfterMs !== undefined) return Math.max(0, Math.ceil(retryAfterMs));
  const full = Math.min(BASE_MS * 2 ** (attempt - 1), CAP_MS);
  return Math.round(full * (1 - random / 2));
}
