import { createActionLinks } from "./app/action-links.ts";
import { createAskForTalk } from "./app/ask-for-talk.ts";
import { keepCounts, keepTidy, keepWatch, takePresses } from "./app/beside-the-queue.ts";
import { createDirectory } from "./app/directory.ts";
import { createHandlers, walkSettings } from "./app/handlers.ts";
import { recordArrivals } from "./app/learn-arrivals.ts";
import { linkSecret } from "./app/link-secret.ts";
import { openReceivers } from "./app/open-receivers.ts";
import { openTemplates } from "./app/open-templates.ts";
import { createPlaces } from "./app/places.ts";
import { planPolls, publishPlan } from "./app/plan-polls.ts";
import { createContentOfAlert } from "./app/preview/content-of-alert.ts";
import { createPreviews, type Previews } from "./app/preview/create-previews.ts";
import { registerQueries } from "./app/register-queries.ts";
import { CONCURRENCY, handlersOf, type Role } from "./app/roles.ts";
import { rulesByQuery } from "./app/rules-by-query.ts";
import { soundRules, soundTemplates } from "./app/sound-files.ts";
import { createSourceKnowledge } from "./app/source-knowledge.ts";
import { createSourcePages } from "./app/source-pages.ts";
import { accountOf, learnLimit, priorityOf, sourcesOf } from "./app/sources.ts";
import { type Swept, sweep } from "./app/sweep.ts";
import { totalsOf } from "./app/totals-of.ts";
import { createUnsubscribeLinks } from "./app/unsubscribe-links.ts";
import { createViewOf } from "./app/view-of.ts";
import { createWatch, type Looked } from "./app/watch/create-watch.ts";
import { guardRules } from "./app/watch/guard-rules.ts";
import { createCallNotes, queryScope } from "./app/watch/note-calls.ts";
import { noteJob } from "./app/watch/note-jobs.ts";
import { createOutageNotes } from "./app/watch/note-outages.ts";
import { createRuleNotes } from "./app/watch/rule-notes.ts";
import { createPngRenderer } from "./charts/png-renderer.ts";
import type { Config } from "./config.ts";
import { announceDigests } from "./digest/announce-digests.ts";
import { planDigests } from "./digest/planned-digest.ts";
import { createStoryCache } from "./ingest/fold-stories.ts";
import type { WalkRequest } from "./ingest/watermark.ts";
import { type Clock, monotonicMs } from "./lib/clock.ts";
import { type Closing, openTogether } from "./lib/closing.ts";
import { describeError } from "./lib/errors.ts";
import { type Instant, SECOND } from "./lib/instant.ts";
import type { Logger } from "./log.ts";
import type { QueueTally } from "./model/metric-facts.ts";
import type { Query, WatchedQuery } from "./model/query.ts";
import type { DeliverParts } from "./notify/deliver.ts";
import type { BackendOptions } from "./queue/backend.ts";
import { QUEUE_NAMES } from "./queue/jobs.ts";
import { createQueues } from "./queue/queues.ts";
import { createWorker } from "./queue/worker.ts";
import type { Rule } from "./rules/rule.ts";
import { createBudgetStore } from "./store/budgets.ts";
import { createConsoleStore } from "./store/console.ts";
import { openDatabase } from "./store/database.ts";
import { migrate } from "./store/migrate.ts";
import { ensurePartitions } from "./store/partitions.ts";
import { createSourceTraitStore } from "./store/source-traits.ts";
import { createStores, type Stores } from "./store/stores.ts";
import type { Renderer } from "./templates/create-renderer.ts";

export interface EarshotOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly queue: BackendOptions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly roles: readonly Role[];
  /** From when on new queries alert; the present, unless a replay says otherwise. */
  readonly watchFrom?: Instant;
  /** Real time between two sweeps; a second, unless a fast clock wants it shorter. Null: only when `sweep` is called. */
  readonly sweepEveryMs?: number | null;
  /** False: it does not look at itself, for the past that it lives through is not its own. */
  readonly looksAtItself?: boolean;
  /** Address of the page for links in messages, once there is one. */
  readonly consoleUrl?: () => string | null;
  /** Told after every job. */
  readonly onDone?: (job: string, outcome: { readonly outcome: string }) => void;
}

/** A running Earshot: the parts that pages and drivers look at, and its orderly end. */
export interface Earshot {
  readonly stores: Stores;
  readonly rules: readonly Rule[];
  /** Messages as they would be sent, to look at. */
  readonly previews: Previews;
  /** Finds due work and adds its jobs. */
  sweep(): Promise<Swept>;
  /** Earshot looks at itself: finds its own troubles, tells the operators, and calls the heartbeat or withholds it. */
  look(): Promise<Looked>;
  /** Jobs by queue, as the engine counts them. */
  queueTallies(): Promise<readonly QueueTally[]>;
  /** Asks the source again what there is to watch. */
  refreshQueries(): Promise<readonly Query[]>;
  /** How many mentions the source has of each watched query, by id. One call a query. */
  totals(): Promise<ReadonlyMap<string, number>>;
  /** Takes no more work, waits for what runs, and closes everything. */
  stop(): Promise<void>;
}

/** Puts all parts together and starts the roles. Rejects with a UserError where the configuration is at fault. */
export async function startEarshot(options: EarshotOptions): Promise<Earshot> {
  const rules = await soundRules(options.config.rules);
  // Who sends must not find a fault at 3 a.m.; whoever only shows a preview shows the fault with it.
  const open = options.roles.includes("deliver") ? soundTemplates : openTemplates;
  const renderer = await open(options.config.templates);
  return openTogether((closing) => assemble(options, rules, renderer, closing));
}

async function assemble(
  options: EarshotOptions,
  rules: readonly Rule[],
  renderer: Renderer,
  closing: Closing,
): Promise<Earshot> {
  const { config, clock, log, roles } = options;
  const consoleUrl = options.consoleUrl ?? (() => null);
  const stopping = new AbortController();
  await migrate(options.databaseUrl);
  const database = openDatabase({
    url: options.databaseUrl,
    connections: 20,
    onError: (error) => log.warn({ error: describeError(error) }, "a database connection broke"),
  });
  closing.add(database.close);
  const stores = createStores(database.db);
  const pictures = createPngRenderer();
  closing.add(pictures.close);
  await ensurePartitions(database.db, clock.now());
  const budget = createBudgetStore(database.db, accountOf(config.source));
  const sources = sourcesOf(config, database, budget, log, stopping.signal);
  for (const one of Object.values(sources)) closing.add(one.close);
  const source = sources.background;
  const notifiers = openReceivers(config.receivers, { renderer, stores, clock, log }, closing);
  const places = createPlaces(notifiers);
  const secret = await linkSecret(stores);
  const actionsFor = createActionLinks({ receivers: config.receivers, secret, consoleUrl, clock });
  const outages = createOutageNotes({
    stores,
    clock,
    sweepsRun: options.sweepEveryMs !== null,
    queueIn: options.queue.kind,
  });
  const queues = await createQueues({ backend: options.queue, log, onOutage: outages.queueIsBack });
  closing.add(queues.close);
  await stores.setAside.forgetRules(clock.now());
  const rulesFor = rulesByQuery(guardRules(rules, createRuleNotes({ stores, clock, log })));
  const calls = createCallNotes({ stores, clock });
  const knowledge = createSourceKnowledge(
    createSourceTraitStore(database.db, accountOf(config.source)),
    clock,
  );
  const { pagesOf, firstPage } = createSourcePages({
    sources,
    priorityOf: (queries, request) => priorityOf(queries, request, rulesFor),
    pageSize: config.source.pageSize,
    knowledge,
    stores,
    clock,
  });
  const pages = (queries: readonly WatchedQuery[], request: WalkRequest, signal: AbortSignal) =>
    calls.notedPages(queries.map(queryScope), pagesOf(queries, request, signal));

  const digests = planDigests(config.digests);
  const viewParts = {
    stores,
    rulesFor,
    timezone: config.timezone,
    pictures,
    consoleUrl,
    actionsFor,
    unsubscribeUrl: createUnsubscribeLinks({
      receivers: config.receivers,
      secret,
      consoleUrl,
    }),
    languageOf: (digest: string, receiver: string) =>
      digests.find(({ name }) => name === digest)?.languages.get(receiver) ?? null,
  };

  let publishedAt = Number.NEGATIVE_INFINITY;
  const sweepNow = async (): Promise<Swept> => {
    const now = clock.now();
    await announceDigests(stores.digests, digests, now);
    const plan = { stores, budget, source: config.source, rulesFor, knowledge };
    if (monotonicMs() - publishedAt > PUBLISH_EVERY_MS) {
      publishedAt = monotonicMs();
      await publishPlan(plan, now);
    }
    return sweep({ stores, queues, digests, places, planPolls: (at) => planPolls(plan, at) }, now);
  };
  const deliverParts: DeliverParts = {
    log: stores.notifications,
    lanes: stores.lanes,
    standing: stores.alertMessages,
    receiversOf: places.receiversOf,
    notifierOf: (receiver) => notifiers.get(receiver),
    viewOf: createViewOf(viewParts),
    clock,
  };
  const handlers = createHandlers({
    poll: {
      store: stores,
      walkPages: (query, request, signal) => pages([query], request, signal),
      walkPagesOf: pages,
      firstPage,
      knowledge,
      walkAlone: stores.walks.walkAlone,
      rulesFor,
      directory: createDirectory(config),
      clock,
      settings: (query, walk) => walkSettings(config.source, query, walk, rulesFor(query)),
      stories: createStoryCache(),
      everyMs: (walk) => (walk === "added" ? config.source.pollEvery : config.source.updatesEvery),
    },
    sharing: {
      isProven: async () => (await budget.read()).sharing === "proven",
      learn: async (sharing) => {
        await budget.setSharing(sharing);
        log.info({ sharing }, "calls for several queries at once");
      },
    },
    onWalked: async (walks) => {
      if ((await budget.read()).limit === null) return;
      const historyFrom = clock.now() - config.source.history;
      const finished = walks.map(({ key, result }) => ({
        key,
        found: key.walk === "added" ? result.added : result.changed,
        startedAt: result.startedAt,
        historyFrom,
      }));
      await recordArrivals(stores, finished);
    },
    deliver: deliverParts,
    show: { ...deliverParts, standing: stores.alertMessages },
    digest: {
      store: stores,
      digests,
      askForTalk: createAskForTalk(source, log, stopping.signal),
      clock,
      historyMs: config.source.history,
      consoleUrl,
    },
    sweep: async () => {
      await stores.watch.beat("sweep", clock.now());
      await sweepNow();
    },
    noted: (job, payload, work) => noteJob({ stores, clock, log }, job, payload, work),
    queues,
    log,
    onDone: options.onDone ?? (() => {}),
  });
  const refreshQueries = async (): Promise<readonly Query[]> => {
    const now = clock.now();
    await calls.noted("client", () => learnLimit(source, budget, log));
    const watchFrom = options.watchFrom ?? now;
    const moments = { watchFrom, historyFrom: watchFrom - config.source.history, now };
    return calls.noted("projects and queries", () =>
      registerQueries({ source, stores }, config.source, moments, stopping.signal),
    );
  };

  const watch = createWatch({
    config,
    stores,
    notifiers,
    deliver: deliverParts,
    outages,
    pollEveryMs: config.source.pollEvery,
    sweepsRun: options.sweepEveryMs !== null,
    clock,
    log,
    signal: stopping.signal,
  });
  const worker = createWorker({
    queues,
    handlers: handlersOf(roles, handlers),
    concurrency: CONCURRENCY,
    log,
  });
  closing.add(worker.stop);
  await worker.start();
  const besides = { config, stores, clock, log, signal: stopping.signal };
  if (roles.includes("deliver")) closing.add(takePresses(besides));
  if (roles.includes("sweep")) {
    closing.add(keepTidy({ ...besides, db: database.db, budget, refreshQueries }));
    // Null: a driver sweeps by hand, and lives through a past that nobody counts again or looks after.
    const everyMs = options.sweepEveryMs === undefined ? SECOND : options.sweepEveryMs;
    if (everyMs !== null) {
      closing.add(keepCounts({ ...besides, source, budget }));
      await queues.remindEvery("sweep", {}, { everyMs });
      if (options.looksAtItself !== false) closing.add(keepWatch({ ...besides, watch, outages }));
    }
  }
  // First of all: what waits for the source or for its next round is told to stop.
  closing.add(async () => stopping.abort(new Error("Earshot is stopping")));
  return {
    stores,
    rules,
    previews: createPreviews({
      renderer,
      contentOf: createContentOfAlert({ ...viewParts, facts: createConsoleStore(database.db) }),
    }),
    sweep: sweepNow,
    look: watch.look,
    queueTallies: () =>
      Promise.all(QUEUE_NAMES.map(async (queue) => ({ queue, ...(await queues.counts(queue)) }))),
    refreshQueries,
    totals: () => totalsOf(source, stores, config.source.lookback, clock.now()),
    stop: closing.close,
  };
}

const PUBLISH_EVERY_MS = 15 * SECOND;
