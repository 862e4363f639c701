import type { Server as HttpServer, IncomingMessage, ServerOptions } from "node:http";
import type { Server, Socket } from "node:net";

/** Whether a host name or address means this machine only. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|::1|\[::1\]|(?:::ffff:)?127(?:\.\d{1,3}){3})$/i.test(host);
}

/** The name in a `Host` header, without its port; null if there is none, or it is unreadable. */
export function nameInHost(header: string | undefined): string | null {
  if (header === undefined || !URL.canParse(`http://${header}`)) return null;
  return new URL(`http://${header}`).hostname;
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

/** The same for an HTTP server. A connection is busy while a whole request waits for the end of its answer. */
export function boundHttpConnections(server: HttpServer, most: number): void {
  const current = new WeakMap<Socket, IncomingMessage>();
  server.on("request", (request, response) => {
    current.set(request.socket, request);
    response.once("close", () => current.delete(request.socket));
  });
  boundConnections(server, { most, isBusy: (socket) => current.get(socket)?.complete === true });
}
