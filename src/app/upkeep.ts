import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../lib/errors.ts";
import { MINUTE, SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";

/**
 * What has to be looked after now and then for as long as the program runs: which queries there are, and partitions for
 * the months to come. A source that is away does not keep the known queries from being worked on. Ends with `signal`.
 */
export async function keepUp(parts: {
  readonly refreshQueries: () => Promise<unknown>;
  readonly partitions: () => Promise<unknown>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  while (!parts.signal.aborted) {
    let isWell = true;
    try {
      await parts.partitions();
      await parts.refreshQueries();
    } catch (error) {
      if (parts.signal.aborted) return;
      isWell = false;
      parts.log.error(
        { error: describeError(error) },
        "the queries of the source are not known; asking again soon",
      );
    }
    await delay(isWell ? 10 * MINUTE : 15 * SECOND, undefined, { signal: parts.signal, ref: false }).catch(
      () => {},
    );
  }
}
