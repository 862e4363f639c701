import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../lib/errors.ts";
import { SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";

/**
 * What has to be looked after now and then for as long as the program runs: which queries there are, and partitions for
 * the months to come. A source that is away does not keep the known queries from being worked on. Ends with `signal`.
 */
export async function keepUp(parts: {
  readonly refreshQueries: () => Promise<unknown>;
  readonly partitions: () => Promise<unknown>;
  /** Real time from one time to the next. */
  readonly everyMs: () => Promise<number>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  while (!parts.signal.aborted) {
    let everyMs = 15 * SECOND;
    try {
      await parts.partitions();
      await parts.refreshQueries();
      everyMs = await parts.everyMs();
    } catch (error) {
      if (parts.signal.aborted) return;
      parts.log.error(
        { error: describeError(error) },
        "the queries of the source are not known; asking again soon",
      );
    }
    await delay(everyMs, undefined, { signal: parts.signal, ref: false }).catch(() => {});
  }
}
