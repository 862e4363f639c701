import { setTimeout as delay } from "node:timers/promises";
import { type Clock, monotonicMs } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import type { Logger } from "../../lib/log.ts";
import type { PollKey } from "../model/poll.ts";
import type { Queues } from "../queue/queues.ts";
import type { Stores } from "../store/stores.ts";
import { addPoll } from "./sweep.ts";

/** Queries of a source, by id, that mentions entered, and those whose mentions changed. */
export interface AnnouncedArrivals {
  readonly added: readonly string[];
  readonly updated: readonly string[];
}

export interface PollWaker {
  /** Polls these queries at once: by the same jobs, leases and budget as always. */
  wake(arrivals: AnnouncedArrivals): void;
  close(): Promise<void>;
}

/** A source that is never quiet is polled this often, and not after each of its commits. */
const PAUSE_MS = 100;

/**
 * Makes polls due and adds their jobs. What is announced meanwhile waits and goes together. A failure is only logged:
 * every poll is due by itself soon.
 */
export function createPollWaker(parts: {
  readonly stores: Pick<Stores, "polls">;
  readonly queues: Queues;
  readonly clock: Clock;
  readonly log: Logger;
}): PollWaker {
  const { stores, queues, clock, log } = parts;
  const announced = new Map<string, Pick<PollKey, "queryId" | "poll">>();
  const stopping = new AbortController();
  let waking: Promise<void> | null = null;

  const wakeAll = async (): Promise<void> => {
    // What one packet of the database announces goes together.
    await null;
    while (announced.size > 0 && !stopping.signal.aborted) {
      const keys = [...announced.values()];
      announced.clear();
      const startedAt = monotonicMs();
      try {
        const woken = await stores.polls.wake(keys, clock.now());
        await Promise.all(woken.map((key) => addPoll(queues.handOver, [key])));
      } catch (error) {
        log.warn({ error: describeError(error) }, "announced mentions were not polled at once");
      }
      const restMs = startedAt + PAUSE_MS - monotonicMs();
      if (restMs > 0) await delay(restMs, undefined, { signal: stopping.signal }).catch(() => {});
    }
    waking = null;
  };

  return {
    wake: ({ added, updated }) => {
      const note = (queryId: string, poll: PollKey["poll"]) =>
        announced.set(`${poll} ${queryId}`, { queryId, poll });
      for (const queryId of added) note(queryId, "added");
      for (const queryId of updated) note(queryId, "updated");
      waking ??= wakeAll();
    },
    close: async () => {
      stopping.abort();
      await waking;
    },
  };
}
