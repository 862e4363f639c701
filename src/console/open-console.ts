import { once } from "node:events";
import { createServer } from "node:net";
import type { FeedView, HubEndpoint, PushEndpoint } from "#feeds";
import {
  alertNames,
  type ConsoleFacts,
  createAlertActions,
  createAlertExplainer,
  createConsoleStore,
  createInboxStore,
  createReceiverWaits,
  createStores,
  createUnsubscribing,
  type Earshot,
  formatTime,
  linkSecret,
  mailerOf,
  openDatabase,
  openInteractionEndpoints,
  type Previews,
  type QueueCounts,
  READER_LIMITS,
  type ReceiverConfig,
  type Rule,
  rulesWarmingUp,
  type Stores,
  titleOf,
  type WhyParts,
  whyMention,
  whyUnreadMention,
} from "#monitor";
import { type Clock, systemClock } from "../lib/clock.ts";
import { type Closing, openTogether } from "../lib/closing.ts";
import { codeOf, describeError, UserError } from "../lib/errors.ts";
import type { Instant } from "../lib/instant.ts";
import type { Logger } from "../lib/log.ts";
import type { RuleView } from "./common/rule-view.ts";
import type { ConsoleSettings } from "./common/settings.ts";
import type { SetupView } from "./common/setup-view.ts";
import type { TemplateView } from "./common/template-view.ts";
import { type ConsoleDeps, createConsole } from "./create-console.ts";
import { type Answer, type Front, openFront } from "./front.ts";
import type { LocalInbox } from "./inbox/create-local-inbox.ts";
import type { InboxMessage } from "./inbox/inbox-store.ts";
import { createInboxView } from "./inbox/inbox-view.ts";
import { readiness } from "./readiness.ts";

interface ServedConsole {
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
  readonly press?: LocalInbox["press"] | undefined;
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
  readonly push?: PushEndpoint | undefined;
  /** What hubs of feeds call, where they can reach the console. */
  readonly hubs?: HubEndpoint | undefined;
  /** The public feeds, where some are configured. */
  readonly feeds?: FeedView | undefined;
  /** Writes a first configuration; without it there is no such page. */
  readonly setup?: SetupView;
  /** Messages for previews; without it the console shows none. */
  readonly previews?: Previews;
  /** Opens the pages of rules; without it there are none. */
  readonly openRules?: (
    parts: { readonly stores: Stores; readonly facts: ConsoleFacts },
    closing: Closing,
  ) => Promise<RuleView>;
  /** Opens the pages of templates; without it there are none. */
  readonly openTemplates?: (parts: { readonly stores: Stores }, closing: Closing) => TemplateView;
}

/** Opens the console on a migrated database. It reads, and stores what people do; it needs no other running part. */
export async function openPage(options: PageOptions): Promise<ServedConsole> {
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
  const { rules } = options;
  const names = alertNames(rules);
  const correct = options.feeds?.correct;
  const actions = { ...createAlertActions({ stores, clock, names, correct }), secret };
  const notifiers = (options.receivers ?? []).map(({ notifier }) => notifier);
  const facts = createConsoleStore(database.db);
  const inbox = createInboxStore<InboxMessage>(database.db);
  const moment = (at: Instant): string => formatTime(at, options.settings.timezone);
  const whyParts = (): WhyParts => ({
    ...{ stores, facts, rules: options.rules, moment, now: () => clock.now() },
    ...(options.why === undefined ? {} : { ...options.why, keptFrom: clock.now() - options.why.retentionMs }),
  });
  return {
    mailsPeople: mailerOf(options.receivers ?? []) !== null,
    unsubscribing: createUnsubscribing({ stores, secret, clock: systemClock }),
    facts,
    secret,
    stored: stores,
    titleOf: (name: string) => options.rules.find((rule) => rule.name === name)?.title ?? titleOf(name),
    warmingUp: () => rulesWarmingUp(facts, options.rules),
    clock,
    inbox: hasLocalInbox ? createInboxView(inbox, options.press ?? null) : null,
    waits: options.receivers && createReceiverWaits(stores, options.receivers),
    explainMention: (text: string) => whyMention(whyParts(), text),
    explainUnread: (text: string, ask: boolean) => {
      const { source, ...parts } = whyParts();
      return whyUnreadMention(ask && source !== undefined ? { ...parts, source } : parts, text);
    },
    explainer: createAlertExplainer(options.settings.timezone),
    actions,
    interactions: openInteractionEndpoints(notifiers, { actions, wall: systemClock, log }),
    push: options.push?.isOpen === true ? options.push : undefined,
    hubs: options.hubs,
    feeds: options.feeds,
    setup: options.setup,
    rules: await options.openRules?.({ stores, facts }, closing),
    templates: options.openTemplates?.({ stores }, closing),
    health: { ready: () => readiness(database, stores, options.queues), queues: options.queues },
    admission: { besidePipeline: options.besidePipeline === true },
    log,
    previews,
    whatHappensNext,
  };
}

/** Rejects with a UserError if the port is in use: said before work that takes long. */
export async function expectFreePort(at: Pick<ConsoleSettings, "host" | "port">): Promise<void> {
  const probe = createServer();
  try {
    await once(probe.listen(at.port, at.host), "listening");
  } catch (error) {
    throw isInUse(error) ? portInUse(at, 1) : error;
  } finally {
    probe.close();
  }
}

const MOST_PORTS = 20;

function portInUse({ host, port }: Pick<ConsoleSettings, "host" | "port">, ports: number): UserError {
  const which = ports === 1 ? `port ${port}` : `every port from ${port} to ${port + ports - 1}`;
  return new UserError(`${which} of ${host} is in use, perhaps by another Earshot`, [
    "stop that program, or choose another port with --port or web.port",
  ]);
}

function isInUse(error: unknown): boolean {
  return codeOf(error) === "EADDRINUSE";
}
