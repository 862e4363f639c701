import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { floorTo, HOUR, SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { ConsoleFacts, FactPart } from "./facts.ts";

/** The live parts of pages: those of the facts, and the volume, which is counted again at most every few seconds. */
export type LivePart = FactPart | "volume";
export type LiveVersions = Readonly<Record<LivePart, string>>;

export interface VersionWatch {
  /** The current versions, for a new page. */
  current(): Promise<LiveVersions>;
  /** Calls back about once a second with the newest versions, until stopped. */
  listen(listener: (versions: LiveVersions) => void): () => void;
  listeners(): number;
  stop(): void;
}

const POLL_MS = SECOND;

/**
 * Reads the versions of the facts once a second for all listeners together. The volume gets a new version only once a
 * fetch would count it again: earlier, a page would fetch the cached volume and get no further event.
 */
export function watchVersions(
  facts: Pick<ConsoleFacts, "versions">,
  clock: Clock,
  volume: { isOver(): boolean },
  log: Logger,
): VersionWatch {
  const listeners = new Set<(versions: LiveVersions) => void>();
  let timer: NodeJS.Timeout | undefined;
  /** The number of the current run: a stopped run whose query is still open must not go on. */
  let running: symbol | null = null;
  let counted = "";

  const read = async (): Promise<LiveVersions> => {
    const versions = await facts.versions();
    if (volume.isOver()) counted = `${versions.mentions}${floorTo(clock.now(), HOUR)}`;
    return { ...versions, volume: counted };
  };
  const poll = async (run: symbol) => {
    try {
      const versions = await read();
      if (run === running) for (const listener of [...listeners]) listener(versions);
    } catch (error) {
      // The page stays as it is; the next second tries again.
      log.warn({ reason: describeError(error) }, "the console could not ask what changed");
    }
    if (run === running) timer = setTimeout(poll, POLL_MS, run);
  };
  return {
    current: read,
    listen: (listener) => {
      listeners.add(listener);
      if (running === null) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    listeners: () => listeners.size,
    stop,
  };

  function start(): void {
    running = Symbol("run");
    timer = setTimeout(poll, POLL_MS, running);
  }

  function stop(): void {
    clearTimeout(timer);
    running = null;
  }
}
