import { ClassifiedError } from "../../lib/retry.ts";
import { startOf } from "../../lib/text.ts";

/**
 * A message that was not delivered, classified where the vendor is known. The message names the vendor's answer and
 * never a secret; it is stored, logged and shown. It has no `cause`: errors of libraries may hold requests.
 */
export class DeliveryError extends ClassifiedError {
  override readonly name = "DeliveryError";
  /**
   * The failure in one word that stays the same when messages are reworded: `unreachable`, `http_503`, or one that the
   * notifier knows of its vendor, such as `channel_not_found`; `refused` for any other word of the vendor. It is stored
   * with the attempt and labels metrics, so there must be few.
   */
  readonly code: string;
  /** What a person can do about it, one sentence; null if all one can do is wait. */
  readonly advice: string | null;
  /** Whether any message to the same channel would have failed now: the vendor is down, or asks to wait. */
  readonly concernsChannel: boolean;
  constructor(
    message: string,
    outcome: {
      code: string;
      retryable: boolean;
      retryAfterMs?: number | null;
      advice?: string | null;
      concernsChannel?: boolean;
      secrets?: readonly string[];
    },
  ) {
    super(withoutSecrets(message, outcome.secrets ?? []), outcome);
    this.code = outcome.code;
    this.advice = outcome.advice ?? null;
    this.concernsChannel = outcome.concernsChannel ?? false;
  }
}

/** Servers may repeat what they were sent, in clear, in base64 or percent-encoded. Returns one short line. */
function withoutSecrets(message: string, secrets: readonly string[]): string {
  let text = message;
  for (const secret of secrets.filter((known) => known !== "")) {
    const base64 = Buffer.from(secret).toString("base64");
    for (const form of [secret, encodeURIComponent(secret), base64, base64.replace(/(?<!=)=+$/, "")]) {
      text = text.replaceAll(form, "[secret]");
    }
  }
  return startOf(text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim(), 300);
}
