import { createHash } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";
import { z } from "zod";
import type { ConsoleFacts } from "#monitor";
import type { Clock } from "../lib/clock.ts";
import { connectionLimit } from "../lib/descriptors.ts";
import { describeError } from "../lib/errors.ts";
import { floorTo, HOUR, MINUTE, SECOND } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { ALWAYS_ANSWERED } from "./admission.ts";
import type { ConsoleAuth } from "./auth/demand-login.ts";
import type { Times } from "./common/times.ts";
import type { LivePart } from "./parts/live.ts";

type LiveVersions = Readonly<Record<LivePart, string>>;

export interface VersionWatch {
  /** The current versions, for a new page. */
  current(): Promise<LiveVersions>;
  /** Calls back about once a second with the newest versions, until stopped. */
  listen(listener: (versions: LiveVersions) => void): () => void;
  stop(): void;
}

const POLL_MS = SECOND;

/**
 * Reads the versions of the facts once a second for all listeners together. The volume gets a new version only once a
 * fetch would count it again: earlier, a page would fetch the cached volume and get no further event.
 */
export function watchVersions(
  facts: Pick<ConsoleFacts, "versions">,
  clock: Clock,
  volume: { isOver(): boolean },
  log: Logger,
  feeds: { version(): Promise<string> } = { version: async () => "" },
): VersionWatch {
  const listeners = new Set<(versions: LiveVersions) => void>();
  let timer: NodeJS.Timeout | undefined;
  /** The number of the current run: a stopped run whose query is still open must not go on. */
  let running: symbol | null = null;
  let counted = "";

  const read = async (): Promise<LiveVersions> => {
    const [versions, ofFeeds] = await Promise.all([facts.versions(), feeds.version()]);
    if (volume.isOver()) counted = `${versions.mentions}${floorTo(clock.now(), HOUR)}`;
    return { ...versions, volume: counted, feeds: ofFeeds };
  };
  const poll = async (run: symbol) => {
    try {
      const versions = await read();
      if (run === running) for (const listener of [...listeners]) listener(versions);
    } catch (error) {
      // The page stays as it is; the next second tries again.
      log.warn({ reason: describeError(error) }, "the console could not ask what changed");
    }
    if (run === running) timer = setTimeout(poll, POLL_MS, run);
  };
  return {
    current: read,
    listen: (listener) => {
      listeners.add(listener);
      if (running === null) start();
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    stop,
  };

  function start(): void {
    running = Symbol("run");
    timer = setTimeout(poll, POLL_MS, running);
  }

  function stop(): void {
    clearTimeout(timer);
    running = null;
  }
}

/** Of open streams: six tenths of the connections of the console, the rest is for pages. A page without one still works. */
const MOST_STREAMS = { most: 600, share: 0.4 };
/** Limit per session, or per address without one, so that one reader cannot take them all. */
const MAX_OF_ONE = 20;
const HEARTBEAT_MS = 15 * SECOND;
const PARTS: readonly LivePart[] = [
  "mentions",
  "counts",
  "volume",
  "alerts",
  "notifications",
  "inbox",
  "coverage",
  "feeds",
];

/** A token in the page, so that its stream starts from what the page shows. */
export function sinceToken(versions: LiveVersions): string {
  return PARTS.map((part) => shorten(versions[part])).join("-");
}

/**
 * `GET /live?since=`: an event for each changed part, with the part's name, and the domain clock each minute. After an
 * interruption the reader gets at once what changed meanwhile. The stream ends with what opened it (a session, a token, a
 * name that a proxy gives): at once if this process handled the logout, else within some seconds.
 */
export function liveRoute(
  app: FastifyInstance,
  auth: ConsoleAuth,
  watch: VersionWatch,
  times: Times,
  heartbeatMs = HEARTBEAT_MS,
): () => void {
  const open = new Map<() => void, { readonly reader: string }>();
  const mostStreams = connectionLimit(MOST_STREAMS);
  const closeThoseOf = (reader: string) => {
    for (const [close, stream] of [...open]) if (stream.reader === reader) close();
  };
  auth.onLogout(({ id }) => closeThoseOf(id));

  // A HEAD request would open a stream without a reader.
  app.get("/live", { exposeHeadRoute: false, config: ALWAYS_ANSWERED }, async (request, reply) => {
    const reader = request.visitor?.session?.id ?? request.ip;
    const ofReader = [...open.values()].filter((stream) => stream.reader === reader).length;
    if (open.size >= mostStreams || ofReader >= MAX_OF_ONE)
      return reply.code(503).send({ error: "too many pages are open" });
    const { since } = z.object({ since: z.string().max(200).catch("") }).parse(request.query);
    const lastId = request.headers["last-event-id"];
    let known = (typeof lastId === "string" ? lastId : since).split("-");
    let minute = floorTo(times.now(), MINUTE);

    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, {
      ...headersOf(reply.getHeaders()),
      "content-type": "text/event-stream; charset=utf-8",
      // Buffering proxies would delay events.
      "x-accel-buffering": "no",
    });
    const send = (versions: LiveVersions) => {
      // Do not buffer for a slow or absent reader: it catches up after a drain.
      if (stream.writableNeedDrain) return;
      const token = sinceToken(versions);
      const current = token.split("-");
      const changed = PARTS.filter((_, index) => current[index] !== known[index]);
      for (const part of changed) stream.write(`id: ${token}\nevent: ${part}\ndata: ${part}\n\n`);
      known = current;
      const now = floorTo(times.now(), MINUTE);
      if (now !== minute) stream.write(`event: clock\ndata: ${times.clock(now)}\n\n`);
      minute = now;
    };
    stream.write("retry: 2000\n\n");
    const stopListening = watch.listen(send);
    const heartbeat = setInterval(async () => {
      stream.write(": still here\n\n");
      // While the tables cannot be read, send nothing.
      if (!(await auth.isStillAllowed(request).catch(() => true))) close();
    }, heartbeatMs);
    const close = () => {
      open.delete(close);
      clearInterval(heartbeat);
      stopListening();
      stream.end();
    };
    open.set(close, { reader });
    stream.on("close", close);
    stream.on("error", close);
  });

  return () => {
    for (const close of [...open.keys()]) close();
  };
}

function headersOf(headers: ReturnType<FastifyReply["getHeaders"]>): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}

function shorten(version: string): string {
  return createHash("sha256").update(version).digest("hex").slice(0, 10);
}
