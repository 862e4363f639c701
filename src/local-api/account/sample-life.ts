import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "../../lib/clock.ts";
import { describeError } from "../../lib/errors.ts";
import { HOUR, type Instant } from "../../lib/instant.ts";
import type { LocalApiLog } from "../local-api-log.ts";
import { PAST_MS, type SampleWorld } from "./sample-world.ts";

/** The stream is written this far ahead; the API shows a mention when its moment has come. */
const AHEAD_MS = HOUR;
const FILL_EVERY_MS = 60_000;

/** The sample's mentions of the days before, and those that come as time goes by. */
export interface SampleLife {
  /** Writes the missing days, so that mentions dated before now no longer change. Ends early at `signal`. */
  begin(signal: AbortSignal, onHour: (hour: Instant | null) => void): Promise<void>;
  /** From now on writes whatever comes. Gives how to end that. */
  live(): () => Promise<void>;
}

export function createSampleLife(sample: SampleWorld, clock: Clock, log: LocalApiLog): SampleLife {
  // A sample that is started again after months does not fill all of them first.
  const beginAt = Math.max(sample.from, clock.now() - PAST_MS);
  const stream = sample.streamFrom(beginAt);

  async function goOn(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await delay(FILL_EVERY_MS, undefined, { signal }).catch(() => {});
      if (!signal.aborted) await stream.fillUntil(clock.now() + AHEAD_MS).catch(warn);
    }
  }

  function warn(error: unknown): void {
    log.warn({ error: describeError(error) }, "the sample could not live on");
  }

  return {
    async begin(signal, onHour) {
      const end = clock.now() + AHEAD_MS;
      // In steps, so that Ctrl-C need not wait for all of it; what is written is kept.
      for (let to = beginAt + 2 * HOUR; !signal.aborted; to += 2 * HOUR) {
        await stream.fillUntil(Math.min(to, end), onHour);
        if (to >= end) break;
      }
      onHour(null);
    },
    live() {
      const stopping = new AbortController();
      const living = goOn(stopping.signal);
      return async () => {
        stopping.abort();
        await living;
      };
    },
  };
}
