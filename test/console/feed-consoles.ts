import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { parseConfig } from "../../src/admin/config/config.ts";
import { openSetupView } from "../../src/admin/setup/open-setup-view.ts";
import { type Listening, withListening } from "../../src/app/open-listening.ts";
import { SETUP_SCHEMAS } from "../../src/cli/schemas.ts";
import type { ConsoleSettings } from "../../src/console/common/settings.ts";
import { systemClock } from "../../src/lib/clock.ts";
import { createClosing } from "../../src/lib/closing.ts";
import { openDatabase } from "../../src/monitor/store/database.ts";
import { createStores } from "../../src/monitor/store/stores.ts";
import { type FeedServer, rssDocument, startFeedServer } from "../fakes/feed-server.ts";
import { createTestDatabase } from "../postgres.ts";
import { until } from "../until.ts";
import { startTestConsole, type TestConsole } from "./start-test-console.ts";

export const PUSH_TOKEN = "a-token-of-sixteen";

export interface FeedConsoles {
  readonly server: FeedServer;
  readonly listening: Listening;
  /** Of the feeds and of the consoles. */
  readonly databaseUrl: string;
  /** Where the first-run page writes. */
  readonly folder: string;
  /** `isOpen`: as in the demo, with no earshot.yaml yet. */
  start(
    settings: Partial<ConsoleSettings>,
    isOpen: boolean,
    more?: Omit<NonNullable<Parameters<typeof startTestConsole>[1]>, "settings">,
  ): Promise<TestConsole>;
  close(): Promise<void>;
}

/** A feed that brings two items, one that is not there, one that others push to, and consoles that show them. */
export async function openFeedConsoles(): Promise<FeedConsoles> {
  const closing = createClosing();
  const server = await startFeedServer();
  closing.add(server.close);
  const date = new Date(systemClock.now()).toUTCString();
  server.pages.set("/feed", {
    body: rssDocument([
      { guid: "1", title: "Acme &amp;lt;b&amp;gt;opens", link: "https://blog.example/1", date },
      { guid: "2", title: "Weather", link: "javascript:alert(1)", date },
    ]),
  });
  const database = await createTestDatabase();
  closing.add(database.drop);
  const config = await parseConfig({
    enrich: { sentiment: "learned", categories: "learned" },
    listen: {
      queries: [{ name: "Acme", text: "acme" }],
      categories: [
        {
          name: "Safety",
          subcategories: [
            { name: "Opening", text: "opens" },
            { name: "Recall", text: "recall*" },
          ],
        },
      ],
      feeds: [
        { kind: "rss", urls: [`${server.url}/feed`, `${server.url}/gone`], allowPrivateAddress: true },
        { kind: "push", name: "<i>zapier</i>", token: PUSH_TOKEN },
      ],
    },
  });
  const log = pino({ level: "silent" });
  const parts = { databaseUrl: database.url, fetches: true, clock: systemClock, log, port: 0 };
  const listening = await withListening(config, parts, closing);
  const { view } = listening;
  if (view === null) throw new Error("there are feeds");
  const folder = await mkdtemp(join(tmpdir(), "earshot-setup-"));
  closing.add(() => rm(folder, { recursive: true }));
  await until(
    "both were fetched",
    async () =>
      (await view.list()).feeds.filter(({ state }) => state === "ok" || state === "failing").length === 2,
    { withinMs: 30_000, everyMs: 100 },
  );
  return {
    ...{ server, listening, folder, databaseUrl: database.url },
    start: async (settings, isOpen, more = {}) => {
      const own = openDatabase({ url: database.url, onError: () => {} });
      closing.add(own.close);
      const configured = isOpen ? null : { env: {}, stores: createStores(own.db) };
      const setup = openSetupView({
        ...{ file: join(folder, "earshot.yaml"), configured, timezone: "UTC", schemas: SETUP_SCHEMAS },
        ...{ clock: systemClock, log, next: "Restart it.", allowPrivateAddress: true },
      });
      const started = await startTestConsole(systemClock.now(), {
        ...{ ...more, settings, deps: { ...more.deps, feeds: view, setup } },
      });
      closing.add(started.close);
      return started;
    },
    close: closing.close,
  };
}
