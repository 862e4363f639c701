import { formatDuration } from "../../../lib/duration.ts";
import { counted } from "../../../lib/numbers.ts";
import { sentence } from "../../../lib/text.ts";
import type { Failure, OpenBounces } from "../../model/failure.ts";
import type { HealthProblem } from "../../model/operator-rules.ts";
import type { HealthCheck } from "../define-check.ts";

type ReceiverVerdict =
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
      because: `${counted(n, "message")} did not reach ${receiver} and ${n === 1 ? "is" : "are"} not tried again: ${sentence(error)} Newer ones arrive. ${again} ${n === 1 ? "it" : "them"} once more`,
    };
  }
  if (failure.final)
    return {
      outcome: "Refuses",
      because: `receiver ${receiver} gets no messages: ${sentence(failure.message)} What was refused is kept, and is not tried again by itself: once this is fixed, earshot redeliver ${receiver} sends it`,
    };
  if (failure.forMs < longestMs || failure.times < LEAST_TRIES) return { outcome: "TriesAgain" };
  const kept =
    givenUp === undefined
      ? "Its messages are kept and tried again for at least two days"
      : `${counted(givenUp.n, "message")} ${givenUp.n === 1 ? "was" : "were"} tried for two days and given up: once it works, ${again} ${givenUp.n === 1 ? "it" : "them"} once more. Newer ones are kept and tried again`;
  return {
    outcome: "KeepsFailing",
    because: `receiver ${receiver} gets no messages: ${failure.times} tries have failed in ${formatDuration(failure.forMs)}. The last error: ${sentence(failure.message)} ${kept}`,
  };
}

type BouncesVerdict =
  | { readonly outcome: "Reaches" }
  /** One bounce may be an accident of the other server. */
  | { readonly outcome: "CameBackOnce" }
  | { readonly outcome: "ComesBack"; readonly because: string };

const LEAST_BOUNCES = 2;

/** Judges the mails that bounced for good; `current` is the configured address, undefined for none. */
function checkBounces(bounces: OpenBounces, current: string | undefined): BouncesVerdict {
  const { receiver, to, times, detail } = bounces;
  // The address was changed: nothing is left to do.
  if (to !== current) return { outcome: "Reaches" };
  if (times < LEAST_BOUNCES) return { outcome: "CameBackOnce" };
  return {
    outcome: "ComesBack",
    because: `receiver ${receiver} does not get its mails: ${times} to ${to} came back. The newest said: ${sentence(detail)} Nobody has read these mails, and new ones are still sent to this address. Correct it in earshot.yaml, or have the mailbox repaired`,
  };
}

/** Receivers that do not get their messages. */
export const receiverCheck: HealthCheck = (health, settings) =>
  health.receivers.flatMap((receiver): HealthProblem[] => {
    const failure = health.failures.find((one) => one.kind === "receiver" && one.scope === receiver);
    const givenUp = health.givenUp.find((one) => one.receiver === receiver);
    const verdict = checkReceiver(receiver, failure, settings.receiverFails, givenUp);
    if (verdict.outcome === "GaveUp") {
      // The label is not `receiver`: this receiver works, and may get the alert itself.
      const labels = { messagesTo: receiver };
      const { since = health.now, n = 0 } = givenUp ?? {};
      return [
        { rule: "messages-given-up", labels, since, because: verdict.because, values: { messages: n } },
      ];
    }
    if (verdict.outcome === "Works" || verdict.outcome === "TriesAgain") return [];
    const since = failure?.since ?? health.now;
    const values = { failures: failure?.times ?? 0 };
    return [{ rule: "receiver-fails", labels: { receiver }, since, because: verdict.because, values }];
  });

/** Mails that came back. */
export const bounceCheck: HealthCheck = ({ bounces, addresses }) =>
  bounces.flatMap((open): HealthProblem[] => {
    const { receiver, since, times } = open;
    const verdict = checkBounces(open, addresses.get(receiver));
    if (verdict.outcome !== "ComesBack") return [];
    const values = { bounces: times };
    return [{ rule: "receiver-bounces", labels: { receiver }, since, because: verdict.because, values }];
  });

/** Messages without their charts. The label is not `receiver`: this receiver works, and may get the alert itself. */
export const pictureCheck: HealthCheck = (health) =>
  health.failures
    .filter(({ kind, scope }) => kind === "extra" && health.receivers.includes(scope))
    .map(({ scope, since, message }) => ({
      rule: "pictures-left-out" as const,
      labels: { messagesTo: scope },
      since,
      because: `messages to ${scope} come without charts: ${sentence(message)} Everything else in them arrives`,
      values: {},
    }));
