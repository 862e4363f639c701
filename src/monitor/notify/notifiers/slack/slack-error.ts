import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from "@slack/web-api";
import { systemClock } from "../../../../lib/clock.ts";
import { SECOND } from "../../../../lib/instant.ts";
import { LONGEST_WAIT_MS, readRetryAfter } from "../../../../lib/retry.ts";
import { DeliveryError } from "../../delivery-error.ts";

/** Turns an error of the SDK into a delivery error: whether a retry helps, and what a person can do. */
export function toSlackDeliveryError(error: unknown, secrets: readonly string[]): DeliveryError {
  if (error instanceof DeliveryError) return error;
  if (error instanceof WebAPIRateLimitedError) {
    const retryAfterMs = boundedWait(error.retryAfter);
    const howLong = retryAfterMs === null ? "" : ` ${error.retryAfter}s`;
    return new DeliveryError(`Slack asks us to wait${howLong} (rate limit)`, {
      code: "rate_limited",
      retryable: true,
      retryAfterMs,
      concernsChannel: true,
    });
  }
  if (isRefusalWithoutTime(error)) {
    return new DeliveryError("Slack asks us to wait, and does not say how long (rate limit)", {
      code: "rate_limited",
      retryable: true,
      concernsChannel: true,
    });
  }
  if (error instanceof WebAPIPlatformError) return fromPlatform(error, secrets);
  if (error instanceof WebAPIHTTPError) return fromStatus(error);
  if (error instanceof WebAPIRequestError) {
    return new DeliveryError(`Slack cannot be reached: ${reasonOf(error.original)}`, {
      code: "unreachable",
      retryable: true,
      concernsChannel: true,
      secrets,
    });
  }
  // The SDK wraps errors of the network. A TypeError comes from an answer that is not an object.
  if (error instanceof TypeError) return unreadableAnswer();
  return new DeliveryError(`Slack cannot be reached: ${reasonOf(error)}`, {
    code: "unreachable",
    retryable: true,
    concernsChannel: true,
    secrets,
  });
}

/** The answer is not one of Slack's: it is unknown whether the message got through. */
export function unreadableAnswer(): DeliveryError {
  return new DeliveryError("Slack's answer was not readable (a proxy in between?)", {
    code: "unreadable_answer",
    retryable: true,
    concernsChannel: true,
  });
}

/** The code of Slack's own answer, such as `channel_not_found`; null for failures of another kind. */
export function slackErrorCode(error: unknown): string | null {
  return error instanceof WebAPIPlatformError ? error.data.error : null;
}

function fromPlatform(error: WebAPIPlatformError, secrets: readonly string[]): DeliveryError {
  const code: unknown = error.data.error;
  // If the answer is no JSON, the SDK puts all of it here: a proxy's page, which helps nobody and may contain secrets.
  if (typeof code !== "string" || !/^[a-z][a-z0-9_-]{1,60}$/.test(code)) return unreadableAnswer();
  const advice = PERMANENT[code];
  const isKnown = advice !== undefined || AWAY.has(code);
  return new DeliveryError(`Slack refused the message: ${code}`, {
    // Only words of the lists below: whatever answers in Slack's place must not make labels of metrics.
    code: isKnown ? code : "refused",
    // An unknown refusal may be temporary: a few useless tries are better than an alert that nobody sees.
    retryable: advice === undefined,
    retryAfterMs: boundedWait(error.data.response_metadata?.retryAfter ?? 0),
    advice: advice ?? null,
    concernsChannel: AWAY.has(code),
    secrets,
  });
}

function fromStatus(error: WebAPIHTTPError): DeliveryError {
  if (error.statusCode < 400) return unreadableAnswer();
  const isPermanent = error.statusCode < 500 && ![408, 425, 429].includes(error.statusCode);
  return new DeliveryError(`Slack answered HTTP ${error.statusCode}`, {
    code: `http_${error.statusCode}`,
    retryable: !isPermanent,
    retryAfterMs: readRetryAfter(error.headers["retry-after"] ?? null, systemClock.now()),
    concernsChannel: !isPermanent,
    advice: isPermanent ? "Check the receiver's apiUrl, and any proxy between Earshot and Slack." : null,
  });
}

/** At most `LONGEST_WAIT_MS`; null, for our own back-off, if the time is not positive. */
function boundedWait(seconds: number): number | null {
  return seconds > 0 ? Math.min(seconds * SECOND, LONGEST_WAIT_MS) : null;
}

/** The SDK throws a plain error for a 429 whose `Retry-After` is missing or no number. */
function isRefusalWithoutTime(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith("Retry header did not contain");
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return "unknown reason";
  const cause = error.cause instanceof Error ? `: ${error.cause.message}` : "";
  return `${error.message}${cause}`;
}

const INVITE = "Check the channel's name or id and invite the app to it (/invite).";
const TOKEN = "Install the Slack app again and put its new bot token into the receiver.";
const SCOPE =
  "Give the Slack app the scopes that slack-app-manifest.yaml lists (chat:write first of all), then install it again.";
const PERMISSION =
  "Ask a Slack administrator to let the app post in this channel, or choose another channel.";
const REPORT =
  "The message broke a rule of Slack's: run the template check, and report it as a fault of Earshot.";

/** Slack itself has a problem: the next message would fail, too; a later one may not. */
const AWAY = new Set([
  "fatal_error",
  "internal_error",
  "rate_limited",
  "ratelimited",
  "request_timeout",
  "service_unavailable",
]);

/** Refusals that will be the same next time, with what to do about each. */
const PERMANENT: Readonly<Record<string, string>> = {
  channel_not_found: INVITE,
  not_in_channel: INVITE,
  is_archived: "The channel is archived: choose another one or bring it back.",
  invalid_auth: TOKEN,
  not_authed: TOKEN,
  account_inactive: TOKEN,
  token_revoked: TOKEN,
  token_expired: TOKEN,
  not_allowed_token_type: "The receiver needs a bot token (it begins with xoxb-).",
  missing_scope: SCOPE,
  no_permission: PERMISSION,
  access_denied: PERMISSION,
  ekm_access_denied: PERMISSION,
  restricted_action: PERMISSION,
  restricted_action_read_only_channel: PERMISSION,
  restricted_action_thread_only_channel: PERMISSION,
  restricted_action_non_threadable_channel: PERMISSION,
  team_access_not_granted: PERMISSION,
  two_factor_setup_required: PERMISSION,
  user_is_restricted: PERMISSION,
  cannot_reply_to_message: PERMISSION,
  is_inactive: "The channel is frozen: choose another one or ask a Slack administrator.",
  org_login_required:
    "The workspace is being moved to another organisation: wait until that is done, then check the receiver.",
  team_added_to_org:
    "The workspace is being moved to another organisation: wait until that is done, then check the receiver.",
  message_limit_exceeded:
    "The workspace may post no more messages (a limit of its Slack plan): ask a Slack administrator.",
  deprecated_endpoint: REPORT,
  method_deprecated: REPORT,
  invalid_arg_name: REPORT,
  invalid_array_arg: REPORT,
  invalid_charset: REPORT,
  invalid_form_data: REPORT,
  invalid_post_type: REPORT,
  missing_post_type: REPORT,
  duplicate_channel_not_found: REPORT,
  markdown_text_conflict: REPORT,
  invalid_arguments: REPORT,
  invalid_blocks: REPORT,
  invalid_blocks_format: REPORT,
  invalid_metadata_format: REPORT,
  invalid_metadata_schema: REPORT,
  metadata_too_large: REPORT,
  msg_too_long: REPORT,
  msg_blocks_too_long: REPORT,
  no_text: REPORT,
};
