import { type FastifyInstance, fastify } from "fastify";
import { type Clock, systemClock } from "../lib/clock.ts";
import { describeError } from "../lib/errors.ts";
import { SECOND } from "../lib/instant.ts";
import type { Logger } from "../log.ts";
import type { ShownWait, ShownWarmUp } from "../model/shown.ts";
import { assetRoutes } from "./asset-routes.ts";
import { chartRoutes } from "./chart-routes.ts";
import type { ConsoleDesk } from "./console-desk.ts";
import { deskRoutes } from "./desk-routes.ts";
import { demandLogin } from "./door/demand-login.ts";
import { createForms } from "./door/forms.ts";
import { guardHost } from "./door/guard-host.ts";
import { setSecurityHeaders } from "./door/set-security-headers.ts";
import type { AlertExplainer } from "./explainer.ts";
import type { ConsoleFacts } from "./facts.ts";
import { createFrames } from "./frames.ts";
import { type Health, healthRoutes } from "./health-routes.ts";
import type { InboxView } from "./inbox-view.ts";
import { liveRoute } from "./live-route.ts";
import { pageRoutes } from "./page-routes.ts";
import { readVolume } from "./pages/overview.ts";
import type { ExplainMention } from "./pages/why-mention.ts";
import { previewRoutes } from "./preview-routes.ts";
import type { PreviewView } from "./preview-view.ts";
import { remember } from "./remember.ts";
import { type ConsoleSettings, checkSettings } from "./settings.ts";
import { type SlackDoor, slackRoutes } from "./slack-routes.ts";
import { createTimes, describePace } from "./times.ts";
import { unsubscribeRoutes } from "./unsubscribe-routes.ts";
import type { Unsubscribing } from "./unsubscribing.ts";
import { watchVersions } from "./watch-versions.ts";

export interface ConsoleDeps {
  readonly facts: ConsoleFacts;
  /** Domain time: what the pages show as now. */
  readonly clock: Clock;
  /** Null where messages go to the real Slack and a real mail server. */
  readonly inbox: InboxView | null;
  /** Absent where no mail carries a link that ends a subscription. */
  readonly unsubscribing?: Unsubscribing;
  /** What people can do here; absent where the page only shows. */
  readonly desk?: ConsoleDesk;
  /** Absent where no message in Slack has buttons that post here. */
  readonly slack?: SlackDoor;
  /** Absent where nothing renders messages. */
  readonly previews?: PreviewView;
  readonly health: Health;
  /** Absent: the pages show neither findings nor charts of alerts. */
  readonly explainer?: AlertExplainer;
  /** Rules that cannot fire yet. Absent where the page does not know the rules. */
  readonly learning?: () => Promise<readonly ShownWarmUp[]>;
  /** Receivers that are not told at once, and why. Absent where the page does not know the receivers. */
  readonly waits?: () => Promise<readonly ShownWait[]>;
  /** What became of a mention, for a person who asks. Absent where the page does not know the rules. */
  readonly explainMention?: ExplainMention;
  /** What happens next, in a sentence or two, for the banner; null for none. Asked for every page. */
  readonly whatHappensNext?: () => string | null;
  readonly log: Logger;
  /** Only tests pass another one: it times sessions and attempts. */
  readonly wall?: Clock;
}

export interface Console {
  /** Resolves with the address under which the page answers on this machine. */
  listen(): Promise<string>;
  close(): Promise<void>;
}

/**
 * The pages, their JSON, their live updates, and the health of the process. Throws a UserError when the settings would
 * show everything to everybody on a network.
 */
export async function createConsole(deps: ConsoleDeps, settings: ConsoleSettings): Promise<Console> {
  checkSettings(settings);
  const wall = deps.wall ?? systemClock;
  const times = createTimes(deps.clock, settings.timezone);
  const volume = remember(() => readVolume({ facts: deps.facts, times }), VOLUME_LIVES_MS, wall);
  const watch = watchVersions(deps.facts, deps.clock, volume, deps.log);
  const app = fastify({
    logger: false,
    forceCloseConnections: true,
    bodyLimit: 10_000,
    // Signed links are longer than the hundred characters that a part of an address may usually have.
    routerOptions: { maxParamLength: 1_000 },
  });
  setSecurityHeaders(app);
  guardHost(app, settings);
  const door = await demandLogin(app, settings, { wall, log: deps.log });
  const frames = createFrames({
    facts: deps.facts,
    times,
    watch,
    door,
    hasInbox: deps.inbox !== null,
    hasDesk: deps.desk !== undefined,
    pace: describePace(deps.clock),
    whatHappensNext: deps.whatHappensNext ?? (() => null),
  });
  // First of all: what is awaited below finishes the routes before it, and those that were finished have no other.
  answerFaults(app, frames, deps.log);
  assetRoutes(app);
  healthRoutes(app, deps.health, deps.facts, times);
  const explainer = deps.explainer ?? null;
  const forms = deps.desk === undefined ? null : await createForms(app, deps.desk.secret, settings);
  const hasPreviews = deps.previews !== undefined;
  pageRoutes(
    app,
    {
      facts: deps.facts,
      inbox: deps.inbox,
      explainer,
      hasPreviews,
      ...(deps.learning === undefined
        ? {}
        : { learning: remember(deps.learning, LEARNING_LIVES_MS, wall).ask }),
      ...(deps.explainMention === undefined ? {} : { explainMention: deps.explainMention }),
      ...(deps.waits === undefined ? {} : { waits: deps.waits }),
      times,
      volume: volume.ask,
      forms,
    },
    frames,
  );
  if (deps.unsubscribing !== undefined) unsubscribeRoutes(app, deps.unsubscribing, deps.log);
  if (deps.slack !== undefined) slackRoutes(app, deps.slack);
  if (explainer !== null) chartRoutes(app, deps.facts, explainer);
  if (deps.desk !== undefined && forms !== null)
    deskRoutes(app, { desk: deps.desk, forms, times, facts: deps.facts, settings }, frames);
  if (deps.previews !== undefined) previewRoutes(app, deps.previews, frames);
  const closeStreams = liveRoute(app, watch, times);
  return {
    listen: () => listen(app, settings),
    close: async () => {
      watch.stop();
      closeStreams();
      await app.close();
    },
  };
}

/** Counting a day of mentions is the one costly question; readers share its answer for so long. */
const VOLUME_LIVES_MS = 5 * SECOND;

/** Who learns for hours or weeks need not be asked again with every poll. */
const LEARNING_LIVES_MS = 20 * SECOND;

async function listen(app: FastifyInstance, { host, port }: ConsoleSettings): Promise<string> {
  await app.listen({ host, port });
  const address = app.server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const name = host === "0.0.0.0" || host === "::" ? "localhost" : host.includes(":") ? `[${host}]` : host;
  return `http://${name}:${bound}`;
}

/** A fault of ours says nothing of its inside to the reader, and everything but contents to the log. */
function answerFaults(app: FastifyInstance, frames: ReturnType<typeof createFrames>, log: Logger): void {
  app.setNotFoundHandler((request, reply) =>
    frames.sendProblem(request, reply, 404, "There is nothing here", "The address may be old or mistyped."),
  );
  app.setErrorHandler(async (error: unknown, request, reply) => {
    const status = statusOf(error);
    if (status >= 500) {
      log.error({ path: request.url.split("?", 1)[0], reason: describeError(error) }, "a page failed");
    }
    const advice = status >= 500 ? "The log says why. Try again in a moment." : "Please check the address.";
    const headline = status >= 500 ? "This page could not be made" : "That cannot be asked";
    await frames.sendProblem(request, reply, status, headline, advice);
  });
}

function statusOf(error: unknown): number {
  const status = error instanceof Error && "statusCode" in error ? error.statusCode : undefined;
  return typeof status === "number" && status >= 400 && status < 500 ? status : 500;
}
