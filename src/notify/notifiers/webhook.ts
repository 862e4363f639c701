import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Agent, type Dispatcher, request as requestUrl } from "undici";
import { z } from "zod";
import { systemClock } from "../../lib/clock.ts";
import { HttpAddress } from "../../lib/http-address.ts";
import { toIso } from "../../lib/instant.ts";
import { stableHash } from "../../lib/json.ts";
import { createAgent, PrivateAddressError, publicLookup } from "../../lib/public-agent.ts";
import { readRetryAfter } from "../../lib/retry.ts";
import {
  type ChannelLimit,
  defineNotifier,
  type NotifierDeps,
  type NotifierMessage,
} from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";

const WebhookConfig = z.strictObject({
  kind: z.literal("webhook").describe("Posts every change as JSON to an address."),
  url: HttpAddress.meta({
    // Many services put their key into it.
    writeOnly: true,
    description: "Address that gets the posts. A secret: it is never logged or shown.",
  }),
  /** Signs each body: `X-Earshot-Signature: sha256=<HMAC of "<timestamp>.<body>">`. */
  secret: z
    .string()
    .min(1)
    .exactOptional()
    .meta({ writeOnly: true, description: "Signs each body, in the header X-Earshot-Signature." }),
  allowPrivateAddress: z
    .boolean()
    .default(false)
    .describe("Whether the address may lead into your own network, or to this machine."),
});
type WebhookConfig = z.output<typeof WebhookConfig>;

/** Posts the view as JSON to an address. `Idempotency-Key` is the notification's id, the same on every try. */
export const webhook = defineNotifier({
  kind: "webhook",
  config: WebhookConfig,
  words: {
    checked: "its server is reachable (only a message shows whether it accepts our messages)",
    sent: "the webhook's server took the request",
  },
  // Each change has its own key, and a program may act on every one of them.
  readByProgram: true,
  channel: serverLimit,
  rehearse: (_, { webhookUrl }) => ({ kind: "webhook", url: webhookUrl, allowPrivateAddress: true }),
  create: (config, deps) => {
    const connections = connect(config);
    return {
      send: async (message, { signal, beforePost }) => {
        await beforePost?.();
        const response = await post(connections, config, request(message, config, deps), signal);
        await response.body.dump();
        judge(response);
        return { vendorRef: { status: String(response.statusCode) } };
      },
      correct: async (message, _sent, { signal, version }) => {
        const response = await post(connections, config, request(message, config, deps, version), signal);
        await response.body.dump();
        judge(response);
      },
      // An unknown server cannot be asked whether it would accept a message, only whether it is reachable.
      check: async ({ signal }) => {
        if (connections instanceof DeliveryError) throw connections;
        await knock(config, signal);
      },
      close: async () => {
        if (!(connections instanceof DeliveryError)) await connections.destroy();
      },
    };
  },
});

/**
 * Receivers with the same address share a limit: they wait together while its server is down. The rate is one that any
 * server can take. The key holds a hash, because the address is a secret.
 */
function serverLimit({ url }: WebhookConfig): ChannelLimit {
  return { key: `webhook ${stableHash(url)}`, everyMs: 10, burst: 100 };
}

/** A refused address is reported with every delivery, where people look, and stops nothing else. */
function connect({ url, allowPrivateAddress }: WebhookConfig): Agent | DeliveryError {
  try {
    return createAgent(url, allowPrivateAddress);
  } catch (error) {
    if (!(error instanceof PrivateAddressError)) throw error;
    return refused();
  }
}

function refused(): DeliveryError {
  return new DeliveryError("The webhook's address leads into a private network", {
    retryable: false,
    advice: "Set allowPrivateAddress: true at the receiver if that is meant.",
  });
}

interface Request {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** `correction`: counts how often the content of this message had to be replaced; 0 for the message itself. */
function request(
  message: NotifierMessage,
  config: WebhookConfig,
  { clock }: NotifierDeps,
  correction = 0,
): Request {
  const { notificationId, kind, view } = message;
  const sentAt = toIso(clock.now());
  const body = JSON.stringify({
    version: 1,
    notificationId,
    kind,
    sentAt,
    ...(correction > 0 && { correction }),
    ...(kind === "digest" ? { digest: view } : { alert: view }),
  });
  const signature =
    config.secret &&
    `sha256=${createHmac("sha256", config.secret).update(`${sentAt}.${body}`).digest("hex")}`;
  return {
    body,
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Earshot",
      "Idempotency-Key": correction === 0 ? notificationId : `${notificationId}:${correction}`,
      ...basicLogin(config.url),
      ...(signature && { "X-Earshot-Timestamp": sentAt, "X-Earshot-Signature": signature }),
    },
  };
}

/** A name and a password in the address mean HTTP Basic, as everywhere. */
function basicLogin(url: string): { readonly Authorization?: string } {
  const { username, password } = new URL(url);
  if (username === "" && password === "") return {};
  const login = [username, password].map(decoded).join(":");
  return { Authorization: `Basic ${Buffer.from(login).toString("base64")}` };
}

/** A percent sign that is not part of an encoding stays as it is. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Connects as a message would (with TLS for https), and sends nothing. */
async function knock(
  { url, secret, allowPrivateAddress }: WebhookConfig,
  signal: AbortSignal,
): Promise<void> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const address = {
    host,
    port: Number(port) || (isTls ? 443 : 80),
    ...(allowPrivateAddress ? {} : { lookup: publicLookup }),
  };
  const socket = isTls
    ? connectTls({ ...address, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectPlain(address);
  try {
    await once(socket, isTls ? "secureConnect" : "connect", {
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EPRIVATE") throw refused();
    throw new DeliveryError(`The webhook's server cannot be reached: ${code}`, {
      retryable: true,
      advice: "Check the receiver's address, and whether this machine may reach it.",
      secrets: [url, secret ?? ""],
    });
  } finally {
    // Errors after the result are of no interest.
    socket.on("error", () => {});
    socket.destroy();
  }
}

/** Does not follow redirects: they could lead anywhere, and the signature is for this address only. */
async function post(
  connections: Agent | DeliveryError,
  config: WebhookConfig,
  { body, headers }: Request,
  signal: AbortSignal,
): Promise<Dispatcher.ResponseData> {
  if (connections instanceof DeliveryError) throw connections;
  try {
    return await requestUrl(config.url, {
      method: "POST",
      body,
      headers,
      dispatcher: connections,
      signal: AbortSignal.any([signal, AbortSignal.timeout(15_000)]),
    });
  } catch (error) {
    const code = codeOf(error);
    if (code === "EPRIVATE") throw refused();
    throw new DeliveryError(`The webhook's server cannot be reached: ${code}`, {
      retryable: true,
      // A server that does not answer in time may be slow because of this one message.
      concernsChannel: code !== NO_ANSWER,
      secrets: [config.url, config.secret ?? ""],
    });
  }
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error && "code" in cause && typeof cause.code === "string" ? cause.code : NO_ANSWER;
}

const NO_ANSWER = "no answer in time";

function judge({ statusCode, headers }: Dispatcher.ResponseData): void {
  if (statusCode >= 200 && statusCode < 300) return;
  const isRetryable = statusCode >= 500 || [408, 425, 429].includes(statusCode);
  const asked = headers["retry-after"];
  const now = systemClock.now();
  throw new DeliveryError(`The webhook's server answered HTTP ${statusCode}`, {
    retryable: isRetryable,
    // These codes mean that the server is down or takes nothing now. Any other may be caused by the message.
    concernsChannel: [429, 502, 503, 504].includes(statusCode),
    retryAfterMs: readRetryAfter(typeof asked === "string" ? asked : null, now),
    advice: isRetryable
      ? null
      : "Check the receiver's address, and that its service takes this kind of message.",
  });
}
