import { LogLevel, WebClient } from "@slack/web-api";
import { describeError } from "../../../../lib/errors.ts";
import type { CheckNote, NotifierDeps } from "../../define-notifier.ts";
import type { SlackConfig } from "./slack-config.ts";
import { slackErrorCode, toSlackDeliveryError } from "./slack-error.ts";

export interface Connection extends NotifierDeps {
  readonly config: SlackConfig;
  readonly client: WebClient;
  readonly signal: AbortSignal;
}

/** Runs with its own client. Any error becomes a DeliveryError without secrets. */
export async function withSlack<T>(
  config: SlackConfig,
  deps: NotifierDeps,
  signal: AbortSignal,
  run: (connection: Connection) => Promise<T>,
): Promise<T> {
  try {
    return await run({ ...deps, config, client: createClient(config.token, config.apiUrl, signal), signal });
  } catch (error) {
    throw toSlackDeliveryError(error, secretsOf(config));
  }
}

export function secretsOf({ token, appToken, signingSecret }: SlackConfig): readonly string[] {
  return [token, appToken ?? "", signingSecret ?? ""];
}

/**
 * A client for one delivery. The SDK must not retry, because the queue does: on a 429 the SDK would hold back its whole
 * queue, and a busy channel would delay a critical one.
 */
export function createClient(token: string, apiUrl: string, signal: AbortSignal): WebClient {
  return new WebClient(token, {
    slackApiUrl: apiUrl.endsWith("/") ? apiUrl : `${apiUrl}/`,
    allowAbsoluteUrls: false,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: TIMEOUT_MS,
    logger: SILENT,
    fetch: (url, init) => {
      const signals = [signal, init?.signal].filter((one) => one !== undefined);
      return fetch(url, { ...init, signal: AbortSignal.any(signals) });
    },
  });
}

const TIMEOUT_MS = 15_000;

/** The SDK's own logger would write to the console, bodies included. */
export const SILENT = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  setName: () => {},
  getLevel: () => LogLevel.ERROR,
};

/**
 * The id of a channel that is configured by name: `chat.postMessage` takes names, everything else needs ids. Null if
 * the app sees no such channel. An id is returned as it is, without a call.
 */
export async function findChannelId(client: WebClient, channel: string): Promise<string | null> {
  if (/^[CDG][A-Z0-9]{7,}$/.test(channel)) return channel;
  const name = channel.replace(/^#/, "");
  let cursor: string | undefined;
  let last: string | undefined;
  do {
    last = cursor;
    const answer = await client.conversations.list({
      exclude_archived: true,
      limit: 500,
      types: "public_channel,private_channel",
      ...(cursor && { cursor }),
    });
    const found = answer.channels?.find((candidate) => candidate.name === name);
    if (found?.id !== undefined) return found.id;
    cursor = answer.response_metadata?.next_cursor || undefined;
    // A place that comes twice leads nowhere.
  } while (cursor !== undefined && cursor !== last);
  return null;
}

/** Asks Slack where a socket can be opened; `error` says why not, and what to do. */
export async function openSocketUrl(
  { appToken, apiUrl }: Pick<SlackConfig, "apiUrl"> & { readonly appToken: string },
  signal: AbortSignal,
): Promise<{ url: string } | { error: string; final: boolean }> {
  try {
    const { url } = await createClient(appToken, apiUrl, signal).apps.connections.open({});
    return url === undefined || url === "" ? { error: "Slack gave no address", final: false } : { url };
  } catch (error) {
    const known = SOCKET_ADVICE[slackErrorCode(error) ?? ""];
    const message = known ?? describeError(toSlackDeliveryError(error, [appToken]));
    return { error: message, final: known !== undefined };
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

/** Finds what the installed app cannot do, and whether its app-level token opens a socket. Sends no message. */
export async function checkSlack(connection: Connection): Promise<readonly CheckNote[]> {
  const { client, config, signal } = connection;
  const answer = await client.auth.test();
  const scopes = answer.response_metadata?.scopes ?? null;
  // If Slack does not list the app's scopes, none are reported as missing; a refused message will name them.
  const missing = scopes === null ? [] : Object.keys(SCOPES).filter((scope) => !scopes.includes(scope));
  const { appToken, apiUrl } = config;
  const socket = appToken === undefined ? {} : await openSocketUrl({ appToken, apiUrl }, signal);
  return [
    ...("error" in socket
      ? [{ found: "its buttons do nothing: no socket can be opened", advice: `${socket.error}.` }]
      : []),
    ...missing.map((scope) => ({
      found: `the Slack app lacks the scope ${scope}: ${SCOPES[scope as keyof typeof SCOPES]}`,
      advice: "Add it (slack-app-manifest.yaml has them all) and install the app again.",
    })),
  ];
}

/** What fails without each scope. */
export const SCOPES = {
  "chat:write": "it cannot post",
  "channels:read": "it cannot find a channel by its name",
  "channels:history": "after a crash it may post a message twice",
  "groups:read": "it cannot find a private channel by its name",
  "groups:history": "after a crash it may post a message twice in a private channel",
  "files:write": "messages bring no charts",
  "users:read": "an alert is given to an id instead of a name",
} as const;
