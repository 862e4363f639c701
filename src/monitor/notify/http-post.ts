import { once } from "node:events";
import { connect as connectPlain, isIP } from "node:net";
import { connect as connectTls } from "node:tls";
import { type Agent, type Dispatcher, request } from "undici";
import { systemClock } from "../../lib/clock.ts";
import { codeOf } from "../../lib/errors.ts";
import { createAgent, PrivateAddressError, publicLookup } from "../../lib/public-agent.ts";
import { readRetryAfter } from "../../lib/retry.ts";
import { DeliveryError } from "./delivery-error.ts";

/** What is posted. */
export interface HttpPost {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The server of a receiver, for notifiers that post over HTTP. Every failure is a `DeliveryError`. */
interface HttpPostServer {
  /** Resolves when the server has accepted the post. Follows no redirect: it could lead anywhere. */
  post(what: HttpPost, signal: AbortSignal): Promise<{ readonly status: number }>;
  /** Connects as a post would (with TLS for https), and sends nothing. */
  reach(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param what what the server is called in errors, such as "The webhook's server"
 * @param secrets removed from the texts of errors
 */
export function createHttpPost(
  url: string,
  {
    what,
    allowPrivateAddress,
    secrets,
  }: { readonly what: string; readonly allowPrivateAddress: boolean; readonly secrets: readonly string[] },
): HttpPostServer {
  const connections = connect(url, allowPrivateAddress);

  /** `concernsChannel`: the server is down for every message; one that is slow may be slow because of this message. */
  function unreachable(error: unknown, about: { advice?: string; concernsChannel?: boolean }): DeliveryError {
    const code = reasonOf(error);
    if (code === "EPRIVATE") return refused();
    return new DeliveryError(`${what} cannot be reached: ${code}`, {
      code: "unreachable",
      retryable: true,
      secrets,
      ...about,
    });
  }

  return {
    async post({ body, headers }, signal) {
      if (connections instanceof DeliveryError) throw connections;
      const response = await request(url, {
        method: "POST",
        body,
        headers,
        dispatcher: connections,
        signal: AbortSignal.any([signal, AbortSignal.timeout(15_000)]),
      }).catch((error: unknown) => {
        throw unreachable(error, { concernsChannel: reasonOf(error) !== NO_ANSWER });
      });
      await response.body.dump();
      judge(what, response);
      return { status: response.statusCode };
    },
    async reach(signal) {
      if (connections instanceof DeliveryError) throw connections;
      const socket = open(url, allowPrivateAddress);
      try {
        await once(socket, new URL(url).protocol === "https:" ? "secureConnect" : "connect", {
          signal: AbortSignal.any([signal, AbortSignal.timeout(10_000)]),
        });
      } catch (error) {
        const advice = "Check the receiver's address, and whether this machine may reach it.";
        throw unreachable(error, { advice });
      } finally {
        // Errors after the result are of no interest.
        socket.on("error", () => {});
        socket.destroy();
      }
    },
    async close() {
      if (!(connections instanceof DeliveryError)) await connections.destroy();
    },
  };
}

/** A refused address is reported with every delivery, where people look, and stops nothing else. */
function connect(url: string, allowPrivateAddress: boolean): Agent | DeliveryError {
  try {
    return createAgent(url, allowPrivateAddress);
  } catch (error) {
    if (!(error instanceof PrivateAddressError)) throw error;
    return refused();
  }
}

function refused(): DeliveryError {
  return new DeliveryError("The receiver's address leads into a private network", {
    code: "private_address",
    retryable: false,
    advice: "Set allowPrivateAddress: true at the receiver if that is meant.",
  });
}

function open(url: string, allowPrivateAddress: boolean) {
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "");
  const isTls = protocol === "https:";
  const address = {
    host,
    port: Number(port) || (isTls ? 443 : 80),
    ...(allowPrivateAddress ? {} : { lookup: publicLookup }),
  };
  return isTls
    ? connectTls({ ...address, ...(isIP(host) === 0 ? { servername: host } : {}) })
    : connectPlain(address);
}

function reasonOf(error: unknown): string {
  return codeOf(error instanceof Error && error.cause instanceof Error ? error.cause : error) ?? NO_ANSWER;
}

const NO_ANSWER = "no answer in time";

function judge(what: string, { statusCode, headers }: Dispatcher.ResponseData): void {
  if (statusCode >= 200 && statusCode < 300) return;
  const isRetryable = statusCode >= 500 || [408, 425, 429].includes(statusCode);
  const header = headers["retry-after"];
  throw new DeliveryError(`${what} answered HTTP ${statusCode}`, {
    code: `http_${statusCode}`,
    retryable: isRetryable,
    // These codes mean that the server is down or takes nothing now. Any other may be caused by the message.
    concernsChannel: [429, 502, 503, 504].includes(statusCode),
    retryAfterMs: readRetryAfter(typeof header === "string" ? header : null, systemClock.now()),
    advice: isRetryable
      ? null
      : "Check the receiver's address, and that its service takes this kind of message.",
  });
}
