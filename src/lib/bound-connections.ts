import type { Server as HttpServer, IncomingMessage, ServerOptions } from "node:http";
import type { Server, Socket } from "node:net";

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
