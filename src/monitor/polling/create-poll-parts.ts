import type { Clock } from "../../lib/clock.ts";
import type { Logger } from "../../lib/log.ts";
import type { CommitParts } from "../ingest/commit-page.ts";
import { createStoryCache } from "../ingest/fold-stories.ts";
import type { PollKey } from "../model/poll.ts";
import type { Query } from "../model/query.ts";
import type { Rule } from "../rules/rule.ts";
import type { Stores } from "../store/stores.ts";
import type { OpenSource } from "./open-source.ts";
import type { PollOutcome } from "./poll-member.ts";
import type { TogetherParts } from "./poll-queries.ts";
import { everyMs, pollSettings } from "./poll-settings.ts";
import { recordArrivals } from "./record-arrivals.ts";

/** How the queries of one source are polled. */
export interface SourcePolls {
  readonly poll: Omit<TogetherParts, "onPending">;
  readonly sharing: Sharing;
  /** Called with the polls that have ended, and their new mentions. */
  readonly onCompleted: (
    polls: readonly { readonly key: PollKey; readonly result: CompletedPoll }[],
  ) => Promise<void>;
}

/** A poll that has ended. */
export type CompletedPoll = Extract<PollOutcome, { readonly outcome: "Complete" }>;

/** What is known of shared calls at this source. */
interface Sharing {
  isProven(): Promise<boolean>;
  learn(sharing: "proven" | "refused"): Promise<void>;
}

/** How queries are polled at this source, and what finished polls teach. */
export function createPollParts(parts: {
  readonly notifyConfig: CommitParts["notifyConfig"];
  readonly stores: Stores;
  readonly source: OpenSource;
  readonly rulesFor: (query: Query) => readonly Rule[];
  /** The version of the configuration; null if processes do not report it. */
  readonly version: string | null;
  readonly clock: Clock;
  readonly log: Logger;
}): SourcePolls {
  const { notifyConfig, stores, source, rulesFor, version, clock, log } = parts;
  const { budget } = source;
  const { history } = source.config;
  return {
    poll: {
      store: stores,
      source: source.pages,
      pollAlone: stores.polls.pollAlone,
      rulesFor,
      notifyConfig,
      clock,
      version,
      settings: (query, poll) => pollSettings(source.config, query, poll, rulesFor(query)),
      stories: createStoryCache(),
      everyMs: (poll) => everyMs(source.config, poll),
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
