import { createHmac } from "node:crypto";
import { type Instant, MINUTE, SECOND } from "../../../lib/instant.ts";
import { isSameText } from "../../../lib/signed-text.ts";

/** A request as received, before any part of it is parsed. */
export interface SignedRequest {
  readonly body: string;
  /** `X-Slack-Request-Timestamp`: seconds. */
  readonly timestamp: string;
  /** `X-Slack-Signature`: `v0=…`. */
  readonly signature: string;
}

/** A request outside this range may be a recorded one that is sent again. */
const MOST_OFF_MS = 5 * MINUTE;

/** Whether a Slack app's signing secret signed the request recently. The comparison takes constant time. */
export function isSignedBySlack(
  secret: string,
  { body, timestamp, signature }: SignedRequest,
  now: Instant,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * SECOND) > MOST_OFF_MS) return false;
  const right = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return isSameText(signature, `v0=${right}`);
}
