import { createHmac } from "node:crypto";
import { once } from "node:events";
import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { z } from "zod";
import { toIso } from "../../lib/instant.ts";
import { defineNotifier, type NotifierDeps, type NotifierMessage } from "../define-notifier.ts";
import { DeliveryError } from "../delivery-error.ts";

const WebhookConfig = z.strictObject({
  kind: z.literal("webhook"),
  /** Treated as a secret: many services put their key into it. */
  url: z.url({ protocol: /^https?$/ }),
  /** Signs each body: `X-Earshot-Signature: sha256=<HMAC of "<timestamp>.<body>">`. */
  secret: z.string().min(1).exactOptional(),
});
type WebhookConfig = z.output<typeof WebhookConfig>;

/** The view as JSON to an address. `Idempotency-Key` is the notification's id, the same on every try. */
export const webhook = defineNotifier({
  kind: "webhook",
  config: WebhookConfig,
  create: (config, deps) => ({
    send: async (message, { signal }) => {
      const response = await post(config, request(message, config, deps), signal);
      await response.body?.cancel();
      judge(response);
      return { vendorRef: { status: String(response.status) } };
    },
    // An unknown server cannot be asked whether it would take a message; whether it is there, it can.
    check: ({ signal }) => knock(config, signal),
    close: async () => {},
  }),
});

function request(message: NotifierMessage, config: WebhookConfig, { clock }: NotifierDeps): RequestInit {
  const { notificationId, kind, view } = message;
  const sentAt = toIso(clock.now());
  const body = JSON.stringify({
    version: 1,
    notificationId,
    kind,
    sentAt,
    ...(kind === "digest" ? { digest: view } : { alert: view }),
  });
  const signature =
    config.secret &&
    `sha256=${createHmac("sha256", config.secret).update(`${sentAt}.${body}`).digest("hex")}`;
  return {
    method: "POST",
    body,
    // A redirect could lead into the network that Earshot stands in.
    redirect: "manual",
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "Earshot",
      "Idempotency-Key": notificationId,
      ...(signature && { "X-Earshot-Timestamp": sentAt, "X-Earshot-Signature": signature }),
    },
  };
}

/** Connects as a message would (with TLS where the address says so), and says nothing. */
async function knock({ url, secret }: WebhookConfig, signal: AbortSignal): Promise<void> {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const address = { host, port: Number(port) || (isTls ? 443 : 80) };
  const socket = isTls
    ? connectTls({ ...address, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectPlain(address);
  try {
    await once(socket, isTls ? "secureConnect" : "connect", {
      signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
    });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "no answer in time";
    throw new DeliveryError(`The webhook's server cannot be reached: ${code}`, {
      retryable: true,
      advice: "Check the receiver's address, and whether this machine may reach it.",
      secrets: [url, secret ?? ""],
    });
  } finally {
    // What breaks now is of no interest any more.
    socket.on("error", () => {});
    socket.destroy();
  }
}

async function post(config: WebhookConfig, init: RequestInit, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(config.url, {
      ...init,
      signal: AbortSignal.any([signal, AbortSignal.timeout(15_000)]),
    });
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const code = cause instanceof Error && "code" in cause ? String(cause.code) : "no answer in time";
    throw new DeliveryError(`The webhook's server cannot be reached: ${code}`, {
      retryable: true,
      secrets: [config.url, config.secret ?? ""],
    });
  }
}

function judge(response: Response): void {
  if (response.ok) return;
  const isRetryable = response.status >= 500 || [408, 425, 429].includes(response.status);
  const seconds = Number.parseInt(response.headers.get("retry-after") ?? "", 10);
  throw new DeliveryError(`The webhook's server answered HTTP ${response.status}`, {
    retryable: isRetryable,
    retryAfterMs: seconds > 0 ? seconds * 1000 : null,
    advice: isRetryable
      ? null
      : "Check the receiver's address, and that its service takes this kind of message.",
  });
}
