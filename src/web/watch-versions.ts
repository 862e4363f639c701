import type { Clock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { floorTo, HOUR, SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { ConsoleFacts, FactPart } from "./facts.ts";

/** Parts of pages that live: those of the facts, and the volume, which is drawn anew at most every few seconds. */
export type LivePart = FactPart | "volume";
export type LiveVersions = Readonly<Record<LivePart, string>>;

export interface VersionWatch {
  /** The versions now, for a page that is about to be made. */
  current(): Promise<LiveVersions>;
  /** Calls back about once a second until it is stopped, with the newest versions. */
  listen(heard: (versions: LiveVersions) => void): () => void;
  listeners(): number;
  stop(): void;
}

const POLL_MS = SECOND;
const VOLUME_EVERY_MS = 5 * SECOND;

/**
 * Asks the facts for their versions once a second while somebody listens, however many do. `wall` paces the volume.
 */
export function watchVersions(
  facts: Pick<ConsoleFacts, "versions">,
  clocks: { readonly domain: Clock; readonly wall: Clock },
  log: Logger,
): VersionWatch {
  const listeners = new Set<(versions: LiveVersions) => void>();
  let timer: NodeJS.Timeout | undefined;
  /** Which run of the polling is the living one: a poll that was stopped while it asked must not go on. */
  let running: symbol | null = null;
  let volume = { token: "", at: Number.NEGATIVE_INFINITY };

  const read = async (): Promise<LiveVersions> => {
    const versions = await facts.versions();
    if (clocks.wall.now() - volume.at >= VOLUME_EVERY_MS) {
      const token = `${versions.mentions}${floorTo(clocks.domain.now(), HOUR)}`;
      if (token !== volume.token) volume = { token, at: clocks.wall.now() };
    }
    return { ...versions, volume: volume.token };
  };
  const poll = async (run: symbol) => {
    try {
      const versions = await read();
      if (run === running) for (const heard of [...listeners]) heard(versions);
    } catch (error) {
      // The page stays as it is; the next second asks again.
      log.warn({ reason: describeError(error) }, "the console could not ask what changed");
    }
    if (run === running) timer = setTimeout(poll, POLL_MS, run);
  };
  return {
    current: read,
    listen: (heard) => {
      listeners.add(heard);
      if (running === null) start();
      return () => {
        listeners.delete(heard);
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
