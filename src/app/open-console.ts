import { hostname } from "node:os";
import {
  type Answer,
  type ConsoleDeps,
  type ConsoleSettings,
  createConsole,
  type FeedView,
  type Front,
  fileAddress,
  type InboxMessage,
  type InboxView,
  LOCAL_PEOPLE,
  type LocalInbox,
  openFront,
  renderSlackMessage,
  type SetupView,
} from "#console";
import type { PushEndpoint } from "#feeds";
import { createRuleReader, openRuleView } from "#lab";
import {
  createAlertActions,
  createAlertExplainer,
  createConsoleStore,
  createInboxStore,
  createReceiverWaits,
  createSlackActions,
  createSlackEndpoint,
  createStores,
  createUnsubscribing,
  type Database,
  type Earshot,
  formatTime,
  isLoopLate,
  linkSecret,
  openDatabase,
  type Previews,
  pendingMigrations,
  ping,
  type QueueCounts,
  READER_LIMITS,
  type ReceiverConfig,
  type Rule,
  type RuleFiles,
  rulesWarmingUp,
  type Stores,
  slackApps,
  titleOf,
  type WhyParts,
  whyMention,
  whyUnreadMention,
} from "#monitor";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Closing, openTogether } from "../lib/closing.ts";
import { withTimeout } from "../lib/concurrency.ts";
import { codeOf, describeError, UserError } from "../lib/errors.ts";
import type { Instant } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import { loopDelay } from "../lib/loop-delay.ts";

export interface Page {
  /** Where it answers on this machine. */
  readonly url: string;
  close(): Promise<void>;
}

export interface PageOptions {
  readonly databaseUrl: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly settings: ConsoleSettings;
  /** Take the next free port if the wanted one is in use: for a demo that somebody wants to see now. */
  readonly tryNextPort: boolean;
  /** Messages go to the local Slack and mailbox, and are shown. */
  readonly hasLocalInbox: boolean;
  /** A person clicks a button of a message in the local Slack; absent if clicks have no effect. */
  readonly interaction?: LocalInbox["press"];
  readonly whatHappensNext?: () => string | null;
  /** Jobs by queue; fails while the queue's engine is away. Absent in a process without queues. */
  readonly queues?: () => Promise<readonly QueueCounts[]>;
  /** Receivers whose Slack messages have buttons that post to the console, and whose waits it shows. */
  readonly receivers?: readonly ReceiverConfig[];
  /** The pipeline works in this process, too, and comes first. */
  readonly besidePipeline?: boolean;
  /** The rules in use: it shows which of them are warming up. */
  readonly rules: readonly Rule[];
  /** What explanations need besides the database; without it the console never asks the source. */
  readonly why?: Earshot["why"];
  /** Takes mentions that other programs post, where a feed is open for them. */
  readonly push?: PushEndpoint;
  /** The public feeds, where some are configured. */
  readonly feeds?: FeedView;
  /** Writes a first configuration; without it there is no such page. */
  readonly setup?: SetupView;
  /** Messages for previews; without it the console shows none. */
  readonly previews?: Previews;
  /** Where the rules in use are; without it there are no pages of rules. */
  readonly ruleFiles?: RuleFiles;
}

/** Opens the console on a migrated database. It reads, and stores what people do; it needs no other running part. */
export async function openPage(options: PageOptions): Promise<Page> {
  return openTogether(async (closing) => {
    const deps = await openDeps(options, closing);
    const ports = options.tryNextPort ? MOST_PORTS : 1;
    for (let offset = 0; ; offset++) {
      const console = await createConsole(deps, {
        ...options.settings,
        port: options.settings.port + offset,
      });
      try {
        const url = await console.listen();
        closing.add(console.close);
        return { url, close: closing.close };
      } catch (error) {
        await console.close();
        if (!isInUse(error)) throw error;
        if (offset + 1 >= ports) throw portInUse(options.settings, ports);
      }
    }
  });
}

/** Opens the console without a port of its own: requests come from a `Front`. */
export async function openConsole(
  options: PageOptions,
): Promise<{ readonly answer: Answer; close(): Promise<void> }> {
  return openTogether(async (closing) => {
    const console = await createConsole(await openDeps(options, closing), options.settings);
    closing.add(console.close);
    return { answer: await console.open(), close: closing.close };
  });
}

/** Listens for a console. Rejects with a UserError if the port is in use. */
export async function listenFor(answer: Answer, settings: ConsoleSettings): Promise<Front> {
  return openFront(settings, answer).catch((error: unknown) => {
    throw isInUse(error) ? portInUse(settings, 1) : error;
  });
}

async function openDeps(options: PageOptions, closing: Closing): Promise<ConsoleDeps> {
  const { databaseUrl, clock, log, hasLocalInbox, whatHappensNext, previews } = options;
  const database = openDatabase({
    url: databaseUrl,
    connections: 6,
    limits: READER_LIMITS,
    onError: (error) => log.warn({ error: describeError(error) }, "a database connection of the page broke"),
  });
  closing.add(database.close);
  const stores = createStores(database.db);
  const secret = await linkSecret(stores);
  const actions = { ...createAlertActions({ stores, clock, rules: options.rules }), secret };
  const notifiers = (options.receivers ?? []).map(({ notifier }) => notifier);
  const apps = slackApps(notifiers).filter(({ signingSecret }) => signingSecret !== undefined);
  const interaction = createSlackActions({ actions, log });
  const slack = apps.length === 0 ? null : createSlackEndpoint({ apps, interaction, wall: systemClock, log });
  const facts = createConsoleStore(database.db);
  const reader = createRuleReader(log);
  closing.add(reader.close);
  const inbox = createInboxStore<InboxMessage>(database.db);
  const moment = (at: Instant): string => formatTime(at, options.settings.timezone);
  const whyParts = (): WhyParts => ({
    ...{ stores, facts, rules: options.rules, moment, now: () => clock.now() },
    ...(options.why === undefined ? {} : { ...options.why, keptFrom: clock.now() - options.why.retentionMs }),
  });
  return {
    unsubscribing: createUnsubscribing({ stores, secret, clock: systemClock }),
    facts,
    secret,
    closedSessions: stores.closedSessions,
    titleOf: (name: string) => options.rules.find((rule) => rule.name === name)?.title ?? titleOf(name),
    warmingUp: () => rulesWarmingUp(facts, options.rules),
    clock,
    inbox: hasLocalInbox ? inboxView(inbox, options.interaction) : null,
    ...(options.receivers === undefined ? {} : { waits: createReceiverWaits(stores, options.receivers) }),
    explainMention: (text: string) => whyMention(whyParts(), text),
    explainUnread: (text: string, ask: boolean) => {
      const { source, ...parts } = whyParts();
      return whyUnreadMention(ask && source !== undefined ? { ...parts, source } : parts, text);
    },
    explainer: createAlertExplainer(options.settings.timezone),
    actions,
    ...(slack === null ? {} : { slack }),
    ...(options.push?.isOpen === true ? { push: options.push } : {}),
    ...(options.feeds === undefined ? {} : { feeds: options.feeds }),
    ...(options.setup === undefined ? {} : { setup: options.setup }),
    ...(options.ruleFiles === undefined
      ? {}
      : {
          rules: await openRuleView({
            ...{ ...options.ruleFiles, stores, facts, reader, clock, log },
            timezone: options.settings.timezone,
          }),
        }),
    health: {
      ready: () => readiness(database, stores, options.queues),
      ...(options.queues === undefined ? {} : { queues: options.queues }),
    },
    admission: { besidePipeline: options.besidePipeline === true },
    log,
    ...(previews === undefined ? {} : { previews: { ...previews, renderSlack: renderSlackMessage } }),
    ...(whatHappensNext === undefined ? {} : { whatHappensNext }),
  };
}

function inboxView(
  { list, find, findFile }: ReturnType<typeof createInboxStore<InboxMessage>>,
  interaction: PageOptions["interaction"],
): InboxView {
  const renderSlack: InboxView["renderSlack"] = (blocks, fallback, form) =>
    renderSlackMessage(
      blocks,
      fallback,
      fileAddress,
      form === undefined ? null : { ...form, people: LOCAL_PEOPLE },
    );
  const you = LOCAL_PEOPLE[2];
  return {
    list,
    find,
    findFile,
    renderSlack,
    ...(interaction === undefined ? {} : { interaction: (wanted) => interaction({ ...wanted, by: you }) }),
  };
}

const MOST_PORTS = 20;

function portInUse({ host, port }: PageOptions["settings"], ports: number): UserError {
  const which = ports === 1 ? `port ${port}` : `every port from ${port} to ${port + ports - 1}`;
  return new UserError(`${which} of ${host} is in use, perhaps by another Earshot`, [
    "stop that program, or choose another port with --port or web.port",
  ]);
}

function isInUse(error: unknown): boolean {
  return codeOf(error) === "EADDRINUSE";
}

/** Every process needs these. An answer that takes longer than a few seconds counts as none. */
async function readiness(database: Database, stores: Stores, queues: PageOptions["queues"]) {
  const checks: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["database", () => ping(database.db)],
    ["migrations", () => expectNoneMissing(database)],
    ["event loop", () => expectInTime(stores)],
    ...(queues === undefined ? [] : [["queue", queues] as const]),
  ];
  return Promise.all(
    checks.map(async ([name, check]) => {
      const failure = await withTimeout(READY_WITHIN_MS, check()).then(() => undefined, describeError);
      return { name, ok: failure === undefined, ...(failure === undefined ? {} : { detail: failure }) };
    }),
  );
}

const READY_WITHIN_MS = 4_000;

/** This process, and the pipeline if that started it: another host's is judged there. */
async function expectInTime({ processes }: Stores): Promise<void> {
  if (isLoopLate(loopDelay(READY_SECONDS))) throw new Error("the loop of this process is late");
  const here = hostname();
  const parent = (await processes.running()).find(({ host, pid }) => host === here && pid === process.ppid);
  if (parent !== undefined && isLoopLate(parent.loop)) throw new Error("the loop of the pipeline is late");
}

const READY_SECONDS = 10;

async function expectNoneMissing(database: Database): Promise<void> {
  const missing = await pendingMigrations(database.db);
  if (missing.length > 0) throw new Error(`the database has not had ${missing.join(", ")}`);
}
