import type { AskedSource } from "./alerts/actions/why.ts";
import { runBackgroundLoops } from "./app/background-loops.ts";
import { createPollParts } from "./app/create-poll-parts.ts";
import { createSweep } from "./app/create-sweep.ts";
import { createHandlers } from "./app/handlers.ts";
import { openNotify } from "./app/open-notify.ts";
import { openSource } from "./app/open-source.ts";
import { openTemplates } from "./app/open-templates.ts";
import { CONCURRENCY, handlersOf, type Role } from "./app/roles.ts";
import { rulesByQuery } from "./app/rules-by-query.ts";
import { learnLimit } from "./app/sources.ts";
import type { Swept } from "./app/sweep.ts";
import { validRules, validTemplates } from "./app/validate-files.ts";
import type { Config } from "./config.ts";
import { createFetchInsights } from "./digest/fetch-insights.ts";
import { createHealth, type HealthReport } from "./health/create-health.ts";
import { createRuleNotes, guardRules } from "./health/guard-rules.ts";
import { trackJob } from "./health/note-failures.ts";
import { createOutageLog } from "./health/note-outages.ts";
import type { Clock } from "./lib/clock.ts";
import { type Closing, openTogether } from "./lib/closing.ts";
import { describeError } from "./lib/errors.ts";
import { type Instant, SECOND } from "./lib/instant.ts";
import type { Logger } from "./log.ts";
import type { QueueCounts } from "./model/pipeline-facts.ts";
import type { Query } from "./model/query.ts";
import { titleOf } from "./model/wording.ts";
import { totalsOf } from "./polling/reconcile-counts.ts";
import { registerQueries } from "./polling/register-queries.ts";
import type { BackendOptions } from "./queue/backend.ts";
import { QUEUE_NAMES } from "./queue/jobs.ts";
import { createQueues } from "./queue/queues.ts";
import { createWorker } from "./queue/worker.ts";
import type { Rule } from "./rules/rule.ts";
import { createConsoleStore } from "./store/console.ts";
import { openDatabase } from "./store/database.ts";
import { migrate } from "./store/migrate.ts";
import { ensurePartitions } from "./store/partitions.ts";
import { createStores, type Stores } from "./store/stores.ts";
import type { Renderer } from "./templates/create-renderer.ts";
import { createContentOfAlert, createPreviews, type Previews } from "./templates/previews/create-previews.ts";

export interface EarshotOptions {
  readonly config: Config;
  readonly databaseUrl: string;
  readonly queue: BackendOptions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly roles: readonly Role[];
  /** From when on new queries alert; now, unless a replay sets another time. */
  readonly watchFrom?: Instant;
  /** Real time between two sweeps; a second, unless a fast clock wants it shorter. Null: only when `sweep` is called. */
  readonly sweepEveryMs?: number | null;
  /** False: no health checks, because it replays a past that is not its own. */
  readonly checksHealth?: boolean;
  /** Address of the console for links in messages, if there is one. */
  readonly consoleUrl?: () => string | null;
  /** Aborts a start that waits: rejects with its reason. */
  readonly signal?: AbortSignal;
  /** Called after every job. */
  readonly onDone?: (job: string, outcome: { readonly outcome: string }) => void;
}

/** A running Earshot: the parts that the console and drivers use, and its orderly end. */
export interface Earshot {
  readonly stores: Stores;
  readonly rules: readonly Rule[];
  /** Messages as they would be sent, for previews. */
  readonly previews: Previews;
  /** What explanations need of the configuration, and the source to ask for a mention that is not stored. */
  readonly why: {
    readonly routing: { readonly routes: Config["routes"]; readonly receivers: readonly string[] };
    readonly source: AskedSource;
    readonly historyMs: number;
    readonly retentionMs: number;
  };
  /** Finds due work and adds its jobs. */
  sweep(): Promise<Swept>;
  /** Checks Earshot's own health: finds problems, notifies the operators, and calls the heartbeat or withholds it. */
  checkHealth(): Promise<HealthReport>;
  /** Jobs by queue, as the engine counts them. */
  queueCounts(): Promise<readonly QueueCounts[]>;
  /** Asks the source again for the queries to watch. */
  refreshQueries(): Promise<readonly Query[]>;
  /** How many mentions the source has of each watched query, by id. One call for each query. */
  totals(): Promise<ReadonlyMap<string, number>>;
  /** Takes no more work, waits for running work, and closes everything. */
  stop(): Promise<void>;
}

/** Puts all parts together and starts the roles. Rejects with a UserError if the configuration is wrong. */
export async function startEarshot(options: EarshotOptions): Promise<Earshot> {
  const rules = await validRules(options.config.rules);
  // A process that sends must find a fault at the start, not at 3 a.m.; a preview shows the fault instead.
  const open = options.roles.includes("deliver") ? validTemplates : openTemplates;
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
  const { sweepEveryMs = SECOND } = options;
  const sweepsRun = sweepEveryMs !== null;
  const consoleUrl = options.consoleUrl ?? (() => null);
  const stopping = new AbortController();
  const { signal } = stopping;
  await migrate(options.databaseUrl);
  const database = openDatabase({
    url: options.databaseUrl,
    connections: 20,
    onError: (error) => log.warn({ error: describeError(error) }, "a database connection broke"),
  });
  closing.add(database.close);
  const stores = createStores(database.db);
  await ensurePartitions(database.db, clock.now());
  await stores.deadLetters.forgetRules(clock.now());
  const rulesFor = rulesByQuery(guardRules(rules, createRuleNotes({ stores, clock, log })));
  const source = openSource({ config, database, stores, rulesFor, clock, log, signal }, closing);
  const { budget, calls } = source;
  const { quirkLog } = source.pages;
  const notify = await openNotify({ config, stores, renderer, rulesFor, consoleUrl, clock, log }, closing);
  const { notifiers, channels, digests, deliver } = notify;
  const outages = createOutageLog({
    stores,
    clock,
    sweepsRun,
    queueIn: options.queue.kind,
  });
  const queues = await createQueues({
    backend: options.queue,
    log,
    onOutage: outages.queueIsBack,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  closing.add(queues.close);
  const plan = { stores, budget, source: config.source, rulesFor, quirkLog };
  const sweep = createSweep({ stores, queues, digests, channels, plan, clock });
  const handlers = createHandlers({
    ...createPollParts({ config, stores, source, rulesFor, clock, log }),
    deliver,
    updateMessage: { ...deliver, liveMessages: stores.alertMessages },
    digest: {
      store: stores,
      digests,
      fetchInsights: createFetchInsights(source.background, log, signal),
      clock,
      historyMs: config.source.history,
      consoleUrl,
      titleOf: (name) => rules.find((rule) => rule.name === name)?.title ?? titleOf(name),
    },
    sweep: async () => {
      await stores.health.beat("sweep", clock.now());
      await sweep();
    },
    noted: (job, payload, work) => trackJob({ stores, clock, log }, job, payload, work),
    queues,
    log,
    onDone: options.onDone ?? (() => {}),
  });
  const refreshQueries = async (): Promise<readonly Query[]> => {
    const now = clock.now();
    await calls.noted("client", () => learnLimit(source.background, budget, log));
    const watchFrom = options.watchFrom ?? now;
    const moments = { watchFrom, historyFrom: watchFrom - config.source.history, now };
    return calls.noted("projects and queries", () =>
      registerQueries({ source: source.background, stores }, config.source, moments, signal),
    );
  };

  const health = createHealth({
    config,
    stores,
    notifiers,
    deliver,
    outages,
    pollEveryMs: config.source.pollEvery,
    sweepsRun,
    clock,
    log,
    signal,
  });
  const worker = createWorker({
    queues,
    handlers: handlersOf(roles, handlers),
    concurrency: CONCURRENCY,
    log,
  });
  closing.add(worker.stop);
  await worker.start();
  if (roles.includes("sweep") && sweepEveryMs !== null)
    await queues.remindEvery("sweep", {}, { everyMs: sweepEveryMs });
  runBackgroundLoops(
    roles,
    {
      config,
      stores,
      db: database.db,
      source,
      refreshQueries,
      health: options.checksHealth === false ? null : health,
      outages,
      sweepsRun,
      clock,
      log,
      signal,
    },
    closing,
  );
  // First of all, end everything that waits for the source or for its next round.
  closing.add(async () => stopping.abort(new Error("Earshot is stopping")));
  return {
    stores,
    rules,
    why: {
      routing: { routes: config.routes, receivers: config.receivers.map(({ name }) => name) },
      source: source.background.extensions,
      historyMs: config.source.history,
      retentionMs: config.retention,
    },
    previews: createPreviews({
      renderer,
      contentOf: createContentOfAlert({ ...notify.view, facts: createConsoleStore(database.db) }),
    }),
    sweep,
    checkHealth: health.checkHealth,
    queueCounts: () =>
      Promise.all(QUEUE_NAMES.map(async (queue) => ({ queue, ...(await queues.counts(queue)) }))),
    refreshQueries,
    totals: () => totalsOf(source.background, stores, config.source.lookback, clock.now()),
    stop: closing.close,
  };
}
