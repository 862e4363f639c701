import type { FastifyInstance, FastifyRequest } from "fastify";

/**
 * Bounds the bytes of all bodies that the routes of this scope hold at a time, from before the first byte until the
 * answer. A body counts with the length that its sender names, or with the limit of the route. If one more does not fit:
 * - `Refuse`: it is answered with 503 and not read. For senders who showed who they are.
 * - `EndOldest`: bodies that are not whole yet are ended for it, the oldest first, because anybody could hold the room
 *   with half bodies.
 *
 * How long a body may take to arrive is a limit of the server: `requestBounds`.
 */
export function boundBodies(
  scope: FastifyInstance,
  { mostBytes, whenFull }: { readonly mostBytes: number; readonly whenFull: "Refuse" | "EndOldest" },
): void {
  // A map keeps the order in which they came.
  const held = new Map<FastifyRequest, number>();
  const room = () => mostBytes - [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
  scope.addHook("onRequest", async (request, reply) => {
    const bytes = bytesOf(request);
    // The route answers 413 without reading it.
    if (bytes > request.routeOptions.bodyLimit) return;
    if (whenFull === "EndOldest")
      for (const one of held.keys()) {
        if (room() >= bytes) break;
        if (one.raw.complete) continue;
        held.delete(one);
        one.raw.destroy();
      }
    if (room() < bytes)
      return reply
        .code(503)
        .headers({ "retry-after": "1", connection: "close" })
        .send({ errors: [{ message: "too much is being sent at once; send it again a little later" }] });
    held.set(request, bytes);
    reply.raw.once("close", () => held.delete(request));
  });
}

function bytesOf({ headers, routeOptions }: FastifyRequest): number {
  const named = Number(headers["content-length"]);
  return headers["transfer-encoding"] === undefined && Number.isFinite(named)
    ? named
    : routeOptions.bodyLimit;
}
