import { Agent as HttpAgent, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent } from "node:https";
import { isIP } from "node:net";
import { WebSocket } from "ws";
import { codeOf } from "../../lib/errors.ts";
import { SECOND } from "../../lib/instant.ts";
import { isPrivateAddress, PrivateAddressError, publicLookup } from "../../lib/public-agent.ts";
import { plainLine } from "../../lib/text.ts";
import { toFeedError } from "./fetch-feed.ts";

/** Why a connection ended. */
export interface StreamEnd {
  readonly reason: "cursor too old" | "frame too large" | "silent" | "refused" | "ended";
  /** In words, for people. */
  readonly problem: string;
  /** The `Retry-After` of a refusal, as it was written. */
  readonly retryAfter: string | null;
}

interface OpenStream {
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
  /** From the first connection until the stream is open, whatever comes meanwhile. */
  readonly handshakeMs: number;
}

export const STREAM_LIMITS: StreamLimits = {
  maxFrameBytes: 1_000_000,
  batchFrames: 250,
  batchMs: SECOND,
  silentMs: 30 * SECOND,
  handshakeMs: 15 * SECOND,
};

/** Silences in a row, with answers to pings in between, after which another connection is tried. */
export const MOST_SILENCES = 4;
/** Characters of one batch, and a frame: reading them is one piece of work. Where so much waits, no more is received. */
const MOST_WAITING = 500_000;
/** What came in the same packet is unpacked all the same. No honest packet holds so much. */
const MOST_UNPACKED = 8_000_000;
/** Frames without text between two batches: pings, answers to pings, binary ones. */
const MOST_EMPTY = 10_000;

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
  const frames: string[] = [];
  let [waiting, empty, binary] = [0, 0, 0];
  let end: StreamEnd | null = null;
  let wake = (): void => {};
  let socket: WebSocket | null = null;
  let silence: NodeJS.Timeout | undefined;
  let handshake: NodeJS.Timeout | undefined;
  let [silences, isAnswered, hasReceived] = [0, true, false];

  const endWith = (reason: StreamEnd["reason"], problem: string, retryAfter: string | null = null): void => {
    end ??= { reason, problem, retryAfter };
    clearInterval(silence);
    clearTimeout(handshake);
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
      perMessageDeflate: options.isCompressed,
      ...(agent === undefined ? {} : { agent }),
    });
    watch(socket);
  }

  function watch(opened: WebSocket): void {
    // The library only ends a handshake in which nothing comes: a byte now and then would keep it open for days.
    let onLate = (): void =>
      endWith("ended", `it did not open the stream within ${limits.handshakeMs / SECOND} s`);
    handshake = setTimeout(() => onLate(), limits.handshakeMs);
    opened.on("unexpected-response", (request, response) => {
      // What has come until then is the answer.
      onLate = () => response.destroy();
      void refusal(response).then(({ reason, problem, retryAfter }) => {
        endWith(reason, problem, retryAfter);
        request.destroy();
      });
    });
    opened.on("open", () => {
      clearTimeout(handshake);
      silence = setInterval(onSilence, limits.silentMs);
    });
    opened.on("ping", onEmpty);
    opened.on("pong", () => {
      isAnswered = true;
      onEmpty();
    });
    opened.on("message", (data, isBinary) => {
      if (end !== null) return;
      hasReceived = true;
      if (isBinary) {
        binary++;
        onEmpty();
        if (binary > 100 && frames.length === 0)
          endWith("ended", "it sends binary frames only; compressed ones of its own kind cannot be read");
        return;
      }
      const text = String(data);
      waiting += text.length;
      if (waiting > MOST_UNPACKED)
        return endWith("ended", `it sent more than ${MOST_UNPACKED / 1_000_000} MB in one packet`);
      frames.push(text);
      if (frames.length < limits.batchFrames && waiting < MOST_WAITING) return;
      opened.pause();
      wake();
    });
    opened.on("error", (error) => {
      if (codeOf(error) === "WS_ERR_UNSUPPORTED_MESSAGE_LENGTH")
        endWith("frame too large", `it sent a frame of more than ${limits.maxFrameBytes / 1_000_000} MB`);
      else endWith("ended", toFeedError(error, null).message);
    });
    opened.on("close", (code, reason) => {
      const words = plainLine(String(reason), 100);
      const why = words === "" ? "" : `: ${words}`;
      endWith(
        "ended",
        code === 1006 ? "the connection broke off" : `it ended the stream (code ${code}${why})`,
      );
    });
  }

  /** Frames that bring nothing cost time, too. */
  function onEmpty(): void {
    empty++;
    if (empty > MOST_EMPTY) endWith("ended", "it sends pings or binary frames without end");
  }

  /** Many streams die without a word: the connection stays, and nothing comes. */
  function onSilence(): void {
    // It ended the stream, and keeps the connection.
    if (socket?.readyState === WebSocket.CLOSING) {
      socket.terminate();
      return;
    }
    if (hasReceived || socket?.isPaused === true) {
      [silences, isAnswered, hasReceived] = [0, true, false];
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
      const taken = frames.splice(0, fitting(frames));
      waiting -= taken.reduce((sum, { length }) => sum + length, 0);
      empty = 0;
      if (end === null && waiting < MOST_WAITING) socket?.resume();
      return { frames: taken, end: frames.length === 0 ? end : null };
    },
    close: () => endWith("ended", "it was closed here"),
  };
}

/** How many of the frames are one batch. */
function fitting(frames: readonly string[]): number {
  let length = 0;
  const last = frames.findIndex((frame) => {
    length += frame.length;
    return length >= MOST_WAITING;
  });
  return last < 0 ? frames.length : last + 1;
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
