import { describeError } from "../../lib/errors.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { repeat } from "../../lib/repeat.ts";
import { SourceError } from "../source/source-error.ts";
import type { Stores } from "../store/stores.ts";
import type { OpenSource } from "./open-source.ts";

type EditFailure =
  /** Later again. */
  | { readonly outcome: "Retry"; readonly afterMs: number }
  /** The server has no such call, or this login may not edit: it is asked again once a day. */
  | { readonly outcome: "NotSupported"; readonly afterMs: number }
  | { readonly outcome: "GivenUp" };

/** Two days of tries, as for a message. */
const MOST_TRIES = 24;
/** A server that refuses is asked again on so many days. */
const MOST_DAYS = 3;

/** Whether a correction that could not be written is tried again. `attempts`: this one is counted. */
export function decideEdit(error: SourceError, attempts: number): EditFailure {
  const isRefusal =
    error.kind === "not-found" || error.kind === "forbidden" || error.status === 405 || error.status === 501;
  if (isRefusal)
    return attempts < MOST_DAYS ? { outcome: "NotSupported", afterMs: DAY } : { outcome: "GivenUp" };
  if (error.kind === "over-budget") return { outcome: "Retry", afterMs: error.retryAfterMs ?? MINUTE };
  if (error.kind === "rejected" || error.kind === "too-large" || attempts >= MOST_TRIES)
    return { outcome: "GivenUp" };
  // Written twice it changes nothing, so also what may have been done is tried again.
  return { outcome: "Retry", afterMs: error.retryAfterMs ?? Math.min(3 * HOUR, 10 * SECOND * 2 ** attempts) };
}

interface Parts {
  readonly stores: Pick<Stores, "sourceEdits">;
  readonly source: Pick<OpenSource, "config" | "background" | "pages">;
  readonly log: Logger;
  /** Ends it. */
  readonly signal: AbortSignal;
}

/** Writes what people corrected to the account, where it wants that, until `signal`. Calls wait for their slot as all others do. */
export async function writeCorrections(parts: Parts): Promise<void> {
  const { signal, log, source } = parts;
  if (!source.config.writeCorrections) return;
  await repeat({
    work: async () => {
      while (!signal.aborted && (await writeNext(parts)) === "Written");
    },
    everyMs: async () => 5 * SECOND,
    problem: "corrections could not be written to the account; trying again",
    ...{ log, signal },
  });
}

/** Writes the oldest correction that is due. */
export async function writeNext({
  stores: { sourceEdits },
  source,
  log,
  signal,
}: Parts): Promise<"Written" | "NothingDue" | EditFailure["outcome"]> {
  const claim = await sourceEdits.claim();
  if (claim === null) return "NothingDue";
  const { projectId, queryId, resourceId, edit, attempts } = claim;
  const { quirkLog } = source.pages;
  try {
    await source.background.extensions.editMention({ projectId, queryId, resourceId, edit }, { signal });
    await sourceEdits.settle(claim);
    await quirkLog.note([{ quirk: "edits", value: "accepted" }]);
    return "Written";
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const decided = decideEdit(error, attempts);
    const problem = describeError(error);
    await sourceEdits.postpone(claim, decided.outcome === "GivenUp" ? null : decided.afterMs, problem);
    if (decided.outcome === "NotSupported") await quirkLog.note([{ quirk: "edits", value: "refused" }]);
    const what = { projectId, queryId, resourceId, problem };
    if (decided.outcome === "GivenUp")
      log.error(what, "a correction was not written to the account: correct it there");
    else log.warn({ ...what, againInMs: decided.afterMs }, "a correction is not written to the account yet");
    return decided.outcome;
  }
}
