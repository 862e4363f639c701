import { type Clock, systemClock } from "../lib/clock.ts";
import { type Closing, openTogether } from "../lib/closing.ts";
import { describeError } from "../lib/errors.ts";
import { type Instant, SECOND } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { createSwap } from "../lib/swap.ts";
import { createAlertActions } from "./alerts/actions/alert-actions.ts";
import { createPngRenderer, type PngRenderer } from "./charts/png-renderer.ts";
import type { HealthReport } from "./health/create-health.ts";
import { noteConnections } from "./health/note-failures.ts";
import { createOutageLog } from "./health/note-outages.ts";
import type { MentionCorrections } from "./model/mention.ts";
import type { FeedHealth, QueueCounts } from "./model/pipeline-facts.ts";
import type { Query } from "./model/query.ts";
import type { MonitorConfig } from "./monitor-config.ts";
import { createInteractionSockets } from "./notify/interactions.ts";
import type { Previews } from "./notify/previews/create-previews.ts";
import type { Summarize } from "./notify/view/summaries.ts";
import { type OpenVersion, openVersion, type ProcessParts } from "./open-version.ts";
import type { RevisionsOf } from "./polling/skip-unchanged.ts";
import type { BackendOptions } from "./queue/backend.ts";
import { handlersOfCurrent } from "./queue/current-handlers.ts";
import { QUEUE_NAMES } from "./queue/jobs.ts";
import { createQueues } from "./queue/queues.ts";
import { createWorker } from "./queue/worker.ts";
import { CONCURRENCY, handlersOf, type Role } from "./roles.ts";
import { validRules } from "./rules/load-rules.ts";
import type { Rule } from "./rules/rule.ts";
import { openDatabase, READER_LIMITS } from "./store/database.ts";
import { followDueWork } from "./store/due-work.ts";
import { migrate } from "./store/migrate.ts";
import { ensurePartitions } from "./store/partitions.ts";
import { createStores, type Stores } from "./store/stores.ts";
import { type FollowDueWork, startSweeping } from "./sweep/start-sweeping.ts";
import type { SweepOptions, SweepResult } from "./sweep/sweep.ts";
import type { AnnouncedArrivals } from "./sweep/wake-polls.ts";
import { openTemplates, validTemplates } from "./templates/open-templates.ts";

export interface EarshotOptions {
  readonly config: MonitorConfig;
  /** The rules and templates of the configuration, if they were read already. */
  readonly files?: OpenVersion["files"];
  readonly databaseUrl: string;
  readonly queue: BackendOptions;
  readonly clock: Clock;
  readonly log: Logger;
  readonly roles: readonly Role[];
  /** From when on new queries alert; now, unless a replay sets another time. */
  readonly watchFrom?: Instant;
  /**
   * Real time between two sweeps; a second, unless a fast clock wants it shorter. Null: a driver calls
   * `sweep` and `refreshQueries`, and no loop runs.
   */
  readonly sweepEveryMs?: number | null;
  /** How the public feeds are. Absent: there are none. */
  readonly feedHealth?: () => Promise<readonly FeedHealth[]>;
  /**
   * Calls `onArrivals` when a source announces mentions, so that its queries are polled at once. Returns what ends that.
   * Absent: polls run when they are due.
   */
  readonly followArrivals?: (onArrivals: (arrivals: AnnouncedArrivals) => void) => () => Promise<void>;
  /** How often the mentions of each query of the feeds were written to. Absent: quiet ones are polled like all. */
  readonly revisionsOf?: RevisionsOf | undefined;
  /** Corrects a mention where it comes from, for who chooses that in a message. Absent: nobody can. */
  readonly corrections?: MentionCorrections;
  /** False: no health checks, because it replays a past that is not its own. */
  readonly checksHealth?: boolean;
  /** Renders the pictures of messages; belongs to the caller. Absent: one of its own. */
  readonly pictures?: PngRenderer;
  /** Says in one sentence what texts are about. Absent: an incident is described in the words of its mentions. */
  readonly summarize?: Summarize | undefined;
  /** Address of the console for links in messages, if there is one and the configuration has no `web.publicUrl`. */
  readonly consoleUrl?: () => string | null;
  /** Called when all is open, before the first job: others have to know of this process before it opens alerts. */
  readonly beforeWork?: (stores: Stores) => Promise<void>;
  /** Aborts a start that waits: rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
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
  readonly why: OpenVersion["why"];
  readonly config: MonitorConfig;
  /** Finds due work and adds its jobs. */
  sweep(options?: SweepOptions): Promise<SweepResult>;
  /** Checks Earshot's own health: finds problems, notifies the operators, and calls the heartbeat or withholds it. */
  checkHealth(): Promise<HealthReport>;
  /** Jobs by queue, as the engine counts them. */
  queueCounts(): Promise<readonly QueueCounts[]>;
  /** Asks the source again for the queries to watch. */
  refreshQueries(): Promise<readonly Query[]>;
  /** How many mentions the source has of each watched query, by id. One call for each query. */
  totals(): Promise<ReadonlyMap<string, number>>;
  /** Opens another version of the configuration, rules and templates beside the running one, which goes on. */
  prepare(files: OpenVersion["files"]): Promise<PreparedVersion>;
  /** Takes no more work, waits for running work, and closes everything. */
  stop(): Promise<void>;
}

/** A version that is open and does nothing yet. Call one of its functions, once. */
interface PreparedVersion extends Pick<Earshot, "rules" | "previews" | "why"> {
  /**
   * At once: every job and every round of a loop that begins from now on uses this version. Work that runs ends with
   * the version that it began with; after 20 seconds it is broken off, and goes on with this one.
   */
  take(): void;
  /** Closes it again: it is not wanted. */
  drop(): Promise<void>;
}

/** Puts all parts together and starts the roles. Rejects with a UserError if the configuration is wrong. */
export async function startEarshot(options: EarshotOptions): Promise<Earshot> {
  const files = options.files ?? (await readFolders(options));
  return openTogether((closing) => assemble(options, files, closing));
}

async function readFolders({ config, roles }: EarshotOptions): Promise<OpenVersion["files"]> {
  const rules = await validRules(config.rules);
  // A process that sends must find a fault at the start, not at 3 a.m.; a preview shows the fault instead.
  const open = roles.includes("deliver") ? validTemplates : openTemplates;
  return { config, rules, renderer: await open(config.templates) };
}

async function assemble(
  options: EarshotOptions,
  files: OpenVersion["files"],
  closing: Closing,
): Promise<Earshot> {
  const process = await openProcess(options, closing);
  const { stores, queues, clock, log, roles } = process;
  const versions = createSwap(await openVersion(process, files));
  /** Those that were replaced, until their last work has ended. */
  const retiring = new Map<OpenVersion, Promise<void>>();
  closing.add(async () => {
    await versions.current.close();
    await Promise.all(retiring.values());
  });
  const worker = createWorker({
    queues,
    handlers: handlersOf(roles, handlersOfCurrent(versions)),
    concurrency: CONCURRENCY,
    log,
  });
  closing.add(worker.stop);
  await options.beforeWork?.(stores);
  await worker.start();
  if (roles.includes("sweep")) {
    const follow: FollowDueWork = (onDue, onBroken) => followDueWork(process.database, onDue, onBroken);
    const sweep = () => versions.use((version) => version.sweep());
    await startSweeping({ ...process, sweep, followDueWork: follow }, options, closing);
  }
  const actions = createAlertActions({ stores, clock, correct: options.corrections?.correct });
  const onConnection = noteConnections({ stores, clock });
  const sockets = createInteractionSockets({ actions, wall: systemClock, log, onConnection });
  closing.add(sockets.close);
  const listen = ({ receivers }: MonitorConfig): void => {
    if (roles.includes("deliver")) sockets.use(receivers.map(({ notifier }) => notifier));
  };
  listen(files.config);
  versions.current.begin();
  closing.add(() => versions.current.endLoops());
  // First of all, end everything that waits for the source or for its next round.
  closing.add(async () => {
    for (const version of [versions.current, ...retiring.keys()]) version.abort();
  });

  /** From now on this version works; the one before is closed when its last work has ended. */
  function replace(next: OpenVersion): void {
    const old = versions.current;
    const retired = retire(old, versions.replace(next, OLD_WORK_MS))
      .catch((error: unknown) =>
        log.warn({ error: describeError(error) }, "a part of the configuration before was not closed"),
      )
      .then(() => void retiring.delete(old));
    retiring.set(old, retired);
    listen(next.files.config);
    next.begin();
  }

  return {
    stores,
    get rules() {
      return versions.current.files.rules;
    },
    get previews() {
      return versions.current.previews;
    },
    get why() {
      return versions.current.why;
    },
    get config() {
      return versions.current.files.config;
    },
    sweep: (options) => versions.use((version) => version.sweep(options)),
    checkHealth: () => versions.use((version) => version.checkHealth()),
    queueCounts: () =>
      Promise.all(QUEUE_NAMES.map(async (queue) => ({ queue, ...(await queues.counts(queue)) }))),
    refreshQueries: () => versions.use((version) => version.refreshQueries()),
    totals: () => versions.use((version) => version.totals()),
    prepare: async (files) => {
      const next = await openVersion(process, files);
      return {
        ...{ rules: files.rules, previews: next.previews, why: next.why },
        take: () => replace(next),
        drop: next.close,
      };
    },
    stop: closing.close,
  };
}

/** Opens what stays when the configuration changes: the database, the queues, the renderer of pictures. */
async function openProcess(options: EarshotOptions, closing: Closing): Promise<ProcessParts> {
  const { clock, log, roles } = options;
  const sweepsRun = options.sweepEveryMs !== null;
  await migrate(options.databaseUrl);
  const database = openDatabase({
    url: options.databaseUrl,
    // Without a role it only serves readers.
    ...(roles.length === 0 ? { connections: 4, limits: READER_LIMITS } : { connections: 20 }),
    onError: (error) => log.warn({ error: describeError(error) }, "a database connection broke"),
  });
  closing.add(database.close);
  const stores = createStores(database.db);
  await ensurePartitions(database.db, clock.now());
  const outages = createOutageLog({ stores, clock, sweepsRun, queueIn: options.queue.kind });
  const queues = await createQueues({
    backend: options.queue,
    log,
    onOutage: outages.queueIsBack,
    signal: options.signal,
  });
  closing.add(queues.close);
  const pictures = options.pictures ?? createPngRenderer();
  if (options.pictures === undefined) closing.add(pictures.close);
  return {
    ...{ database, stores, queues, outages, pictures, roles, clock, log, sweepsRun },
    forMessages: { summarize: options.summarize, categories: options.corrections?.categories },
    watchFrom: options.watchFrom ?? null,
    startedAt: clock.now(),
    checksHealth: options.checksHealth !== false,
    feedHealth: options.feedHealth ?? (async () => []),
    revisionsOf: options.revisionsOf,
    consoleUrl: options.consoleUrl ?? (() => null),
    onDone: options.onDone ?? (() => {}),
  };
}

async function retire(old: OpenVersion, idle: Promise<void>): Promise<void> {
  await Promise.all([old.endLoops(), idle]);
  old.abort();
  await old.close();
}

/** How long work may go on with a version that was replaced: as long as a process that stops waits for its jobs. */
const OLD_WORK_MS = 20 * SECOND;
