import { describeError } from "../../../lib/errors.ts";
import { createClient } from "./connect.ts";
import type { SlackConfig } from "./slack-config.ts";
import { slackErrorCode, toSlackDeliveryError } from "./slack-error.ts";

/** Asks Slack where a socket can be opened; `error` says why not, and what to do. */
export async function openSocketUrl(
  { appToken, apiUrl }: Pick<SlackConfig, "apiUrl"> & { readonly appToken: string },
  signal: AbortSignal,
): Promise<{ url: string } | { error: string }> {
  try {
    const { url } = await createClient(appToken, apiUrl, signal).apps.connections.open({});
    return url === undefined || url === "" ? { error: "Slack gave no address" } : { url };
  } catch (error) {
    const known = SOCKET_ADVICE[slackErrorCode(error) ?? ""];
    return { error: known ?? describeError(toSlackDeliveryError(error, [appToken])) };
  }
}

const APP_TOKEN =
  "the app-level token is not valid. Make a new one with the scope connections:write (Basic Information, App-Level Tokens) and put it into appToken";

/** What to do about Slack's error codes. */
const SOCKET_ADVICE: Readonly<Record<string, string>> = {
  invalid_auth: APP_TOKEN,
  not_authed: APP_TOKEN,
  token_revoked: APP_TOKEN,
  account_inactive: APP_TOKEN,
  not_allowed_token_type: APP_TOKEN,
  missing_scope: APP_TOKEN,
  forbidden: "Socket Mode is off for the app. Switch it on (Socket Mode, Enable Socket Mode)",
  socket_mode_not_enabled: "Socket Mode is off for the app. Switch it on (Socket Mode, Enable Socket Mode)",
};
