import type { Clock } from "../lib/clock.ts";
import type { Logger } from "../lib/log.ts";
import type { MonitorConfig } from "./config/monitor-config.ts";
import { createNotifyConfig } from "./config/notify-config.ts";
import type { SourcePolls } from "./handlers.ts";
import { createStoryCache } from "./ingest/fold-stories.ts";
import type { Query } from "./model/query.ts";
import type { OpenSource } from "./open-source.ts";
import { pollSettings } from "./polling/poll-settings.ts";
import { recordArrivals } from "./polling/record-arrivals.ts";
import type { Rule } from "./rules/rule.ts";
import type { Stores } from "./store/stores.ts";

/** How queries are polled at this source, and what finished polls teach. */
export function createPollParts(parts: {
  readonly config: MonitorConfig;
  readonly stores: Stores;
  readonly source: OpenSource;
  readonly rulesFor: (query: Query) => readonly Rule[];
  /** The version of the configuration; null if processes do not report it. */
  readonly version: string | null;
  readonly clock: Clock;
  readonly log: Logger;
}): SourcePolls {
  const { config, stores, source, rulesFor, version, clock, log } = parts;
  const { budget } = source;
  const { pollEvery, updatesEvery, history } = source.config;
  return {
    poll: {
      store: stores,
      source: source.pages,
      pollAlone: stores.polls.pollAlone,
      rulesFor,
      notifyConfig: createNotifyConfig(config),
      clock,
      version,
      settings: (query, poll) => pollSettings(source.config, query, poll, rulesFor(query)),
      stories: createStoryCache(),
      everyMs: (poll) => (poll === "added" ? pollEvery : updatesEvery),
    },
    sharing: {
      isProven: async () => (await budget.read()).sharing === "proven",
      learn: async (sharing) => {
        await budget.setSharing(sharing);
        log.info({ sharing }, "calls for several queries at once");
      },
    },
    onCompleted: async (polls) => {
      // Only the plan uses arrivals, and without a limit there is no plan.
      if ((await budget.read()).limit === null) return;
      const historyFrom = clock.now() - history;
      const finished = polls.map(({ key, result }) => ({
        key,
        found: key.poll === "added" ? result.added : result.changed,
        startedAt: result.startedAt,
        historyFrom,
      }));
      await recordArrivals(stores, finished);
    },
  };
}
