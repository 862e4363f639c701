import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../lib/errors.ts";
import { SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";

/**
 * What has to be looked after now and then for as long as the program runs: which queries there are, and partitions for
 * the months to come. A source that is away does not keep the known queries from being worked on. Ends with `signal`.
 */
export async function refreshQueriesLoop(parts: {
  readonly refreshQueries: () => Promise<unknown>;
  readonly partitions: () => Promise<unknown>;
  /** Real time from one time to the next. */
  readonly everyMs: () => Promise<number>;
  readonly log: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { signal } = parts;
  while (!signal.aborted) {
    const isDone =
      (await tryTo(parts.partitions, parts, "the tables could not be kept; trying again soon")) &&
      (await tryTo(
        parts.refreshQueries,
        parts,
        "the queries of the source are not known; asking again soon",
      ));
    const everyMs = isDone ? await parts.everyMs().catch(() => SOON_MS) : SOON_MS;
    await delay(everyMs, undefined, { signal, ref: false }).catch(() => {});
  }
}

const SOON_MS = 15 * SECOND;

/** Whether it went well; what it failed with is told, unless it was told to stop. */
async function tryTo(
  work: () => Promise<unknown>,
  { log, signal }: { readonly log: Logger; readonly signal: AbortSignal },
  problem: string,
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (!signal.aborted) log.error({ error: describeError(error) }, problem);
    return false;
  }
}
