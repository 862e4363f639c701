import { once } from "node:events";

export type HangUps = ReturnType<typeof listenForHangUps>;

/** SIGHUPs of this process. Create it first of all: without a listener the signal ends the process. */
export function listenForHangUps(host: NodeJS.EventEmitter): {
  count(): number;
  next(signal: AbortSignal): Promise<unknown>;
} {
  let count = 0;
  host.on("SIGHUP", () => count++);
  return { count: () => count, next: (signal) => once(host, "SIGHUP", { signal }) };
}
