import { counted } from "../../lib/counted.ts";
import { formatDuration } from "../../lib/duration.ts";
import { trimFullStops } from "../../lib/trim-full-stops.ts";
import type { Failure } from "../../model/failure.ts";

export type ReceiverVerdict =
  | { readonly outcome: "Works" }
  /** It failed, but not for long enough to report it. */
  | { readonly outcome: "TriesAgain" }
  | { readonly outcome: "KeepsFailing"; readonly because: string }
  /** It works, but some messages were given up, earlier or because of their content. */
  | { readonly outcome: "GaveUp"; readonly because: string }
  /** No retry helps: the channel does not exist, the token is not valid. */
  | { readonly outcome: "Refuses"; readonly because: string };

const LEAST_TRIES = 3;

/** Judges the latest failures of a receiver; `failure`: undefined after a success; `givenUp`: undefined for none. */
export function checkReceiver(
  receiver: string,
  failure: Failure | undefined,
  longestMs: number,
  givenUp?: { readonly n: number; readonly error: string },
): ReceiverVerdict {
  const again = `earshot redeliver ${receiver} tries`;
  if (failure === undefined) {
    if (givenUp === undefined) return { outcome: "Works" };
    const { n, error } = givenUp;
    return {
      outcome: "GaveUp",
      because: `${counted(n, "message")} to ${receiver} ${n === 1 ? "was" : "were"} given up: ${sentence(error)} ${again} ${n === 1 ? "it" : "them"} again`,
    };
  }
  if (failure.final)
    return {
      outcome: "Refuses",
      because: `receiver ${receiver} gets no messages: ${sentence(failure.message)} Once that is fixed, earshot redeliver ${receiver} sends what was refused`,
    };
  if (failure.forMs < longestMs || failure.times < LEAST_TRIES) return { outcome: "TriesAgain" };
  const lost =
    givenUp === undefined
      ? "Its messages wait and are retried for two days"
      : `${counted(givenUp.n, "message")} ${givenUp.n === 1 ? "was" : "were"} tried for two days and given up; once it works, ${again} ${givenUp.n === 1 ? "it" : "them"} again. Newer messages wait and are retried`;
  return {
    outcome: "KeepsFailing",
    because: `receiver ${receiver} has failed ${failure.times} times in ${formatDuration(failure.forMs)}: ${sentence(failure.message)} ${lost}`,
  };
}

/** A vendor's text may already end with a full stop. */
function sentence(text: string): string {
  return `${trimFullStops(text)}.`;
}
