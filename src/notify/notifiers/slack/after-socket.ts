import { MINUTE } from "../../../lib/instant.ts";

/** How a socket ended, as far as it matters for the next. */
export interface EndedSocket {
  /** How long it was open; null where it never was. */
  readonly openMs: number | null;
}

/**
 * How many pauses there were in a row, the one before the next socket included: 0 opens it at once. A socket that was
 * open is followed at once, but a second time only if it lasted: one that is closed as soon as it is open, by a proxy
 * or by too many others, would be opened a thousand times a minute.
 */
export function afterSocket(
  { pauses, quick }: { readonly pauses: number; readonly quick: number },
  { openMs }: EndedSocket,
): { readonly pauses: number; readonly quick: number } {
  if (openMs === null) return { pauses: pauses + 1, quick };
  if (openMs >= MINUTE) return { pauses: 0, quick: 0 };
  return quick === 0 ? { pauses: 0, quick: 1 } : { pauses: pauses + 1, quick: quick + 1 };
}
