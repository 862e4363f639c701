import formbody from "@fastify/formbody";
import { type FastifyInstance, type FastifyServerOptions, fastify } from "fastify";
import type { Clock } from "../lib/clock.ts";
import { connectionLimit } from "../lib/descriptors.ts";
import { boundHttpConnections, requestBounds } from "../lib/listening.ts";
import { breakAnswers, disturbAnswers } from "./faults/disturb-answers.ts";
import { disturbCalls } from "./faults/disturb-calls.ts";
import { disturbPages, disturbTotals } from "./faults/disturb-pages.ts";
import { createFaultSwitch } from "./faults/fault-switch.ts";
import { answerClientError, answerErrors, answerFrameworkError } from "./http/answer-errors.ts";
import { authenticate } from "./http/authenticate.ts";
import { compressAnswers, takeEmptyBodies } from "./http/bodies.ts";
import { guardHost } from "./http/guard-host.ts";
import { limitCalls } from "./http/limit-calls.ts";
import type { LocalApiContext, LocalApiLog } from "./http/local-api-context.ts";
import { passOverUnknown } from "./http/unknown-parameters.ts";
import { answerUnknownPaths } from "./http/unknown-paths.ts";
import { createCursorCodec } from "./mentions/cursor-codec.ts";
import { openApiRoute } from "./openapi/openapi-route.ts";
import type { Meter } from "./operate/meter.ts";
import { createRecordViews } from "./records/record-view.ts";
import { accountRoutes, projectRoutes } from "./routes/account-routes.ts";
import { chartRoutes } from "./routes/chart-routes.ts";
import { insightRoutes, topRoutes } from "./routes/insight-routes.ts";
import { mentionEditRoutes } from "./routes/mention-edit-routes.ts";
import { mentionRoutes } from "./routes/mention-routes.ts";
import { queryExplainRoute } from "./routes/query-explain-route.ts";
import { queryDataRoutes, queryValidationRoutes } from "./routes/query-routes.ts";
import { referenceRoutes } from "./routes/reference-routes.ts";
import { resourceRoutes } from "./routes/resource-routes.ts";
import { ruleRoutes } from "./routes/rule-routes.ts";
import { tokenRoute } from "./routes/token-route.ts";
import { createDatabase, type DatabasePool } from "./store/database.ts";
import { createMentionPages } from "./store/mention-page.ts";
import { createMentionRecords } from "./store/mention-records.ts";
import { createMentionSearches } from "./store/mention-searches.ts";
import { createMentionTotals } from "./store/mention-totals.ts";

export interface LocalApiOptions {
  /** Belongs to the caller: `close` does not end it. The schema has to be migrated. */
  readonly pool: DatabasePool;
  /** Decides what is visible: the same stored mentions at the same moment give the same answers. */
  readonly clock: Clock;
  readonly log: LocalApiLog;
  /** Signs cursors. The same in all processes that serve the same data. */
  readonly signingSecret: string;
  /** Calls may ask for faults in the header `x-earshot-fault`. Stored faults happen in any case. */
  readonly testMode?: boolean;
  /** Default: a year less a second. */
  readonly tokenLifetimeSeconds?: number;
  /** Addresses (or CIDR ranges) of proxies whose `X-Forwarded-For` is trusted. Default: none. */
  readonly trustedProxies?: readonly string[];
  /** Logins that this server refuses, with their tokens, because another server serves them from the same tables. */
  readonly refusedLogins?: readonly string[];
  /** Host names that are answered on the loopback address, too: those of a proxy on this machine. Default: none. */
  readonly allowedHosts?: readonly string[];
  /** How long a request may take to arrive, in milliseconds, before it is answered with 408. Default: half a minute. */
  readonly requestTimeoutMs?: number;
  /** Key and certificates in PEM: then the server speaks HTTPS, and nothing else. */
  readonly tls?: { readonly key: string; readonly cert: string } | undefined;
  /** Counts the answers of the server. */
  readonly meter?: Meter;
  /** Parameters that a call does not have are errors. Default: they are ignored, and named in a header. */
  readonly strict?: boolean;
}

/** A call that is served, by its method and the pattern of its path. */
interface ServedCall {
  readonly method: string;
  readonly path: string;
}

export interface LocalApi {
  readonly app: FastifyInstance;
  /** Every served call, for access tests and the list of calls. */
  calls(): Promise<readonly ServedCall[]>;
  /** Gives the base URL, without a slash at its end. Port 0 takes a free one. */
  listen(at: { host: string; port: number }): Promise<string>;
  close(): Promise<void>;
}

const A_YEAR_IN_SECONDS = 31_535_999;
/** The rest of the descriptors is for the console. */
const CONNECTIONS = { most: 500, share: 1 / 3 };

/** The Listening API as an HTTP server. Any number of them may serve the same database. */
export function createLocalApi(options: LocalApiOptions): LocalApi {
  const db = createDatabase(options.pool);
  const faults = createFaultSwitch(db, { testMode: options.testMode ?? false, random: Math.random });
  const context: LocalApiContext = {
    db,
    clock: options.clock,
    cursors: createCursorCodec(options.signingSecret),
    pages: disturbPages(createMentionPages(db), faults),
    records: createMentionRecords(db),
    searches: createMentionSearches(db),
    totals: disturbTotals(createMentionTotals(db), faults),
    views: createRecordViews(),
    refusedLogins: new Set(options.refusedLogins),
    tokenLifetimeSeconds: options.tokenLifetimeSeconds ?? A_YEAR_IN_SECONDS,
  };
  const bounds = requestBounds(options.requestTimeoutMs);
  const settings = {
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 256 * 1024,
    // Given twice: Fastify replaces the one of `http` by its own, which is none.
    requestTimeout: bounds.requestTimeout,
    trustProxy: [...(options.trustedProxies ?? [])],
    routerOptions: { ignoreTrailingSlash: true, ignoreDuplicateSlashes: true, maxParamLength: 200 },
    rewriteUrl: (request) => todaysPath(request.url ?? "/"),
    frameworkErrors: answerFrameworkError,
    clientErrorHandler: answerClientError,
  } satisfies FastifyServerOptions;
  const { tls } = options;
  // The two instances differ in nothing that is used here.
  const app =
    tls === undefined
      ? fastify({ ...settings, http: bounds })
      : (fastify({ ...settings, https: { ...bounds, ...tls } }) as FastifyInstance);
  options.meter?.watch(app);
  boundHttpConnections(app.server, connectionLimit(CONNECTIONS));
  const listensOn = guardHost(app, options.allowedHosts ?? []);
  const served: ServedCall[] = [];
  app.addHook("onRoute", ({ method, url: path }) => {
    for (const one of [method].flat()) if (path !== "/*") served.push({ method: one, path });
  });
  answerErrors(app, options.log);
  passOverUnknown(app, options.log, { strict: options.strict ?? false });
  faults.watch(app);
  disturbCalls(app, faults, db);
  disturbAnswers(app, faults);
  compressAnswers(app);
  breakAnswers(app, faults);
  app.removeContentTypeParser("text/plain");
  takeEmptyBodies(app);
  app.register(async (open) => {
    await open.register(formbody);
    tokenRoute(open, context, options.log);
  });
  app.register(async (guarded) => guardedRoutes(guarded, context));
  return {
    app,
    calls: async () => {
      await app.ready();
      return served;
    },
    listen: async ({ host, port }) => {
      const url = await app.listen({ host, port });
      const bound = app.server.address();
      listensOn(typeof bound === "object" && bound !== null ? bound.address : host);
      return url.replace(/\/$/, "");
    },
    close: () => app.close(),
  };
}

/**
 * Everything but the token call needs a token, unknown paths included: without one, no caller learns which paths exist.
 */
function guardedRoutes(app: FastifyInstance, context: LocalApiContext): void {
  authenticate(app, context);
  limitCalls(app, context.db, context.clock);
  answerUnknownPaths(app);
  accountRoutes(app, context);
  projectRoutes(app, context);
  resourceRoutes(app, context);
  ruleRoutes(app, context);
  mentionRoutes(app, context);
  queryDataRoutes(app, context);
  queryExplainRoute(app, context);
  referenceRoutes(app, context);
  mentionEditRoutes(app, context);
  insightRoutes(app, context);
  topRoutes(app, context);
  chartRoutes(app, context);
  queryValidationRoutes(app);
  openApiRoute(app);
}

/**
 * An earlier form of the paths ends in `.json`, and the published contract has some of them under `/project/`. The
 * query string is not changed.
 */
function todaysPath(url: string): string {
  return url.replace(/^([^?]*)\.json(?=\?|$)/, "$1").replace(/^\/project\/(?=\d)/, "/projects/");
}
