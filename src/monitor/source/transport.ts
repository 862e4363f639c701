import { type Dispatcher, Pool } from "undici";
import { ACCEPTED_ENCODINGS, decodeBody, readAtMost, toUtf8 } from "../../lib/answer-body.ts";
import type { Clock } from "../../lib/clock.ts";
import { codeOf } from "../../lib/errors.ts";
import { exchangeEnd, type Gate, NO_ANSWER } from "./budget.ts";
import { SourceError } from "./source-error.ts";

/** Stops a call after a time, or when a caller's signal aborts. */
interface Deadline {
  readonly signal: AbortSignal;
  /** Why it stopped; null while it may continue. */
  ended(): "timeout" | "aborted" | null;
  /** Must be called when the call has ended. */
  clear(): void;
}

/** One signal made of a timer and the callers' signals. Listeners are removed again: the signals outlive the call. */
function createDeadline(timeoutMs: number, signals: readonly (AbortSignal | undefined)[]): Deadline {
  const controller = new AbortController();
  let ended: "timeout" | "aborted" | null = null;
  const end = (why: "timeout" | "aborted"): void => {
    ended ??= why;
    controller.abort();
  };
  const onAbort = (): void => end("aborted");
  for (const signal of signals) {
    if (signal?.aborted === true) onAbort();
    signal?.addEventListener("abort", onAbort, { once: true });
  }
  const timer = setTimeout(end, timeoutMs, "timeout");
  return {
    signal: controller.signal,
    ended: () => ended,
    clear: () => {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener("abort", onAbort);
    },
  };
}

export interface Answer {
  readonly status: number;
  /** The decoded body, in UTF-8 if its charset is known. */
  readonly body: Buffer;
  /** A header by its lower-case name. Repeated ones are joined by commas. */
  readonly header: (name: string) => string | null;
}

interface TransportRequest {
  /** The name of the call, for errors. */
  readonly call: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the base address, with a leading slash, query string included. */
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly signal?: AbortSignal | undefined;
}

export interface Transport {
  /** Any HTTP answer, whatever its status. Throws a SourceError of kind network, timeout, aborted, malformed or too-large. */
  request(request: TransportRequest): Promise<Answer>;
  close(): Promise<void>;
}

interface TransportOptions {
  readonly baseUrl: string;
  /** For the whole exchange, connecting and the last byte included. */
  readonly timeoutMs: number;
  /** The size limit of one answer, before and after decoding. */
  readonly maxBodyBytes: number;
  readonly connections: number;
  /** Ends every exchange: the program is stopping. */
  readonly signal?: AbortSignal | undefined;
  /** Asked before every exchange, and notified how it ended. */
  readonly gate: Gate;
  readonly clock: Clock;
}

/** HTTP to one origin: connections kept alive, bodies bounded and decoded, one deadline for each exchange. */
export function createTransport(options: TransportOptions): Transport {
  const base = new URL(options.baseUrl);
  const prefix = base.pathname.replace(/(?<!\/)\/+$/, "");
  const pool = new Pool(base.origin, {
    connections: options.connections,
    pipelining: 1,
    connect: { timeout: options.timeoutMs },
    headersTimeout: options.timeoutMs,
    bodyTimeout: options.timeoutMs,
  });

  return {
    request: async (request) => {
      const leave = await options.gate.enter(request.call, request.signal);
      const deadline = createDeadline(options.timeoutMs, [options.signal, request.signal]);
      let end = NO_ANSWER;
      try {
        const response = await pool.request({
          method: request.method,
          path: prefix + request.path,
          headers: { accept: "application/json", "accept-encoding": ACCEPTED_ENCODINGS, ...request.headers },
          body: request.body ?? null,
          signal: deadline.signal,
        });
        const answer = await readAnswer(request.call, response, options.maxBodyBytes);
        end = exchangeEnd(answer, options.clock.now());
        return answer;
      } catch (error) {
        throw toTransportError(request.call, error, deadline.ended());
      } finally {
        deadline.clear();
        await leave(end);
      }
    },
    close: () => pool.destroy(),
  };
}

async function readAnswer(
  call: string,
  response: Dispatcher.ResponseData,
  maxBytes: number,
): Promise<Answer> {
  const header = (name: string): string | null => {
    const value = response.headers[name];
    return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
  };
  const raw = await readBytes(call, response, header("content-length"), maxBytes);
  try {
    return {
      status: response.statusCode,
      header,
      body: toUtf8(await decodeBody(raw, header("content-encoding"), maxBytes), header("content-type")),
    };
  } catch (error) {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(call, maxBytes);
    throw new SourceError({
      kind: "malformed",
      call,
      status: response.statusCode,
      code: codeOf(error),
      message: "the body could not be decompressed",
      retryable: true,
    });
  }
}

async function readBytes(
  call: string,
  response: Dispatcher.ResponseData,
  contentLength: string | null,
  maxBytes: number,
): Promise<Buffer> {
  const announced = contentLength === null ? Number.NaN : Number(contentLength);
  if (announced <= maxBytes) {
    // undici enforces the announced length. Chunks are copied as they come: kept until the end they are a page once more.
    const bytes = Buffer.allocUnsafe(announced);
    let length = 0;
    for await (const chunk of response.body) length += (chunk as Buffer).copy(bytes, length);
    return bytes.subarray(0, length);
  }
  response.body.on("error", () => undefined);
  const bytes = Number.isNaN(announced) ? await readAtMost(response.body, maxBytes) : null;
  if (bytes !== null) return bytes;
  response.body.destroy();
  throw tooLarge(call, maxBytes);
}

function tooLarge(call: string, maxBytes: number): SourceError {
  return new SourceError({
    kind: "too-large",
    call,
    message: `the answer is larger than ${maxBytes} bytes; ask for smaller pages`,
    retryable: false,
  });
}

const TIMEOUT_CODES = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);

function toTransportError(call: string, error: unknown, ended: "timeout" | "aborted" | null): SourceError {
  if (error instanceof SourceError) return error;
  const code = codeOf(error);
  if (ended === "aborted") {
    return new SourceError({
      kind: "aborted",
      call,
      code,
      message: "stopped before an answer came",
      retryable: true,
    });
  }
  if (ended === "timeout" || (code !== null && TIMEOUT_CODES.has(code))) {
    return new SourceError({
      kind: "timeout",
      call,
      code,
      message: "no complete answer in time",
      retryable: true,
    });
  }
  return new SourceError({
    kind: "network",
    call,
    code,
    message: `the connection failed${code === null ? "" : ` (${code})`}`,
    retryable: true,
  });
}
