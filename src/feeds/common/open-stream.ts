import { Agent as HttpAgent, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP } from "node:net";
import { WebSocket } from "ws";
import { SECOND } from "../../lib/instant.ts";
import { isPrivateAddress, PrivateAddressError, publicLookup } from "../../lib/public-agent.ts";
import { toFeedError } from "./fetch-feed.ts";

/** Why a connection ended. */
export interface StreamEnd {
  readonly reason: "cursor too old" | "frame too large" | "silent" | "refused" | "ended";
  /** In words, for people. */
  readonly problem: string;
  /** The `Retry-After` of a refusal, as it was written. */
  readonly retryAfter: string | null;
}

export interface OpenStream {
  /** Frames of the last second, or as many as fit into one batch; none if nothing came. After the end, what is left. */
  take(): Promise<{ readonly frames: readonly string[]; readonly end: StreamEnd | null }>;
  /** Ends it at once. */
  close(): void;
}

export interface StreamLimits {
  /** Of one frame, after decompression. */
  readonly maxFrameBytes: number;
  /** Frames in one batch; the host waits while a batch is stored. */
  readonly batchFrames: number;
  /** Longest wait for a batch. */
  readonly batchMs: number;
  /** Silence after which the host is asked whether it is there. */
  readonly silentMs: number;
  /** From the first connection to the first frame that may come. */
  readonly handshakeMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  maxFrameBytes: 1_000_000,
  batchFrames: 2_000,
  batchMs: SECOND,
  silentMs: 30 * SECOND,
  handshakeMs: 15 * SECOND,
};

/** Silences in a row, with answers to pings in between, after which another connection is tried. */
const MOST_SILENCES = 4;
/** Characters of frames that wait at most. */
const MOST_WAITING = 32_000_000;

/** Opens a WebSocket and reads it in batches. Every end has a reason, an address that is refused, too. */
export function openStream(
  address: string,
  options: {
    readonly userAgent: string;
    readonly allowPrivateAddress: boolean;
    readonly isCompressed: boolean;
    readonly limits: StreamLimits;
  },
): OpenStream {
  const { limits, allowPrivateAddress } = options;
  let frames: string[] = [];
  let waiting = 0;
  let binary = 0;
  let end: StreamEnd | null = null;
  let wake = (): void => {};
  let socket: WebSocket | null = null;
  let silence: NodeJS.Timeout | undefined;
  let [silences, isAnswered, isHeard] = [0, true, false];

  const endWith = (reason: StreamEnd["reason"], problem: string, retryAfter: string | null = null): void => {
    end ??= { reason, problem, retryAfter };
    clearInterval(silence);
    socket?.terminate();
    wake();
  };

  const { protocol, hostname } = new URL(address);
  const ip = hostname.replace(/^\[|\]$/g, "");
  if (!allowPrivateAddress && isIP(ip) !== 0 && isPrivateAddress(ip))
    endWith("refused", toFeedError(new PrivateAddressError(ip), null).message);
  else {
    const secure = protocol === "wss:";
    const lookup = { lookup: publicLookup };
    const agent = allowPrivateAddress ? undefined : secure ? new HttpsAgent(lookup) : new HttpAgent(lookup);
    socket = new WebSocket(address, {
      headers: { "user-agent": options.userAgent },
      maxPayload: limits.maxFrameBytes,
      handshakeTimeout: limits.handshakeMs,
      perMessageDeflate: options.isCompressed,
      ...(agent === undefined ? {} : { agent }),
    });
    watch(socket);
  }

  function watch(opened: WebSocket): void {
    opened.on("unexpected-response", (request, response) => {
      void refusal(response).then(({ reason, problem, retryAfter }) => {
        endWith(reason, problem, retryAfter);
        request.destroy();
      });
    });
    opened.on("open", () => {
      silence = setInterval(onSilence, limits.silentMs);
    });
    opened.on("pong", () => {
      isAnswered = true;
    });
    opened.on("message", (data, isBinary) => {
      isHeard = true;
      if (isBinary) {
        binary++;
        if (binary > 100 && frames.length === 0)
          endWith("ended", "it sends binary frames only; compressed ones of its own kind cannot be read");
        return;
      }
      const text = String(data);
      frames.push(text);
      waiting += text.length;
      if (frames.length < limits.batchFrames && waiting < MOST_WAITING) return;
      opened.pause();
      wake();
    });
    opened.on("error", (error) => {
      const code: unknown = Reflect.get(error, "code");
      if (code === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
        endWith("frame too large", `it sent a frame of more than ${limits.maxFrameBytes / 1_000_000} MB`);
      else if (/handshake has timed out/.test(error.message))
        endWith("ended", `it did not open the stream within ${limits.handshakeMs / SECOND} s`);
      else endWith("ended", toFeedError(error, null).message);
    });
    opened.on("close", (code, reason) => {
      const why = reason.length === 0 ? "" : `: ${String(reason).replaceAll(/\s+/g, " ").slice(0, 100)}`;
      endWith(
        "ended",
        code === 1006 ? "the connection broke off" : `it ended the stream (code ${code}${why})`,
      );
    });
  }

  /** Many streams die without a word: the connection stays, and nothing comes. */
  function onSilence(): void {
    if (isHeard || socket?.isPaused === true) {
      [silences, isAnswered, isHeard] = [0, true, false];
      return;
    }
    silences++;
    const seconds = Math.round((silences * limits.silentMs) / SECOND);
    if (!isAnswered) endWith("silent", `it was silent for ${seconds} s and did not answer a ping`);
    else if (silences >= MOST_SILENCES) endWith("silent", `it sent nothing for ${seconds} s`);
    else {
      isAnswered = false;
      socket?.ping();
    }
  }

  return {
    async take() {
      if (end === null && frames.length < limits.batchFrames && waiting < MOST_WAITING)
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, limits.batchMs);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      const taken = frames;
      [frames, waiting] = [[], 0];
      if (end === null) socket?.resume();
      return { frames: taken, end };
    },
    close: () => endWith("ended", "it was closed here"),
  };
}

const LONGEST_REFUSAL = 2_000;

/** An answer that is not the opening of a stream. The second version of Jetstream says CursorTooOld with status 400. */
async function refusal(response: IncomingMessage): Promise<StreamEnd> {
  const { statusCode: status = 0, headers } = response;
  let body = "";
  try {
    response.setEncoding("utf8");
    for await (const chunk of response) {
      body += chunk;
      if (body.length > LONGEST_REFUSAL) break;
    }
  } catch {
    // What has come is enough.
  }
  const retryAfter = headers["retry-after"] ?? null;
  if (status === 400 && body.includes("CursorTooOld"))
    return {
      reason: "cursor too old",
      problem: "it has no events as old as the last ones that came",
      retryAfter,
    };
  const what =
    status >= 300 && status < 400
      ? "it redirects; put the final address into hosts"
      : status === 429
        ? "we open it too often"
        : status >= 500
          ? "the server fails"
          : "it answers, and opens no stream";
  return { reason: "refused", problem: `${what} (status ${status})`, retryAfter };
}
