import type { Server as HttpServer, IncomingMessage, ServerOptions } from "node:http";
import type { Server, Socket } from "node:net";
import { createPause } from "./concurrency.ts";
import { parseUrl } from "./parse-url.ts";

/** Whether a host name or address means this machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|\[::1\]|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(host);
}

/** The name in a `Host` header, without its port; null if there is none, or it is unreadable. */
export function nameInHost(header: string | undefined): string | null {
  return header === undefined ? null : (parseUrl(`http://${header}`)?.hostname ?? null);
}

/**
 * Whether the header names this machine. A server on the loopback address without a login must check it: a foreign site
 * can point its own name at 127.0.0.1 and read along (DNS rebinding).
 */
export function isLoopbackHost(header: string | undefined): boolean {
  const name = nameInHost(header);
  return name !== null && isLoopback(name);
}

/**
 * Options of an HTTP server that ends requests which never complete: after half a minute without a whole request it
 * answers 408. Fastify sets no limit at all, Node five minutes.
 */
export function requestBounds(requestTimeoutMs = 30_000) {
  return {
    requestTimeout: requestTimeoutMs,
    headersTimeout: Math.ceil((requestTimeoutMs * 2) / 3),
    // How often late requests are looked for.
    connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 6),
  } satisfies ServerOptions;
}

/**
 * Holds at most `most` connections at a time, so that no client takes every descriptor of the process. One more ends
 * the oldest that is not busy, so half requests do not keep new callers out. If all are busy, the new one is ended.
 */
export function boundConnections(
  server: Server,
  { most, isBusy = () => false }: { readonly most: number; readonly isBusy?: (socket: Socket) => boolean },
): void {
  // A set keeps the order in which they came.
  const open = new Set<Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.once("close", () => open.delete(socket));
    if (open.size <= most) return;
    for (const one of open) {
      if (one !== socket && isBusy(one)) continue;
      open.delete(one);
      one.destroy();
      return;
    }
  });
}

/** Whole requests of one connection that wait for their answers. Browsers and proxies send one, some programs a few. */
const MOST_WAITING = 8;
/** What is parsed of a connection before its bounds are looked at. */
const PART_BYTES = 512;
/** Parsing of all connections in one turn of the loop; what is left waits for the next turns. */
const PARSE_MS = 10;

/**
 * The same for an HTTP server. A connection is busy while a whole request waits for the end of its answer. One that
 * sends request after request, and waits for no answer, is ended: a packet holds thousands of them, which all would be
 * begun at once.
 */
export function boundHttpConnections(server: HttpServer, most: number): void {
  const waiting = new WeakMap<Socket, Set<IncomingMessage>>();
  server.on("request", (request, response) => {
    const { socket } = request;
    const ofSocket = waiting.get(socket) ?? new Set();
    waiting.set(socket, ofSocket.add(request));
    response.once("close", () => ofSocket.delete(request));
    if (ofSocket.size > MOST_WAITING) socket.destroy();
  });
  for (const event of ["connection", "secureConnection"]) server.on(event, parseInParts);
  const isBusy = (socket: Socket) => [...(waiting.get(socket) ?? [])].some(({ complete }) => complete);
  boundConnections(server, { most, isBusy });
}

/**
 * Gives the parser of Node what came in small parts, and nothing more once the connection is ended. It would otherwise
 * parse 64 kB at once, of every connection that has as much, before anything else is done.
 */
function parseInParts(socket: Socket): void {
  const [parse] = socket.listeners("data") as ((bytes: Buffer) => void)[];
  // Below TLS nothing listens.
  if (parse === undefined) return;
  socket.off("data", parse);
  socket.on("data", (bytes: Buffer) => {
    const pause = createPause(PARSE_MS);
    // The first part at once: a small request does not wait for the large ones of others.
    for (let from = 0; from < bytes.length && !socket.destroyed; ) {
      parse(bytes.subarray(from, from + PART_BYTES));
      from += PART_BYTES;
      const rest = bytes.subarray(from);
      if (rest.length === 0) return;
      // By Node, while the answers are not read.
      const isHeld = socket.isPaused();
      const turn = isHeld ? undefined : pause();
      if (!isHeld && turn === undefined) continue;
      socket.pause();
      socket.unshift(rest);
      void turn?.then(() => socket.resume());
      return;
    }
  });
}
