import { isUtf8 } from "node:buffer";
import { isIP } from "node:net";
import { Agent, type Dispatcher, request } from "undici";
import { ACCEPTED_ENCODINGS, decodeBody, readAtMost } from "../../lib/answer-body.ts";
import type { Clock } from "../../lib/clock.ts";
import { codeOf, describeError } from "../../lib/errors.ts";
import { HOUR, MINUTE, SECOND } from "../../lib/instant.ts";
import { parseUrl } from "../../lib/parse-url.ts";
import { isPrivateAddress, PrivateAddressError, publicLookup } from "../../lib/public-agent.ts";
import type { FeedProxy, FeedRequest } from "../common/define-feed.ts";
import { FeedError } from "../common/feed-error.ts";
import { askedPause } from "../common/rate-limit.ts";
import { createProxies } from "./proxies.ts";

/** What a server gave to recognise an answer by. */
export type Validators = { readonly etag?: string; readonly lastModified?: string };

/** An answer as it came: nothing of it was read yet. */
export interface RawAnswer {
  readonly status: number;
  /** The address that answered, after redirects. */
  readonly url: string;
  /** The address to ask from now on, where the one that was asked has moved for good (301, 308). */
  readonly movedTo?: string;
  readonly header: (name: string) => string | null;
  /** Unpacked; empty for 304 and for pages. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

export interface FetchFeed {
  /** Any answer that the request accepts. Throws a FeedError for all others, and for everything that goes wrong. */
  fetch(
    feedRequest: FeedRequest,
    how: {
      readonly allowPrivateAddress: boolean;
      readonly validators?: Validators;
      readonly signal: AbortSignal;
      /** A shorter limit than that of all fetches. */
      readonly timeoutMs?: number;
      readonly proxy?: FeedProxy;
    },
  ): Promise<RawAnswer>;
  close(): Promise<void>;
}

export interface FetchLimits {
  /** Of one answer, before and after decompression, unless its request says another. Default: 5 MB. */
  readonly maxBytes?: number;
  /** From the first connection to the last byte, redirects included. Default: 30 s. */
  readonly timeoutMs?: number;
}

const MOST_REDIRECTS = 5;
const PERMANENT = new Set([301, 308]);
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** A form is sent again there; after the others, it would be a GET. */
const SENT_AGAIN = new Set([307, 308]);

/** HTTP for feeds: a named user agent, and bounds for whatever a server may do. */
export function createFetchFeed(
  options: { readonly userAgent: string; readonly clock: Clock } & FetchLimits,
): FetchFeed {
  const { userAgent, clock, maxBytes = 5_000_000, timeoutMs = 30 * SECOND } = options;
  const bounds = { headersTimeout: timeoutMs, bodyTimeout: timeoutMs, maxHeaderSize: 32_768 };
  const agents = {
    public: new Agent({ ...bounds, connect: { lookup: publicLookup, timeout: timeoutMs } }),
    any: new Agent({ ...bounds, connect: { timeout: timeoutMs } }),
  };
  const proxies = createProxies(bounds);

  async function follow(
    feedRequest: FeedRequest,
    how: Parameters<FetchFeed["fetch"]>[1],
    signal: AbortSignal,
  ): Promise<RawAnswer> {
    let url = feedRequest.url;
    let movedTo: string | undefined;
    let isPermanent = true;
    for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
      refuseAddress(url, how.allowPrivateAddress);
      const direct = { url, dispatcher: how.allowPrivateAddress ? agents.any : agents.public, headers: {} };
      const way = how.proxy === undefined ? direct : await proxies.way(how.proxy, url, how);
      const answer = await again(() =>
        request(way.url, {
          ...(feedRequest.form === undefined
            ? { method: "GET" }
            : { method: "POST", body: new URLSearchParams(feedRequest.form).toString() }),
          dispatcher: way.dispatcher,
          signal,
          headers: {
            ...way.headers,
            ...(feedRequest.form === undefined
              ? {}
              : { "content-type": "application/x-www-form-urlencoded" }),
            "user-agent": userAgent,
            "accept-encoding": ACCEPTED_ENCODINGS,
            ...(redirects === 0 || sameOrigin(url, feedRequest.url) ? feedRequest.headers : {}),
            ...conditions(how.validators),
          },
        }),
      );
      const to = locationOf(answer);
      const follows = feedRequest.form === undefined ? REDIRECTS : SENT_AGAIN;
      if (!follows.has(answer.statusCode) || to === null) {
        const found = await readAnswer(answer, url, feedRequest, { maxBytes, clock });
        return movedTo === undefined ? found : { ...found, movedTo };
      }
      answer.body.on("error", () => undefined).destroy();
      const target = parseUrl(to, url);
      if (target === null) throw new FeedError("it redirects to something that is no address");
      url = target.href;
      if (feedRequest.form !== undefined && !how.allowPrivateAddress && target.protocol !== "https:")
        throw new FeedError("it redirects to an address without https, where no secret is sent");
      // Up to the first redirect of which nobody says that it stays.
      isPermanent &&= PERMANENT.has(answer.statusCode);
      if (isPermanent) movedTo = url;
    }
    throw new FeedError(
      `it redirects more than ${MOST_REDIRECTS} times; put the final address into earshot.yaml`,
    );
  }

  return {
    async fetch(feedRequest, how) {
      const limitMs = how.timeoutMs ?? timeoutMs;
      const late = AbortSignal.timeout(limitMs);
      try {
        return await follow(feedRequest, how, AbortSignal.any([late, how.signal]));
      } catch (error) {
        if (how.signal.aborted) throw how.signal.reason;
        throw toFeedError(error, late.aborted ? `no complete answer within ${limitMs / SECOND} s` : null);
      }
    },
    async close() {
      await Promise.all([agents.public.destroy(), agents.any.destroy(), proxies.close()]);
    },
  };
}

/** Its bytes, unpacked. An answer that is none of the wanted ones is a FeedError. */
async function readAnswer(
  answer: Dispatcher.ResponseData,
  url: string,
  feedRequest: FeedRequest,
  { maxBytes, clock }: { readonly maxBytes: number; readonly clock: Clock },
): Promise<RawAnswer> {
  const status = answer.statusCode;
  const header = (name: string) => headerOf(answer, name);
  if (feedRequest.page === true) {
    answer.body.on("error", () => undefined).destroy();
    return { status, url, header, bytes: new Uint8Array() };
  }
  const isAnswer = status === 200 || status === 304 || feedRequest.accepts?.includes(status) === true;
  if (!isAnswer) {
    answer.body.on("error", () => undefined).destroy();
    throw statusError(status, askedPause(header, clock.now()));
  }
  const most = feedRequest.maxBytes ?? maxBytes;
  const raw = await readBytes(answer, most);
  const bytes = await unpacked(raw, header("content-encoding"), most).catch((error: unknown) => {
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw tooLarge(most);
    throw new FeedError(
      error instanceof RangeError
        ? "its answer is packed in a way that nobody asked for (content-encoding)"
        : "its compressed answer breaks off or is damaged",
    );
  });
  // A buffer of its own, which can go to a thread.
  return { status, url, header, bytes: new Uint8Array(bytes) };
}

async function unpacked(raw: Buffer, encoding: string | null, most: number): Promise<Buffer> {
  const bytes = await decodeBody(raw, encoding, most);
  // A file that is packed, and whose server does not say so: `feed.xml.gz`.
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return isPacked ? decodeBody(bytes, "gzip", most) : bytes;
}

/** A server may close a connection at the very moment at which it is used again; then nothing was answered. */
async function again<Result>(send: () => Promise<Result>): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    const code = codeOf(error);
    if (code !== "UND_ERR_SOCKET" && code !== "ECONNRESET") throw error;
    return await send();
  }
}

/** Every redirect is checked, too: a public address must not lead inside. Names are checked when they are resolved. */
function refuseAddress(url: string, allowPrivateAddress: boolean): void {
  const { protocol, hostname } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    throw new FeedError(`it leads to ${protocol.slice(0, 20)}, which is not fetched`);
  const host = hostname.replace(/^\[|\]$/g, "");
  if (!allowPrivateAddress && isIP(host) !== 0 && isPrivateAddress(host)) throw new PrivateAddressError(host);
}

function sameOrigin(a: string, b: string): boolean {
  return new URL(a).origin === new URL(b).origin;
}

function conditions({ etag, lastModified }: Validators = {}): Record<string, string> {
  return {
    ...(etag === undefined ? {} : { "if-none-match": etag }),
    ...(lastModified === undefined ? {} : { "if-modified-since": lastModified }),
  };
}

function headerOf({ headers }: Dispatcher.ResponseData, name: string): string | null {
  const value = headers[name];
  return value === undefined ? null : Array.isArray(value) ? value.join(", ") : value;
}

/** Some servers write UTF-8 there, which arrives as Latin-1. */
function locationOf(answer: Dispatcher.ResponseData): string | null {
  const to = headerOf(answer, "location");
  const bytes = Buffer.from(to ?? "", "latin1");
  return to !== null && isUtf8(bytes) ? bytes.toString("utf8") : to;
}

async function readBytes({ body, headers }: Dispatcher.ResponseData, maxBytes: number): Promise<Buffer> {
  body.on("error", () => undefined);
  const isSmall = !(Number(headers["content-length"] ?? 0) > maxBytes);
  const bytes = isSmall ? await readAtMost(body, maxBytes) : null;
  if (bytes !== null) return bytes;
  body.destroy();
  throw tooLarge(maxBytes);
}

function tooLarge(maxBytes: number): FeedError {
  return new FeedError(`its answer is larger than ${maxBytes / 1_000_000} MB`);
}

const STATUSES: Readonly<Record<number, string>> = {
  401: "it demands a login",
  403: "it refuses us; perhaps it lets only browsers in",
  404: "there is nothing at this address",
  410: "it is gone for good",
  429: "we ask it too often",
};

/** Whoever writes one page of a server must not silence the feeds of all others there for a day. */
const LONGEST_HOST_PAUSE = HOUR;

/** A server that is busy and names no time gets a minute. */
function statusError(status: number, askedMs: number | null): FeedError {
  const isLimit = status === 429 || (status === 403 && askedMs !== null);
  const retryAfterMs = askedMs ?? (isLimit ? MINUTE : null);
  const what =
    STATUSES[isLimit ? 429 : status] ?? (status >= 500 ? "the server fails" : "it answers with an error");
  return new FeedError(`${what} (status ${status})`, {
    isFinal: status === 410,
    retryAfterMs,
    hostPauseMs: isLimit && retryAfterMs !== null ? Math.min(retryAfterMs, LONGEST_HOST_PAUSE) : null,
  });
}

/** The failure of a connection in words. `late`: what it waited for too long. */
export function toFeedError(error: unknown, late: string | null): FeedError {
  if (error instanceof FeedError) return error;
  if (late !== null) return new FeedError(late);
  for (let one = error; one instanceof Error; one = one.cause)
    if (one instanceof PrivateAddressError || codeOf(one) === "EPRIVATE")
      return new FeedError(
        "it is on this machine or in a private network; allowPrivateAddress: true at the feed allows that",
      );
  return new FeedError(CODES[codeOf(error) ?? ""] ?? `the connection failed: ${describeError(error)}`);
}

const CODES: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing answers at this address (connection refused)",
  ENOTFOUND: "its host name does not exist",
  EAI_AGAIN: "its host name cannot be looked up at the moment",
  ECONNRESET: "the connection broke off",
  UND_ERR_SOCKET: "the connection broke off",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "its answer breaks off before its end",
  UND_ERR_CONNECT_TIMEOUT: "it cannot be reached in time",
  UND_ERR_HEADERS_TIMEOUT: "no answer in time",
  UND_ERR_BODY_TIMEOUT: "its answer stopped in the middle",
  UND_ERR_HEADERS_OVERFLOW: "its headers are too large",
  // Of a tunnel, and of nothing else here.
  UND_ERR_ABORTED: "its proxy does not let us through; perhaps it wants another user and password",
};
