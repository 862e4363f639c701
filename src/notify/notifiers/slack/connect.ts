import { LogLevel, WebClient } from "@slack/web-api";
import type { NotifierDeps } from "../../define-notifier.ts";
import type { SlackConfig } from "./slack-config.ts";
import { toSlackDeliveryError } from "./slack-error.ts";

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
