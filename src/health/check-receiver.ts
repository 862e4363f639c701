import { formatDuration } from "../lib/duration.ts";
import type { Failure } from "../model/failure.ts";

export type ReceiverVerdict =
  | { readonly outcome: "Works" }
  /** It failed, and it is too early to say that it keeps failing. */
  | { readonly outcome: "TriesAgain" }
  | { readonly outcome: "KeepsFailing"; readonly because: string }
  /** What no further try mends: a channel that is not there, a token that is not good. */
  | { readonly outcome: "Refuses"; readonly because: string };

const LEAST_TRIES = 3;

/** What the latest failures of one receiver mean; `failure` undefined after a success. */
export function checkReceiver(
  receiver: string,
  failure: Failure | undefined,
  longestMs: number,
): ReceiverVerdict {
  if (failure === undefined) return { outcome: "Works" };
  if (failure.final)
    return {
      outcome: "Refuses",
      because: `receiver ${receiver} gets no messages: ${failure.message}. Once that is mended, earshot redeliver ${receiver} tells what was refused`,
    };
  if (failure.forMs < longestMs || failure.times < LEAST_TRIES) return { outcome: "TriesAgain" };
  return {
    outcome: "KeepsFailing",
    because: `receiver ${receiver} has failed ${failure.times} times in ${formatDuration(failure.forMs)}: ${failure.message}. Its messages wait and are tried for two days`,
  };
}
