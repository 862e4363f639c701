import type { PollKey } from "../model/poll.ts";
import type { PollFailure } from "./poll-call.ts";
import type { PollParts } from "./poll-parts.ts";
import { type Polled, pollQueries } from "./poll-queries.ts";
import type { CallEnd } from "./read-call.ts";

export interface TogetherParts extends PollParts {
  /** A query that failed by itself, or makes a shared call fail, is polled alone until that succeeds. */
  readonly pollAlone: (keys: readonly PollKey[]) => Promise<void>;
}

export interface TogetherOutcome {
  readonly outcome: "together";
  readonly members: Polled["members"];
  /**
   * Whether the source answers one call for several queries, as far as this poll shows. Mentions of two of them are
   * proof, and so is a refusal; an empty answer shows nothing.
   */
  readonly sharing: "proven" | "refused" | "unknown";
}

/** Polls several queries of one project by shared calls, and stores what these show about the source. */
export async function pollTogether(
  parts: TogetherParts,
  keys: readonly PollKey[],
  signal: AbortSignal,
  proven: boolean,
): Promise<TogetherOutcome> {
  const { members, shared } = await pollQueries(parts, keys, signal, proven);
  const shown = whatShowed(shared, proven);
  if (shown.addresses !== null)
    await parts.source.quirkLog.note([{ quirk: "addresses", value: shown.addresses }]);
  if (shown.isMembersFault) {
    const failed = members.filter(({ result }) => result.outcome === "broken-off");
    await parts.pollAlone(failed.map(({ key }) => key));
  }
  return { outcome: "together", members, sharing: shown.sharing };
}

interface Shown {
  readonly sharing: TogetherOutcome["sharing"];
  /** Whether the server takes an address of more than SHORT ids; null if this does not show. */
  readonly addresses: "short" | "long" | null;
  /** Whether a member that failed may be the reason itself. */
  readonly isMembersFault: boolean;
}

/** What a shared call shows about the source. */
function whatShowed(call: CallEnd | null, proven: boolean): Shown {
  const failure = call?.failure ?? null;
  const isLong = call !== null && call.queries > SHORT;
  const isRefused = failure !== null && refusesSharing(failure);
  if (isLong && failure !== null && proven) {
    // The length of the address may be the reason, and then no query is at fault.
    const isTooLong = isRefused || failure.kind === "network";
    return { sharing: "unknown", addresses: isTooLong ? "short" : null, isMembersFault: false };
  }
  const addresses = isLong && failure === null ? "long" : null;
  // If the call itself failed temporarily, no query is at fault.
  const isMembersFault = failure === null || isRefused || isUnreadable(failure);
  const isProven = call !== null && call.seen >= 2;
  const sharing = isProven ? "proven" : isRefused && !proven ? "refused" : "unknown";
  return { sharing, addresses, isMembersFault };
}

/** As many ids as every server accepts in one address. */
const SHORT = 200;

/** The server may fail to send one mention of one query: when each is polled alone, it shows whose it is. */
function isUnreadable({ kind }: PollFailure): boolean {
  return kind === "malformed" || kind === "too-large";
}

/** Answers to a call for several queries where one for each may be accepted: their rights, or their number. */
function refusesSharing({ status }: PollFailure): boolean {
  return status !== null && [400, 403, 404, 413, 414, 422, 431, 494].includes(status);
}
