import { createServer as createHttpServer } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import compress from "@fastify/compress";
import { type FastifyInstance, fastify } from "fastify";
import { boundHttpConnections, requestBounds } from "../lib/bound-connections.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { BusyError, describeError } from "../lib/errors.ts";
import { SECOND } from "../lib/instant.ts";
import { storableText } from "../lib/storable-text.ts";
import type { Logger } from "../log.ts";
import type { ShownWait, ShownWarmUp } from "../model/shown.ts";
import { actionRoutes } from "./action-routes.ts";
import { assetRoutes } from "./asset-routes.ts";
import { demandLogin } from "./auth/demand-login.ts";
import { protectForms } from "./auth/forms.ts";
import { guardHost } from "./auth/guard-host.ts";
import { type ClosedSessions, openCookies } from "./auth/sessions.ts";
import { setSecurityHeaders } from "./auth/set-security-headers.ts";
import { cached } from "./cached.ts";
import { chartRoutes } from "./chart-routes.ts";
import type { ConsoleActions } from "./console-actions.ts";
import type { AlertExplainer } from "./explainer.ts";
import type { ConsoleFacts } from "./facts.ts";
import { createFrames } from "./frames.ts";
import { type Health, healthRoutes } from "./health-routes.ts";
import type { InboxView } from "./inbox-view.ts";
import { liveRoute } from "./live-route.ts";
import { loginRoutes } from "./login-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import { readVolume } from "./pages/overview.ts";
import type { ExplainMention } from "./pages/why-mention.ts";
import { previewRoutes } from "./preview-routes.ts";
import type { PreviewView } from "./preview-view.ts";
import { type ConsoleSettings, checkSettings, readTls } from "./settings.ts";
import { type SlackEndpoint, slackRoutes } from "./slack-routes.ts";
import { createTimes, describePace } from "./times.ts";
import { unsubscribeRoutes } from "./unsubscribe-routes.ts";
import type { Unsubscribing } from "./unsubscribing.ts";
import { watchVersions } from "./watch-versions.ts";

export interface ConsoleDeps {
  readonly facts: ConsoleFacts;
  /** Random, secret, and the same for every process. Cookie keys are derived from it. */
  readonly secret: string;
  readonly closedSessions: ClosedSessions;
  /** Domain time: the pages show it as now. */
  readonly clock: Clock;
  /** Null if messages go to the real Slack and a real mail server. */
  readonly inbox: InboxView | null;
  /** Absent if no mail carries an unsubscribe link. */
  readonly unsubscribing?: Unsubscribing;
  /** Absent if the console is read-only. */
  readonly actions?: ConsoleActions;
  /** Absent if no message in Slack has buttons that post here. */
  readonly slack?: SlackEndpoint;
  /** Absent if nothing renders messages. */
  readonly previews?: PreviewView;
  readonly health: Health;
  /** If absent, the pages show neither findings nor charts of alerts. */
  readonly explainer?: AlertExplainer;
  /** Rules that cannot fire yet. Absent if the console does not know the rules. */
  readonly warmingUp?: () => Promise<readonly ShownWarmUp[]>;
  /** Receivers whose messages are delayed, and why. Absent if the console does not know the receivers. */
  readonly waits?: () => Promise<readonly ShownWait[]>;
  /** Explains what became of a mention. Absent if the console does not know the rules. */
  readonly explainMention?: ExplainMention;
  /** The banner: what happens next, in a sentence or two; null for none. Called for every page. */
  readonly whatHappensNext?: () => string | null;
  readonly log: Logger;
  /** Times sessions and login attempts. Only tests pass another one. */
  readonly wall?: Clock;
  /** How long a request may take to arrive; default half a minute. Only tests pass another one. */
  readonly requestTimeoutMs?: number;
}

/** A registered route. */
export interface ConsoleRoute {
  readonly method: string;
  readonly path: string;
  readonly isPublic: boolean;
}

export interface Console {
  /** Resolves with the console's address on this machine. */
  listen(): Promise<string>;
  /** All routes, so that a test can check what strangers may reach. */
  readonly routes: readonly ConsoleRoute[];
  close(): Promise<void>;
}

/**
 * Serves the pages, their JSON, their live updates, and the health of the process. Throws a UserError if the settings
 * would show everything to everybody on a network.
 */
export async function createConsole(deps: ConsoleDeps, settings: ConsoleSettings): Promise<Console> {
  checkSettings(settings);
  const wall = deps.wall ?? systemClock;
  const times = createTimes(deps.clock, settings.timezone);
  const volume = cached(() => readVolume({ facts: deps.facts, times }), VOLUME_LIVES_MS, wall);
  const watch = watchVersions(deps.facts, deps.clock, volume, deps.log);
  const app = createServer(settings, deps.requestTimeoutMs);
  const routes = listRoutes(app);
  await setSecurityHeaders(app, settings);
  guardHost(app, settings);
  keepStorable(app);
  // Compression is safe (BREACH): a page's token differs each time, and no other site can send requests as a reader.
  await app.register(compress, { threshold: 1_024, encodings: ["gzip", "identity"] });
  await openCookies(app, deps.secret, settings);
  const forms = await protectForms(app, settings);
  const { secret, closedSessions: closed } = deps;
  const auth = await demandLogin(app, settings, { secret, closed, wall, log: deps.log });
  const frames = createFrames({
    facts: deps.facts,
    times,
    watch,
    auth,
    forms,
    hasInbox: deps.inbox !== null,
    hasActions: deps.actions !== undefined,
    pace: describePace(deps.clock),
    whatHappensNext: deps.whatHappensNext ?? (() => null),
  });
  // First: awaiting a plugin finishes the routes registered before it, and finished routes accept no more hooks.
  answerFaults(app, frames, deps.log);
  await assetRoutes(app);
  if (auth.login !== null) loginRoutes(app, auth.login, forms);
  healthRoutes(app, { health: deps.health, facts: deps.facts, times, wall });
  const explainer = deps.explainer ?? null;
  const hasPreviews = deps.previews !== undefined;
  pageRoutes(
    app,
    {
      facts: deps.facts,
      inbox: deps.inbox,
      explainer,
      hasPreviews,
      ...(deps.warmingUp === undefined
        ? {}
        : { warmingUp: cached(deps.warmingUp, LEARNING_LIVES_MS, wall).ask }),
      ...(deps.explainMention === undefined ? {} : { explainMention: deps.explainMention }),
      ...(deps.waits === undefined ? {} : { waits: deps.waits }),
      times,
      volume: volume.ask,
      forms,
      hasActions: deps.actions !== undefined,
    },
    frames,
  );
  if (deps.unsubscribing !== undefined) unsubscribeRoutes(app, deps.unsubscribing, deps.log);
  if (deps.slack !== undefined) slackRoutes(app, deps.slack);
  if (explainer !== null) chartRoutes(app, deps.facts, explainer);
  if (deps.actions !== undefined) {
    actionRoutes(app, { actions: deps.actions, forms, auth, times, facts: deps.facts }, frames);
  }
  if (deps.previews !== undefined) previewRoutes(app, deps.previews, frames);
  const closeStreams = liveRoute(app, auth, watch, times);
  return {
    routes,
    listen: () => listen(app, settings),
    close: async () => {
      watch.stop();
      closeStreams();
      await app.close();
    },
  };
}

/** Counting a day of mentions is the only costly question; readers share its answer for this long. */
const VOLUME_LIVES_MS = 5 * SECOND;

/** Rules warm up for hours or weeks, so their state need not be read again at every poll. */
const LEARNING_LIVES_MS = 20 * SECOND;

/** Limit for all connections; incomplete requests are dropped for new ones. */
const MOST_CONNECTIONS = 1_000;

/** Keep-alive: as long as proxies keep their connections. */
const KEEP_ALIVE_MS = 72 * SECOND;

function createServer(settings: ConsoleSettings, requestTimeoutMs?: number): FastifyInstance {
  const bounds = { ...requestBounds(requestTimeoutMs), keepAliveTimeout: KEEP_ALIVE_MS };
  const tls = readTls(settings);
  return fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 10_000,
    serverFactory: (handler) => {
      const server =
        tls === null ? createHttpServer(bounds, handler) : createHttpsServer({ ...bounds, ...tls }, handler);
      boundHttpConnections(server, MOST_CONNECTIONS);
      return server;
    },
    trustProxy: [...(settings.trustedProxies ?? [])],
    // Signed links are longer than the default limit of 100 characters for a path parameter.
    routerOptions: { maxParamLength: 1_000 },
  });
}

function listRoutes(app: FastifyInstance): readonly ConsoleRoute[] {
  const routes: ConsoleRoute[] = [];
  app.addHook("onRoute", ({ method, url, config }) => {
    for (const one of [method].flat()) {
      routes.push({ method: one, path: url, isPublic: config?.isPublic === true });
    }
  });
  return routes;
}

/** Text that the database cannot hold, such as a zero byte, matches nothing; it is not a server error. */
function keepStorable(app: FastifyInstance): void {
  app.addHook("preValidation", async ({ params, query, body }) => {
    for (const values of [params, query, body]) {
      if (typeof values !== "object" || values === null) continue;
      for (const [name, value] of Object.entries(values)) {
        if (typeof value === "string") (values as Record<string, string>)[name] = storableText(value);
      }
    }
  });
}

async function listen(app: FastifyInstance, { host, port, tls }: ConsoleSettings): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `${tls === undefined ? "http" : "https"}://${name}:${bound}`;
}

/** A server error shows the reader no details; the log gets everything but contents. */
function answerFaults(app: FastifyInstance, frames: ReturnType<typeof createFrames>, log: Logger): void {
  app.setNotFoundHandler((request, reply) =>
    frames.sendProblem(request, reply, 404, "There is nothing here", "The address may be old or mistyped."),
  );
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const status = statusOf(error);
    if (status === 500) {
      // Log the route, not the address: the address of a mail link is a key that works for a week.
      log.error({ route: request.routeOptions.url, reason: describeError(error) }, "a page failed");
    }
    if (status === 503) reply.header("retry-after", "5");
    const [headline, advice] = WORDS[status] ?? ["That cannot be asked", "Please check the address."];
    await frames.sendProblem(request, reply, status, headline, advice);
  });
}

const WORDS: Readonly<Record<number, readonly [string, string]>> = {
  403: ["This form was too old", "Go back to the page and try again."],
  500: ["This page could not be made", "The log says why. Try again in a moment."],
  503: [
    "The database is too busy for this",
    "Try again in a moment. A search takes less time in one query, or without a text.",
  ],
};

function statusOf(error: unknown): number {
  if (error instanceof BusyError) return 503;
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
}
