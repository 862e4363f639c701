import { counted } from "../../lib/counted.ts";
import { formatDuration } from "../../lib/duration.ts";
import { trimFullStops } from "../../lib/trim-full-stops.ts";
import type { Failure } from "../../model/failure.ts";

export type ReceiverVerdict =
  | { readonly outcome: "Works" }
  /** It failed, and it is too early to say that it keeps failing. */
  | { readonly outcome: "TriesAgain" }
  | { readonly outcome: "KeepsFailing"; readonly because: string }
  /** It works, and some messages were given up before or because of what is in them. */
  | { readonly outcome: "GaveUp"; readonly because: string }
  /** What no further try mends: a channel that is not there, a token that is not good. */
  | { readonly outcome: "Refuses"; readonly because: string };

const LEAST_TRIES = 3;

/** What the latest failures of one receiver mean; `failure` undefined after a success, `givenUp` where nothing was. */
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
      because: `receiver ${receiver} gets no messages: ${sentence(failure.message)} Once that is mended, earshot redeliver ${receiver} tells what was refused`,
    };
  if (failure.forMs < longestMs || failure.times < LEAST_TRIES) return { outcome: "TriesAgain" };
  const lost =
    givenUp === undefined
      ? "Its messages wait and are tried for two days"
      : `${counted(givenUp.n, "message")} ${givenUp.n === 1 ? "was" : "were"} tried for two days and given up; once it works, ${again} ${givenUp.n === 1 ? "it" : "them"} again. What is newer waits and is tried`;
  return {
    outcome: "KeepsFailing",
    because: `receiver ${receiver} has failed ${failure.times} times in ${formatDuration(failure.forMs)}: ${sentence(failure.message)} ${lost}`,
  };
}

/** What vendors say may end with a full stop of its own. */
function sentence(text: string): string {
  return `${trimFullStops(text)}.`;
}
