import { MINUTE } from "../../../lib/instant.ts";

/** How a socket ended, as far as the next one needs it. */
export interface EndedSocket {
  /** How long it was open; null if it never opened. */
  readonly openMs: number | null;
}

/**
 * The number of pauses in a row before the next socket, its own included: 0 opens it at once. A socket that was open is
 * replaced at once, but a second time only if it lasted. Otherwise sockets that a proxy (or too many others) closes
 * immediately would be opened a thousand times a minute.
 */
export function afterSocket(
  { pauses, quick }: { readonly pauses: number; readonly quick: number },
  { openMs }: EndedSocket,
): { readonly pauses: number; readonly quick: number } {
  if (openMs === null) return { pauses: pauses + 1, quick };
  if (openMs >= MINUTE) return { pauses: 0, quick: 0 };
  return quick === 0 ? { pauses: 0, quick: 1 } : { pauses: pauses + 1, quick: quick + 1 };
}
