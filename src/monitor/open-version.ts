import type { Clock } from "../lib/clock.ts";
import { createClosing, openTogether } from "../lib/closing.ts";
import type { Instant } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { runBackgroundLoops } from "./background-loops.ts";
import type { PngRenderer } from "./charts/png-renderer.ts";
import { createFetchInsights } from "./digest/fetch-insights.ts";
import { listDigests } from "./digest/list-digests.ts";
import { askEach } from "./explain/ask-source.ts";
import type { AskedSource } from "./explain/why.ts";
import { createHandlers } from "./handlers.ts";
import { checkHealthLoop, createHealth, type HealthReport } from "./health/create-health.ts";
import { trackJob } from "./health/note-failures.ts";
import type { OutageLog } from "./health/note-outages.ts";
import { createNotifyConfig } from "./health/notify-config.ts";
import { createRuleNotes } from "./health/rule-notes.ts";
import { recordProblems } from "./ingest/record-problems.ts";
import type { FeedHealth } from "./model/pipeline-facts.ts";
import { type Query, sourceOfProject } from "./model/query.ts";
import { titleOf } from "./model/wording.ts";
import type { MonitorConfig } from "./monitor-config.ts";
import type { NotifyConfig } from "./notify/decide/decide-notifications.ts";
import { createContentOfAlert, createPreviews, type Previews } from "./notify/previews/create-previews.ts";
import { versionsIn } from "./notify/view/name-versions.ts";
import type { ViewParts } from "./notify/view/view-of.ts";
import { type NotifyParts, openNotify } from "./open-notify.ts";
import { createPollParts } from "./polling/create-poll-parts.ts";
import { clientOf, type OpenSource, openSources } from "./polling/open-source.ts";
import { createPlanner } from "./polling/plan-polls.ts";
import { totalsOf } from "./polling/reconcile-counts.ts";
import { createRefreshQueries } from "./polling/refresh-queries.ts";
import { createSkip, type RevisionsOf } from "./polling/skip-unchanged.ts";
import type { Queues } from "./queue/queues.ts";
import type { Handlers } from "./queue/worker.ts";
import type { Role } from "./roles.ts";
import { guardRules } from "./rules/guard-rules.ts";
import type { Rule } from "./rules/rule.ts";
import { rulesByQuery } from "./rules/rules-by-query.ts";
import { accountOf } from "./source/source-access.ts";
import { type Source, sourceOf } from "./source/source-config.ts";
import { createAccountStores } from "./store/account-stores.ts";
import { createConsoleStore } from "./store/console.ts";
import type { Database } from "./store/database.ts";
import type { Stores } from "./store/stores.ts";
import { createSweep } from "./sweep/create-sweep.ts";
import type { SweepOptions, SweepResult } from "./sweep/sweep.ts";
import type { Renderer } from "./templates/create-renderer.ts";

/** What a process works with as long as it lives: it stays when the configuration changes. */
export interface ProcessParts {
  readonly database: Database;
  readonly stores: Stores;
  readonly queues: Queues;
  readonly outages: OutageLog;
  /** Its thread is started with the first picture. */
  readonly pictures: PngRenderer;
  /** Says what an incident is about; absent: nobody does. */
  readonly forMessages: Pick<ViewParts, "summarize" | "categories">;
  readonly roles: readonly Role[];
  readonly clock: Clock;
  readonly log: Logger;
  /** From when on new queries alert; null: now. */
  readonly watchFrom: Instant | null;
  /** When the process began to work. */
  readonly startedAt: Instant;
  readonly sweepsRun: boolean;
  readonly checksHealth: boolean;
  readonly feedHealth: () => Promise<readonly FeedHealth[]>;
  readonly revisionsOf?: RevisionsOf | undefined;
  /** Address of the console, unless the configuration says it. */
  readonly consoleUrl: () => string | null;
  readonly onDone: (job: string, outcome: { readonly outcome: string }) => void;
}

/** What people wrote, read and checked. */
export interface VersionFiles {
  readonly config: MonitorConfig;
  readonly rules: readonly Rule[];
  readonly renderer: Renderer;
  /** A hash of what the files say. Without it, the process does not report which version it runs. */
  readonly digest?: string;
}

/** Everything that follows from what people wrote. A reload replaces the whole of it, and never a part. */
export interface OpenVersion {
  readonly files: VersionFiles;
  readonly previews: Previews;
  /** What explanations need of the configuration, and the source to ask for a mention that is not stored. */
  readonly why: {
    readonly routing: { readonly routes: MonitorConfig["routes"]; readonly receivers: readonly string[] };
    readonly source: AskedSource;
    readonly historyMs: (projectId: string) => number;
    readonly retentionMs: number;
  };
  readonly handlers: Required<Handlers>;
  sweep(options?: SweepOptions): Promise<SweepResult>;
  checkHealth(): Promise<HealthReport>;
  refreshQueries(): Promise<readonly Query[]>;
  totals(): Promise<ReadonlyMap<string, number>>;
  /** Starts the background loops. */
  begin(): void;
  /** Ends the background loops, and waits for them. Jobs that run go on. */
  endLoops(): Promise<void>;
  /** Ends all calls to the source and all waits for them. */
  abort(): void;
  /** Closes what it opened. Call it when no job runs any more. */
  close(): Promise<void>;
}

/** Opens a version. It does nothing until `begin`, or until its handlers are called. */
export function openVersion(process: ProcessParts, files: OpenVersion["files"]): Promise<OpenVersion> {
  return openTogether(async (closing) => {
    const { database, stores, outages, roles, clock, log, sweepsRun } = process;
    const { config, rules, renderer } = files;
    const version = files.digest === undefined ? null : (await versionsIn(stores))(files.digest);
    const consoleUrl = () => config.web.publicUrl ?? process.consoleUrl();
    const calling = new AbortController();
    const looping = new AbortController();
    const { signal } = looping;
    const loops = createClosing();
    // A broken rule may be fixed now. If not, it becomes a dead letter again.
    await stores.deadLetters.forgetRules(clock.now());
    const rulesFor = rulesByQuery(guardRules(rules, createRuleNotes({ stores, clock, log })));
    const { db } = database;
    const storesOf = (one: Source) => createAccountStores(db, { ...one, account: accountOf(one) });
    const opening = { stores, storesOf, rulesFor, clock, log, signal: calling.signal };
    const sources = openSources(config.sources, opening, closing);
    const notify = await openNotify({ ...process, config, renderer, rulesFor, consoleUrl, version }, closing);
    const parts: VersionParts = {
      ...{ version, rulesFor, sources, notify, consoleUrl, calling: calling.signal, looping: signal },
      notifyConfig: createNotifyConfig(config),
      historyMs: (projectId) => sourceOf(config.sources, projectId)?.history ?? 0,
    };
    const sweep = createVersionSweep(process, parts);
    const refreshQueries = createRefreshQueries({
      ...{ stores, names: config.sources.map(({ name }) => name), watchFrom: process.watchFrom },
      ...{ clock, log, signal },
    });
    const health = createVersionHealth(process, config, parts);
    return {
      files,
      previews: createPreviews({
        renderer,
        digests: () => listDigests(notify.digests, clock.now()),
        editionOf: stores.digests.body,
        contentOf: createContentOfAlert({ ...notify.view, facts: createConsoleStore(db) }),
      }),
      why: {
        routing: { routes: config.routes, receivers: config.receivers.map(({ name }) => name) },
        source: askEach((projectId) => clientOf(sources, projectId).extensions),
        historyMs: parts.historyMs,
        retentionMs: config.retention,
      },
      handlers: createVersionHandlers(process, rules, parts, sweep),
      sweep,
      checkHealth: health.checkHealth,
      refreshQueries: async () => (await Promise.all(sources.map(refreshQueries))).flat(),
      totals: async () => {
        const totals = sources.map((source) => totalsOf(source, stores, clock.now()));
        return new Map((await Promise.all(totals)).flatMap((ofSource) => [...ofSource]));
      },
      begin: () => {
        // A driver sweeps and refreshes the queries of a replayed past by hand.
        if (!roles.includes("sweep") || !sweepsRun) return;
        runBackgroundLoops(
          { stores, db, sources, refreshQueries, retentionMs: config.retention, clock, log, signal },
          loops,
        );
        if (!process.checksHealth) return;
        const checking = checkHealthLoop(health, { onFailed: outages.checkFailed, log, signal });
        loops.add(() => checking);
      },
      endLoops: () => {
        looping.abort(ENDING);
        return loops.close();
      },
      abort: () => {
        looping.abort(ENDING);
        calling.abort(ENDING);
      },
      close: closing.close,
    };
  });
}

/** What the parts of a version have in common. */
interface VersionParts {
  readonly version: string | null;
  readonly rulesFor: (query: Query) => readonly Rule[];
  readonly sources: readonly OpenSource[];
  readonly notify: NotifyParts;
  readonly notifyConfig: NotifyConfig;
  readonly consoleUrl: () => string | null;
  readonly historyMs: (projectId: string) => number;
  /** Ends all calls to the source. */
  readonly calling: AbortSignal;
  /** Ends the background loops. */
  readonly looping: AbortSignal;
}

function createVersionSweep(
  { stores, queues, clock, revisionsOf }: ProcessParts,
  { version, sources, rulesFor, notify: { digests, channels } }: VersionParts,
): OpenVersion["sweep"] {
  const runs = { version, openedAt: clock.now() };
  const planner = createPlanner(
    sources.map(({ config: source, budget, pages: { quirkLog } }) => ({
      ...{ stores, budget, source, rulesFor, quirkLog },
      skipUnchanged: createSkip({ stores, source, revisionsOf, ...runs }),
    })),
  );
  return createSweep({ stores, queues, runs, digests, clock, ...channels, ...planner });
}

/** What each job does with this version. */
function createVersionHandlers(
  { stores, queues, clock, log, onDone }: ProcessParts,
  rules: readonly Rule[],
  parts: VersionParts,
  sweep: OpenVersion["sweep"],
): OpenVersion["handlers"] {
  const { version, rulesFor, sources, notifyConfig, consoleUrl, historyMs } = parts;
  const { digests, deliver } = parts.notify;
  const polls = new Map(
    sources.map((source) => [
      source.config.name,
      createPollParts({ notifyConfig, stores, source, rulesFor, version, clock, log }),
    ]),
  );
  return createHandlers({
    pollsOf: (projectId) => polls.get(sourceOfProject(projectId)),
    windows: { store: stores, rulesFor, notifyConfig, clock, version },
    deliver,
    updateMessage: { ...deliver, liveMessages: stores.alertMessages },
    correctMessage: { ...deliver, corrections: stores.corrections },
    digest: {
      ...{ store: stores, digests, clock, historyMs, consoleUrl },
      fetchInsights: createFetchInsights((projectId) => clientOf(sources, projectId), log, parts.calling),
      titleOf: (name) => rules.find((rule) => rule.name === name)?.title ?? titleOf(name),
    },
    countMentions: (signal) => stores.mentionCounts.countStale(AbortSignal.any([signal, parts.looping])),
    sweep: async () => {
      await stores.health.beat("sweep", clock.now());
      await sweep();
    },
    noted: (job, payload, work) => trackJob({ stores, clock, log }, job, payload, work),
    ...{ queues, log, onDone },
  });
}

function createVersionHealth(
  { stores, outages, feedHealth, sweepsRun, startedAt, clock, log }: ProcessParts,
  config: MonitorConfig,
  { notify: { notifiers, deliver }, looping: signal }: VersionParts,
) {
  return createHealth({
    ...{ config, stores, notifiers, deliver, outages, feedHealth, sweepsRun, startedAt, clock, log, signal },
    recordProblems: (problems, failing) =>
      recordProblems({ stores, notifyConfig: createNotifyConfig(config, failing), clock }, problems),
  });
}

const ENDING = new Error("Earshot is stopping, or was reloaded");
