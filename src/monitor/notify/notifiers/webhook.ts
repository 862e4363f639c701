import { createHmac } from "node:crypto";
import { z } from "zod";
import type { Issue } from "../../../lib/errors.ts";
import { HttpAddress } from "../../../lib/http-address.ts";
import { toIso } from "../../../lib/instant.ts";
import { readJson, stableHash } from "../../../lib/json.ts";
import { isPrivateUrl } from "../../../lib/public-agent.ts";
import {
  type ChannelLimit,
  defineNotifier,
  type NotifierDeps,
  type NotifierMessage,
} from "../define-notifier.ts";
import { createHttpPost, type HttpPost } from "../http-post.ts";

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
  faults: addressFaults,
  rehearse: {
    config: (_, { httpUrl }) => ({ kind: "webhook", url: httpUrl, allowPrivateAddress: true }),
    isOf: (request, id) => request.by === "http" && Object(readJson(request.body))["notificationId"] === id,
  },
  create: (config, deps) => {
    const { url, secret = "", allowPrivateAddress } = config;
    const server = createHttpPost(url, {
      what: "The webhook's server",
      allowPrivateAddress,
      secrets: [url, secret],
    });
    return {
      send: async (message, { signal, beforePost }) => {
        await beforePost?.();
        const { status } = await server.post(request(message, config, deps), signal);
        return { vendorRef: { status: String(status) } };
      },
      correct: async (message, _sent, { signal, version }) => {
        await server.post(request(message, config, deps, version), signal);
      },
      // An unknown server cannot be asked whether it would accept a message, only whether it is reachable.
      check: ({ signal }) => server.reach(signal),
      close: server.close,
    };
  },
});

/** A name is looked up when it is called; an address can be judged before the first message is refused. */
function addressFaults({ url, allowPrivateAddress }: WebhookConfig): readonly Issue[] {
  if (allowPrivateAddress || !isPrivateUrl(url)) return [];
  return [
    {
      path: ["url"],
      message:
        "this address leads into a private network, where nothing is sent: add allowPrivateAddress: true if it is meant",
    },
  ];
}

/**
 * Receivers with the same address share a limit: they wait together while its server is down. The rate is one that any
 * server can take. The key holds a hash, because the address is a secret.
 */
function serverLimit({ url }: WebhookConfig): ChannelLimit {
  return { key: `webhook ${stableHash(url)}`, everyMs: 10, burst: 100 };
}

/** `correction`: counts how often the content of this message had to be replaced; 0 for the message itself. */
function request(
  message: NotifierMessage,
  config: WebhookConfig,
  { clock }: NotifierDeps,
  correction = 0,
): HttpPost {
  const { notificationId, kind, view } = message;
  const sentAt = toIso(clock.now());
  const body = JSON.stringify({
    version: 2,
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
