import { setTimeout as delay } from "node:timers/promises";
import { describeError } from "../lib/errors.ts";
import { SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";

/**
 * Regular upkeep while the program runs: the list of queries, and partitions for the months to come. Known queries are
 * polled even if the source does not list them just now. Ends with `signal`.
 */
export async function refreshQueriesLoop(parts: {
  readonly refreshQueries: () => Promise<unknown>;
  readonly partitions: () => Promise<unknown>;
  /** Real time between two runs. */
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

/** Whether it succeeded; the failure is logged, unless it was asked to stop. */
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
