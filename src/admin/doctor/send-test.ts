import {
  createNotifier,
  DeliveryError,
  definitionOf,
  type NotifierMessage,
  onCall,
  type ReceiverConfig,
  type Renderer,
  samples,
} from "#monitor";
import type { Clock } from "../../lib/clock.ts";
import type { Instant } from "../../lib/instant.ts";
import type { Logger } from "../../lib/log.ts";
import { uuid7 } from "../../lib/uuid7.ts";
import type { Config } from "../config/config.ts";

export type TestOutcome =
  | {
      readonly outcome: "Sent";
      readonly kind: string;
      /** What that means: `Slack took the message`. */
      readonly words: string;
      /** The vendor's answer: Slack's channel and ts, the mail server's answer, the webhook's status. */
      readonly answer: Readonly<Record<string, string>>;
    }
  | {
      readonly outcome: "Failed";
      readonly kind: string;
      /** `check`: the receiver would not work; `send`: the check passed, but the message was refused. */
      readonly step: "check" | "send";
      readonly error: string;
      readonly advice: string | null;
      /** Whether the monitor would try again. */
      readonly retryable: boolean;
    };

/** The receiver of that name; of a rotation the one on call now, whom an escalation would notify. */
export function receiverNamed(config: Pick<Config, "rotations">, name: string, now: Instant): string {
  const rotation = config.rotations.find((one) => one.name === name);
  return rotation === undefined ? name : onCall(rotation, now);
}

/** Sends a test message to one receiver, through the notifier that alerts use. Nothing is stored. */
export async function sendTest(
  receiver: ReceiverConfig,
  what: "alert" | "digest",
  parts: { readonly renderer: Renderer; readonly clock: Clock; readonly log: Logger },
): Promise<TestOutcome> {
  const notifier = createNotifier(receiver.notifier, parts);
  const { kind } = receiver.notifier;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  let step: "check" | "send" = "check";
  try {
    await notifier.check({ signal });
    step = "send";
    const { vendorRef } = await notifier.send(testMessage(what, parts.clock), { signal });
    return { outcome: "Sent", kind, words: definitionOf(receiver.notifier).words.sent, answer: vendorRef };
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    const { message, advice, retryable } = error;
    return { outcome: "Failed", kind, step, error: message, advice, retryable };
  } finally {
    await notifier.close();
  }
}

const TIMEOUT_MS = 30_000;

function testMessage(what: "alert" | "digest", clock: Clock): NotifierMessage {
  const common = { notificationId: uuid7(clock.now()), attempt: 1, previous: null };
  for (const sample of samples) {
    if (sample.about !== what) continue;
    if (sample.about === "digest") return { ...common, kind: "digest", view: sample.view };
    // Without a page: the alert of the sample does not exist.
    if (sample.view.kind === "test")
      return {
        ...common,
        kind: "test",
        alertId: uuid7(clock.now()),
        view: { ...sample.view, consoleUrl: null },
      };
  }
  throw new Error(`there is no sample of ${what}`);
}
