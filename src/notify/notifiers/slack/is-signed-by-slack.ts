import { createHmac } from "node:crypto";
import { type Instant, MINUTE, SECOND } from "../../../lib/instant.ts";
import { isSameText } from "../../../lib/is-same-text.ts";

/** A request as it came, before anybody read anything out of it. */
export interface SignedRequest {
  readonly body: string;
  /** `X-Slack-Request-Timestamp`: seconds. */
  readonly timestamp: string;
  /** `X-Slack-Signature`: `v0=…`. */
  readonly signature: string;
}

/** A request that is older, or from further ahead, may have been listened to and sent again. */
const MOST_OFF_MS = 5 * MINUTE;

/** Whether the request was signed with the signing secret of a Slack app, lately. The comparison tells nothing by its time. */
export function isSignedBySlack(
  secret: string,
  { body, timestamp, signature }: SignedRequest,
  now: Instant,
): boolean {
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now - Number(timestamp) * SECOND) > MOST_OFF_MS) return false;
  const right = createHmac("sha256", secret).update(`v0:${timestamp}:${body}`).digest("hex");
  return isSameText(signature, `v0=${right}`);
}
