import { setTimeout as delay } from "node:timers/promises";
import { fastify } from "fastify";
import type { Clock } from "../../lib/clock.ts";
import { cached } from "../../lib/concurrency.ts";
import { SECOND } from "../../lib/instant.ts";
import { boundHttpConnections, requestBounds } from "../../lib/listening.ts";
import { guardHost } from "../http/guard-host.ts";
import { createDatabase, type DatabasePool, isReachable } from "../store/database.ts";
import type { Meter } from "./meter.ts";

/** Health and metrics of a server of the local API, on a port of their own: no client of the API reaches them. */
interface Operations {
  /** Gives the base URL. Port 0 takes a free one. */
  listen(at: { host: string; port: number }): Promise<string>;
  close(): Promise<void>;
}

/** A check that takes longer has failed. */
const PATIENCE_MS = 2 * SECOND;
/** Of probes and scrapers. */
const MOST_CONNECTIONS = 50;
const READINESS_LIVES_MS = SECOND;
const PLAIN = "text/plain; charset=utf-8";

/**
 * GET `/healthz` (the process answers), `/readyz` (and reaches its tables; 503 if not), `/metrics` (Prometheus). Without a
 * login: what they say has no names and no texts.
 */
export function createOperations(parts: { pool: DatabasePool; clock: Clock; meter: Meter }): Operations {
  const bounds = requestBounds();
  const app = fastify({ logger: false, forceCloseConnections: true, ...bounds, http: bounds });
  boundHttpConnections(app.server, MOST_CONNECTIONS);
  const listensOn = guardHost(app, []);
  const db = createDatabase(parts.pool);
  const check = () =>
    Promise.race([isReachable(db), delay(PATIENCE_MS, false, { ref: false })]).catch(() => false);
  const ready = cached(check, READINESS_LIVES_MS, parts.clock, 1);
  app.get("/healthz", async (_request, reply) => reply.type(PLAIN).send("ok\n"));
  app.get("/readyz", async (_request, reply) => {
    const isReady = await ready.ask();
    return reply
      .code(isReady ? 200 : 503)
      .type(PLAIN)
      .send(`database: ${isReady ? "ok" : "failing"}\n`);
  });
  app.get("/metrics", async (_request, reply) =>
    reply.type("text/plain; version=0.0.4; charset=utf-8").send(await parts.meter.read()),
  );
  return {
    listen: async ({ host, port }) => {
      const url = await app.listen({ host, port });
      const bound = app.server.address();
      listensOn(typeof bound === "object" && bound !== null ? bound.address : host);
      return url;
    },
    close: () => app.close(),
  };
}
