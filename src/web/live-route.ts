import { createHash } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { floorTo, MINUTE, SECOND } from "../lib/instant.ts";
import type { Times } from "./times.ts";
import type { LivePart, LiveVersions, VersionWatch } from "./watch-versions.ts";

/** Streams that are open at once; a page that gets none still works by reloading. */
const MAX_STREAMS = 200;
const HEARTBEAT_MS = 15 * SECOND;
const PARTS: readonly LivePart[] = ["mentions", "volume", "alerts", "notifications", "inbox", "coverage"];

/** What a page carries, so that its stream starts from what the page shows. */
export function sinceToken(versions: LiveVersions): string {
  return PARTS.map((part) => shorten(versions[part])).join("-");
}

/**
 * `GET /live?since=`: an event for each part that changed, named like it, and the domain clock each minute. Whoever
 * comes back after an interruption is told at once what changed meanwhile.
 */
export function liveRoute(app: FastifyInstance, watch: VersionWatch, times: Times): () => void {
  const open = new Set<() => void>();

  // A HEAD would open a stream that nobody reads.
  app.get("/live", { exposeHeadRoute: false }, async (request, reply) => {
    if (open.size >= MAX_STREAMS) return reply.code(503).send({ error: "too many pages are open" });
    const { since } = z.object({ since: z.string().max(200).catch("") }).parse(request.query);
    const lastId = request.headers["last-event-id"];
    let known = (typeof lastId === "string" ? lastId : since).split("-");
    let minute = floorTo(times.now(), MINUTE);

    reply.hijack();
    const stream = reply.raw;
    stream.writeHead(200, {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      // Proxies that buffer would hold events back.
      "x-accel-buffering": "no",
    });
    const tell = (versions: LiveVersions) => {
      // A reader that is gone or too slow is not fed into memory: it catches up when it has drained.
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
    const stopListening = watch.listen(tell);
    const heartbeat = setInterval(() => stream.write(": still here\n\n"), HEARTBEAT_MS);
    const close = () => {
      open.delete(close);
      clearInterval(heartbeat);
      stopListening();
      stream.end();
    };
    open.add(close);
    stream.on("close", close);
    stream.on("error", close);
  });

  return () => {
    for (const close of [...open]) close();
  };
}

function shorten(version: string): string {
  return createHash("sha256").update(version).digest("hex").slice(0, 10);
}
