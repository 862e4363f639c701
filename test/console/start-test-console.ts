import { pino } from "pino";
import type { ConsoleRoute } from "../../src/console/auth/access.ts";
import type { ConsoleSettings } from "../../src/console/common/settings.ts";
import { type ConsoleDeps, createConsole } from "../../src/console/create-console.ts";
import type { InboxMessage } from "../../src/console/inbox/inbox-view.ts";
import { openRuleView } from "../../src/lab/tries/open-rule-view.ts";
import { openTemplateEditor } from "../../src/lab/tries/open-template-view.ts";
import { createRuleReader } from "../../src/lab/tries/rule-reader.ts";
import { createManualClock, type ManualClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import type { Instant } from "../../src/lib/instant.ts";
import { createAlertActions } from "../../src/monitor/alerts/actions/alert-actions.ts";
import { whyUnreadMention } from "../../src/monitor/explain/ask-source.ts";
import { type AskedSource, whyMention } from "../../src/monitor/explain/why.ts";
import type { NotifyConfig } from "../../src/monitor/notify/decide/decide-notifications.ts";
import type { Rule } from "../../src/monitor/rules/rule.ts";
import { createConsoleStore } from "../../src/monitor/store/console.ts";
import { type Database, openDatabase } from "../../src/monitor/store/database.ts";
import { ensurePartitions } from "../../src/monitor/store/partitions.ts";
import { createStores, type Stores } from "../../src/monitor/store/stores.ts";
import { NOBODY } from "../lab/backtest/notify-config.ts";
import { createTestDatabase } from "../postgres.ts";

export interface TestConsole {
  readonly url: string;
  readonly routes: readonly ConsoleRoute[];
  readonly stores: Stores;
  readonly database: Database;
  /** For commands that open it as well. */
  readonly databaseUrl: string;
  readonly clock: ManualClock;
  /** Newest first, as in the local inbox. */
  readonly inbox: InboxMessage[];
  /** Of its messages, by id. */
  readonly files: Map<string, { readonly type: string; readonly bytes: Uint8Array }>;
  close(): Promise<void>;
}

type ConsoleDefaults = Required<
  Pick<ConsoleDeps, "facts" | "actions" | "explainMention" | "explainUnread" | "secret" | "stored">
>;

/** Signs forms and links. */
export const SECRET = "for tests";

/** The console on its own database, with a stopped clock. */
export async function startTestConsole(
  now: Instant,
  options: {
    settings?: Partial<ConsoleSettings>;
    deps?: Partial<ConsoleDeps>;
    rules?: readonly Rule[];
    /** Asked where a reader wants it. */
    source?: AskedSource;
    /** A folder of rules: the console has pages of them. */
    folder?: string;
    notifyConfig?: NotifyConfig;
    /** A folder of templates: the console has pages of them. */
    templates?: string;
    /** Called after a rule or a template was saved. */
    reload?: () => Promise<string>;
    /** Of a database that is there; without it, one of its own. */
    databaseUrl?: string;
    /** Changes the parts that use the database. */
    defaults?: (parts: ConsoleDefaults) => Partial<ConsoleDeps>;
  } = {},
): Promise<TestConsole> {
  const testDatabase =
    options.databaseUrl === undefined
      ? await createTestDatabase()
      : { url: options.databaseUrl, drop: async () => {} };
  const database = openDatabase({ url: testDatabase.url, onError: () => undefined });
  await ensurePartitions(database.db, now);
  const clock = createManualClock(now);
  const inbox: InboxMessage[] = [];
  const files = new Map<string, { readonly type: string; readonly bytes: Uint8Array }>();
  const stores = createStores(database.db);
  const facts = createConsoleStore(database.db);
  const log = pino({ level: "silent" });
  const reader = createRuleReader(log);
  const closing = createClosing();
  const reload = options.reload === undefined ? {} : { reload: options.reload };
  const defaults: ConsoleDefaults = {
    facts,
    secret: SECRET,
    stored: stores,
    actions: { ...createAlertActions({ stores, clock }), secret: SECRET },
    explainMention: (text) => whyMention({ stores, facts, rules: options.rules ?? [] }, text),
    explainUnread: (text, ask) =>
      whyUnreadMention(
        {
          ...{ stores, facts, rules: options.rules ?? [], now: clock.now },
          ...(ask && options.source !== undefined && { source: options.source }),
        },
        text,
      ),
  };
  const web = await createConsole(
    {
      ...defaults,
      clock: { now: clock.now, speed: 60 },
      inbox: {
        list: async ({ limit }) => inbox.slice(0, limit),
        find: async (id) => inbox.find((message) => message.id === id) ?? null,
        findFile: async (id) => files.get(id) ?? null,
        renderSlack: (blocks, fallback) =>
          `<div class="slack-message"><p class="slack-section">${escapeForTest(JSON.stringify(blocks))} ${escapeForTest(fallback)}</p></div>`,
      },
      health: { ready: async () => [{ name: "database", ok: true }] },
      whatHappensNext: () => "A crisis breaks out within two minutes.",
      log,
      ...(options.folder === undefined
        ? {}
        : {
            rules: await openRuleView({
              ...{ stores, facts, reader, clock, folder: options.folder, timezone: "UTC" },
              notifyConfig: options.notifyConfig ?? NOBODY,
              ...reload,
              log,
            }),
          }),
      ...(options.templates === undefined
        ? {}
        : {
            templates: openTemplateEditor({ folder: options.templates, ...reload }, log)({ stores }, closing),
          }),
      ...options.defaults?.(defaults),
      ...options.deps,
    },
    { host: "127.0.0.1", port: 0, timezone: "UTC", ...options.settings },
  );
  const url = await web.listen();
  return {
    url,
    routes: web.routes,
    stores,
    database,
    databaseUrl: testDatabase.url,
    clock,
    inbox,
    files,
    close: async () => {
      await web.close();
      await reader.close();
      await closing.close();
      await database.close();
      await testDatabase.drop();
    },
  };
}

function escapeForTest(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
