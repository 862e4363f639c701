import { once } from "node:events";
import type { ServerResponse } from "node:http";
import compress from "@fastify/compress";
import type { FastifyInstance } from "fastify";
import type { FeedView } from "#feeds";
import type {
  AlertExplainer,
  ConsoleFacts,
  InteractionEndpoint,
  Previews,
  ShownWait,
  ShownWarmUp,
  Stores,
  Unsubscribing,
} from "#monitor";
import { type Clock, systemClock } from "../lib/clock.ts";
import { cached, withTimeout } from "../lib/concurrency.ts";
import { SECOND } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { accountRoutes, type PeopleParts } from "./account-routes.ts";
import type { ConsoleActions } from "./action-routes.ts";
import { actionRoutes } from "./action-routes.ts";
import { type AdmissionSettings, boundPages } from "./admission.ts";
import { assetRoutes, chartRoutes } from "./asset-routes.ts";
import { atomRoutes } from "./atom-routes.ts";
import { type ConsoleRoute, declareRoutes } from "./auth/access.ts";
import { keepAudit } from "./auth/audit.ts";
import { demandLogin, type Refuse } from "./auth/demand-login.ts";
import { protectForms } from "./auth/forms.ts";
import { createOpenId } from "./auth/open-id.ts";
import { createProxyUsers } from "./auth/proxy-users.ts";
import { createSecondFactors } from "./auth/second-factor.ts";
import { openCookies } from "./auth/sessions.ts";
import { guardHost, setSecurityHeaders } from "./auth/set-security-headers.ts";
import { createUsers } from "./auth/users.ts";
import { createCorrections } from "./common/corrections.ts";
import type { RuleView } from "./common/rule-view.ts";
import { type ConsoleSettings, checkSettings } from "./common/settings.ts";
import type { SetupView } from "./common/setup-view.ts";
import type { TemplateView } from "./common/template-view.ts";
import { createTimes, describePace } from "./common/times.ts";
import { digestRoutes } from "./digest-routes.ts";
import { feedRoutes } from "./feed-routes.ts";
import { createFrames } from "./frames.ts";
import type { Answer } from "./front.ts";
import { type Health, healthRoutes } from "./health-routes.ts";
import { type HubReceiver, hubRoutes } from "./hub-routes.ts";
import type { InboxView } from "./inbox/inbox-view.ts";
import { incidentRoutes } from "./incident-routes.ts";
import { insightRoutes } from "./insight-routes.ts";
import { interactionRoutes } from "./interaction-routes.ts";
import { invitationRoutes } from "./invitation-routes.ts";
import { listRoutes } from "./list-routes.ts";
import { liveRoute, watchVersions } from "./live-route.ts";
import { loginRoutes } from "./login-routes.ts";
import { OPEN_ID_PATH, openIdRoutes } from "./open-id-routes.ts";
import { pageRoutes } from "./page-routes.ts";
import { readVolume, type VolumeReader } from "./pages/overview.ts";
import type { ExplainMention, ExplainUnread } from "./pages/why-mention.ts";
import { previewRoutes } from "./preview-routes.ts";
import { type PushReceiver, pushRoutes } from "./push-routes.ts";
import { reviewRoutes } from "./review-routes.ts";
import { roomRoutes } from "./room-routes.ts";
import { ruleRoutes } from "./rule-routes.ts";
import { answerFaults, createRefusalLog, createServer, keepStorable, listen } from "./server.ts";
import { shareAnswers } from "./share-answers.ts";
import { templateRoutes } from "./template-routes.ts";
import { unsubscribeRoutes } from "./unsubscribe-routes.ts";
import { userRoutes } from "./user-routes.ts";
import { viewRoutes } from "./view-routes.ts";
import { readPeople } from "./work-routes.ts";

export interface ConsoleDeps {
  readonly facts: ConsoleFacts;
  /** Random, secret, and the same for every process. Cookie keys are derived from it. */
  readonly secret: string;
  readonly stored: Stores;
  /** Domain time: the pages show it as now. */
  readonly clock: Clock;
  /** Null if messages go to the real Slack and a real mail server. */
  readonly inbox: InboxView | null;
  /** Absent if no mail carries an unsubscribe link. */
  readonly unsubscribing?: Unsubscribing;
  /** Whether users can get mails. */
  readonly mailsPeople?: boolean;
  /** Absent if the console is read-only. */
  readonly actions?: ConsoleActions;
  /** Where vendors post clicks on buttons. */
  readonly interactions?: readonly InteractionEndpoint[];
  readonly push?: PushReceiver | undefined;
  /** Absent if no hub can reach the console. */
  readonly hubs?: HubReceiver | undefined;
  /** Absent if no public feed is configured. */
  readonly feeds?: FeedView | undefined;
  /** Absent if the console cannot write a configuration. */
  readonly setup?: SetupView | undefined;
  /** Absent if nothing renders messages. */
  readonly previews?: Previews | undefined;
  /** Absent if the console does not know the folder of rules. */
  readonly rules?: RuleView | undefined;
  /** Absent if the console does not know the folder of templates. */
  readonly templates?: TemplateView | undefined;
  readonly health: Health;
  /** What the pages may take of the process. */
  readonly admission?: AdmissionSettings;
  /** If absent, the pages show neither findings nor charts of alerts. */
  readonly explainer?: AlertExplainer;
  /** The title of a rule; its name in words if absent. */
  readonly titleOf?: (rule: string) => string;
  /** Rules that cannot fire yet. Absent if the console does not know the rules. */
  readonly warmingUp?: () => Promise<readonly ShownWarmUp[]>;
  /** Receivers whose messages are delayed, and why. Absent if the console does not know the receivers. */
  readonly waits?: (() => Promise<readonly ShownWait[]>) | undefined;
  /** Explains why a mention notified somebody, or nobody. Absent if the console does not know the rules. */
  readonly explainMention?: ExplainMention | undefined;
  /** Explains why a mention is not stored. Absent if the console does not know the rules. */
  readonly explainUnread?: ExplainUnread | undefined;
  /** The banner: what happens next, in a sentence or two; null for none. Called for every page. */
  readonly whatHappensNext?: (() => string | null) | undefined;
  readonly log: Logger;
  /** Times sessions and login attempts. Only tests pass another one. */
  readonly wall?: Clock;
  /** How long a request may take to arrive; default half a minute. Only tests pass another one. */
  readonly requestTimeoutMs?: number;
  /** How often a stream shows that it lives, and looks whether its session does. Only tests pass another one. */
  readonly heartbeatMs?: number;
}

interface Console {
  /** Resolves with the console's address on this machine. */
  listen(): Promise<string>;
  /** Instead of `listen`: answers requests that a `Front` took. */
  open(): Promise<Answer>;
  /** All routes, so that a test can check what strangers may reach. */
  readonly routes: readonly ConsoleRoute[];
  /** Ends the live updates, answers what was asked, and closes. */
  close(): Promise<void>;
}

/**
 * Serves the pages, their JSON, their live updates, and the health of the process. Throws a UserError if the settings
 * would show everything to everybody on a network.
 */
export async function createConsole(deps: ConsoleDeps, settings: ConsoleSettings): Promise<Console> {
  const wall = deps.wall ?? systemClock;
  await checkSettings(settings, () => deps.stored.users.isUsed());
  const times = createTimes(deps.clock, settings.timezone, deps.titleOf);
  const volume = cached(() => readVolume({ facts: deps.facts, times }), VOLUME_LIVES_MS, wall);
  const watch = watchVersions(deps.facts, deps.clock, volume, deps.log, deps.feeds);
  const app = createServer(settings, deps.requestTimeoutMs);
  const users = await createUsers(settings, { stored: deps.stored.users, secret: deps.secret, wall });
  const routes = declareRoutes(app);
  await setSecurityHeaders(app, settings);
  guardHost(app, settings, users);
  const noteRefusal = createRefusalLog(deps.log);
  boundPages(app, deps.admission ?? {}, noteRefusal);
  keepStorable(app);
  // Compression is safe (BREACH): a page's token differs each time, and no other site can send requests as a reader.
  await app.register(compress, { threshold: 1_024, encodings: ["gzip", "identity"] });
  await openCookies(app, deps.secret, settings);
  const forms = await protectForms(app, settings);
  // Only the demo has no earshot.yaml: whoever is at its machine may write one.
  const roleAtMachine = deps.setup?.isOpen === true ? "admin" : "responder";
  const refuse: Refuse = (...args) => frames.sendProblem(...args);
  keepAudit(app, { audit: deps.stored.audit, wall, log: deps.log });
  const secondFactors = createSecondFactors(
    deps.stored.secondFactors,
    settings.secondFactorKey ?? deps.secret,
  );
  const { proxy } = settings;
  const proxyUsers =
    proxy === undefined ? null : createProxyUsers(proxy, { users, stored: deps.stored, wall });
  const auth = await demandLogin(app, {
    ...{ users, secondFactors, proxyUsers, stored: deps.stored, roleAtMachine, wall, log: deps.log, refuse },
  });
  const frames = createFrames({
    facts: deps.facts,
    times,
    watch,
    shared: shareAnswers(wall),
    forms,
    hasInbox: deps.inbox !== null,
    hasRules: deps.rules !== undefined,
    hasDigests: deps.previews !== undefined,
    hasActions: deps.actions !== undefined,
    pace: describePace(deps.clock),
    whatHappensNext: deps.whatHappensNext ?? (() => null),
  });
  // First: awaiting a plugin finishes the routes registered before it, and finished routes accept no more hooks.
  answerFaults(app, frames, deps.log, noteRefusal);
  await assetRoutes(app);
  const parts = { users, auth, secondFactors, forms, times, wall, volume: volume.ask, frames };
  addLoginRoutes(app, deps, settings, parts);
  const closeReviews = addPageRoutes(app, deps, settings, parts);
  const closeStreams = liveRoute(app, auth, watch, times, deps.heartbeatMs);
  const open = new Set<ServerResponse>();
  return {
    routes,
    listen: () => listen(app, settings),
    open: async () => {
      await app.ready();
      return (request, response) => {
        open.add(response);
        response.once("close", () => open.delete(response));
        app.routing(request, response);
      };
    },
    close: async () => {
      watch.stop();
      closeStreams();
      await closeReviews();
      const answered = Promise.all([...open].map((response) => once(response, "close")));
      await withTimeout(ANSWER_PATIENCE_MS, answered).catch(() => {});
      await app.close();
    },
  };
}

/** What the routes of a console share. */
interface RouteParts extends PeopleParts {
  readonly volume: VolumeReader;
  readonly frames: ReturnType<typeof createFrames>;
}

/** Login, and what people change of themselves, of each other, and of their views. */
function addLoginRoutes(
  app: FastifyInstance,
  { stored: stores, mailsPeople = false, log }: ConsoleDeps,
  { oidc, publicUrl }: ConsoleSettings,
  { users, auth, secondFactors, forms, times, wall, frames }: RouteParts,
): void {
  const { login } = auth;
  loginRoutes(app, login, forms, oidc === undefined ? null : { address: OPEN_ID_PATH, label: oidc.label });
  const namesOfFile = users.ofFile.map(({ name }) => name);
  const openId = oidc === undefined ? null : createOpenId(oidc, { stored: stores, namesOfFile, wall, log });
  openIdRoutes(app, { openId, users, login, forms, publicUrl });
  invitationRoutes(app, { stores, login, forms, wall });
  accountRoutes(app, { stores, users, auth, secondFactors, forms, times, wall }, frames);
  userRoutes(app, { stores, users, forms, times, wall, publicUrl }, frames);
  viewRoutes(app, { stores, forms, times, wall, hasMail: mailsPeople }, frames);
}

/** All other pages. Returns what ends the reviews that are being written. */
function addPageRoutes(
  app: FastifyInstance,
  deps: ConsoleDeps,
  settings: ConsoleSettings,
  { users, auth, forms, times, wall, volume, frames }: RouteParts,
): () => Promise<void> {
  const { facts, stored: stores, explainer = null, feeds = null, setup = null } = deps;
  const { actions, previews, templates, rules, warmingUp } = deps;
  const { publicUrl } = settings;
  const hasActions = actions !== undefined;
  const hasPreviews = previews !== undefined;
  const hasRules = rules !== undefined;
  incidentRoutes(app, { facts, stores, forms, times, wall, publicUrl }, frames);
  const closeReviews = reviewRoutes(app, { facts, stores, forms, times }, frames);
  roomRoutes(app, { facts, stores, times, wall });
  healthRoutes(app, { health: deps.health, facts, times, wall });
  const toAccount = settings.writesCorrections === true;
  const corrections = feeds === null && !toAccount ? null : createCorrections({ feeds, stores, toAccount });
  const people = cached(() => readPeople(stores, users), PEOPLE_LIVE_MS, wall).ask;
  const work = { stores, forms, hasActions, people };
  listRoutes(app, { ...work, times }, frames);
  pageRoutes(
    app,
    {
      ...{ facts, inbox: deps.inbox, explainer, hasPreviews, hasRules, feeds, hasSetup: setup !== null },
      ...(warmingUp === undefined ? {} : { warmingUp: cached(warmingUp, LEARNING_LIVES_MS, wall).ask }),
      explainMention: deps.explainMention,
      explainUnread: deps.explainUnread,
      waits: deps.waits,
      ...{ times, volume, work, corrections },
    },
    frames,
  );
  insightRoutes(app, { stores, facts, times, hasRules }, frames);
  atomRoutes(app, { facts, times, settings });
  if (deps.unsubscribing !== undefined) unsubscribeRoutes(app, deps.unsubscribing, deps.log);
  interactionRoutes(app, deps.interactions ?? []);
  if (deps.push !== undefined) pushRoutes(app, deps.push, auth);
  if (deps.hubs !== undefined) hubRoutes(app, deps.hubs);
  if (explainer !== null) chartRoutes(app, facts, explainer);
  if (actions !== undefined) actionRoutes(app, { actions, forms, times, facts }, frames);
  if (previews !== undefined) {
    previewRoutes(app, previews, { hasEditor: templates !== undefined }, frames);
    if (templates !== undefined)
      templateRoutes(app, { templates, samples: previews.samples, times, forms, settings }, frames);
    digestRoutes(app, { previews, facts, times }, frames);
  }
  if (rules !== undefined) {
    const { authorLists } = stores;
    const hasTemplates = templates !== undefined && hasPreviews;
    const learning = warmingUp ?? (async () => []);
    ruleRoutes(
      app,
      { rules, facts, authorLists, warmingUp: learning, times, forms, settings, hasTemplates },
      frames,
    );
  }
  feedRoutes(app, { feeds, setup, corrections, hasActions, times, forms, settings }, frames);
  return closeReviews;
}

/** How long a console that is replaced may take to answer what was asked. */
const ANSWER_PATIENCE_MS = 5 * SECOND;

/** Counting a day of mentions is the only costly question; readers share its answer for this long. */
const VOLUME_LIVES_MS = 5 * SECOND;

/** Somebody may be typed who is not in the list of a form yet, so many readers share one. */
const PEOPLE_LIVE_MS = 5 * SECOND;

/** Rules warm up for hours or weeks, so their state need not be read again at every poll. */
const LEARNING_LIVES_MS = 20 * SECOND;
