import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { Server } from "node:net";
import { type FastifyInstance, fastify } from "fastify";
import { monotonicMs } from "../lib/clock.ts";
import { connectionLimit } from "../lib/descriptors.ts";
import { BusyError, describeError } from "../lib/errors.ts";
import { MINUTE, SECOND } from "../lib/instant.ts";
import { boundHttpConnections, requestBounds } from "../lib/listening.ts";
import type { Logger } from "../lib/log.ts";
import { storableText } from "../lib/text.ts";
import { BUSY, RETRY_AFTER_S } from "./admission.ts";
import { type ConsoleSettings, readTls } from "./common/settings.ts";
import type { createFrames } from "./frames.ts";

/** Limit for all connections; incomplete requests are dropped for new ones. The rest is for the local Listening API. */
export const mostConnections = (): number => connectionLimit({ most: 1_000, share: 2 / 3 });

/** Keep-alive: as long as proxies keep their connections. */
export const KEEP_ALIVE_MS = 72 * SECOND;

/** The server below the pages: its limits, TLS, and whose word it takes for the reader's address. */
export function createServer(settings: ConsoleSettings, requestTimeoutMs?: number): FastifyInstance {
  const bounds = { ...requestBounds(requestTimeoutMs), keepAliveTimeout: KEEP_ALIVE_MS };
  const tls = readTls(settings);
  return fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 10_000,
    serverFactory: (handler) => {
      const server =
        tls === null ? createHttpServer(bounds, handler) : createHttpsServer({ ...bounds, ...tls }, handler);
      boundHttpConnections(server, mostConnections());
      return server;
    },
    trustProxy: [...(settings.trustedProxies ?? [])],
    // Signed links are longer than the default limit of 100 characters for a path parameter.
    routerOptions: { maxParamLength: 1_000 },
  });
}

/** Text that the database cannot hold, such as a zero byte, matches nothing; it is not a server error. */
export function keepStorable(app: FastifyInstance): void {
  app.addHook("preValidation", async ({ params, query, body }) => {
    for (const values of [params, query, body]) {
      if (typeof values !== "object" || values === null) continue;
      for (const [name, value] of Object.entries(values))
        if (typeof value === "string" || Array.isArray(value))
          (values as Record<string, unknown>)[name] = storable(value);
    }
  });
}

/** A name that is given several times is a list. */
function storable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(storable);
  return typeof value === "string" ? storableText(value) : value;
}

/** Resolves with the address that a person on this machine can open. */
export async function listen(app: FastifyInstance, settings: ConsoleSettings): Promise<string> {
  await app.listen({ host: settings.host, port: settings.port });
  return addressOf(app.server, settings);
}

/** The address of a listening server, for a person on this machine. */
export function addressOf(server: Pick<Server, "address">, { host, port, tls }: ConsoleSettings): string {
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tls === undefined ? "http" : "https"}://${name}:${bound}`;
}

/** A server error shows the reader no details; the log gets everything but contents. */
export function answerFaults(
  app: FastifyInstance,
  frames: ReturnType<typeof createFrames>,
  log: Logger,
  noteRefusal: (error: unknown) => void,
): void {
  app.setNotFoundHandler((request, reply) =>
    frames.sendProblem(request, reply, 404, "There is nothing here", "The address may be old or mistyped."),
  );
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const status = statusOf(error);
    if (status === 500) {
      // Log the route, not the address: the address of a mail link is a key that works for a week.
      log.error({ route: request.routeOptions.url, reason: describeError(error) }, "a page failed");
    }
    if (status === 503) {
      reply.header("retry-after", RETRY_AFTER_S);
      noteRefusal(error);
    }
    const [headline, advice] = WORDS[status] ?? ["That cannot be asked", "Please check the address."];
    await frames.sendProblem(request, reply, status, headline, advice);
  });
}

const WORDS: Readonly<Record<number, readonly [string, string]>> = {
  403: ["This form was too old", "Go back to the page and try again."],
  500: ["This page could not be made", "The log says why. Try again in a moment."],
  503: [BUSY.headline, BUSY.advice],
};

/** At most one line a minute: a crowd of readers must not fill the log. */
export function createRefusalLog(log: Logger): (error: unknown) => void {
  let refused = 0;
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (error) => {
    refused++;
    if (monotonicMs() < quietUntil) return;
    quietUntil = monotonicMs() + MINUTE;
    log.warn({ refused, because: describeError(error) }, "pages were refused: too busy for all readers");
    refused = 0;
  };
}

function statusOf(error: unknown): number {
  if (error instanceof BusyError) return 503;
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
}
